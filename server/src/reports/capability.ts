import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import {
  annotate,
  correct,
  discard,
  draft,
  get,
  html,
  link,
  list,
  publish,
  refresh,
  revokeLink,
  setSettings,
  settings,
} from './operations.ts'

export const capability: Capability<World> = {
  operations: [list, get, draft, refresh, annotate, publish, correct, discard, html, link, revokeLink, settings, setSettings],
  retention: [{ table: 'report_links', at: 'expires_at', days: 400 }],
}
