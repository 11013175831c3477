import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { collectDue } from './collect.ts'
import { collect, get, list, mute, reopen, resolve } from './operations.ts'
import { summary } from './summary.ts'

export const capability: Capability<World> = {
  operations: [list, get, collect, resolve, mute, reopen],
  duties: [{ name: 'errors', everyMs: 5_000, run: collectDue }],
  summary,
  retention: [{ table: 'php_errors', at: 'last_seen_at', days: 180 }],
}
