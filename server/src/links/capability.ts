import { sql } from 'kysely'
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
  recurring: [
    {
      kind: 'links',
      what: 'Its pages are read for broken links.',
      every: sql`604800`,
      last: sql`(SELECT max(completed_at) FROM link_scans x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
      isOn: ({ linkChecks }) => linkChecks !== 'off',
    },
  ],
}
