import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { linkScan } from './jobs.ts'
import { check, get, ignore, list, unignore } from './operations.ts'
import { weeklyScan } from './service.ts'
import { summary } from './summary.ts'

export const capability: Capability<World> = {
  operations: [list, get, check, ignore, unignore],
  jobs: [linkScan()],
  duties: [{ name: 'links', ofSite: weeklyScan }],
  summary,
  retention: [{ table: 'link_scans', at: 'started_at', days: 400 }],
}
