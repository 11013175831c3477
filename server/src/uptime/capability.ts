import { sql } from 'kysely'
import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { add, addForAll, checks, end, get, getDefault, history, incidents, list, set, setDefault } from './operations.ts'
import { setting } from './settings-store.ts'
import { summary } from './summary.ts'
import { watchSites } from './sweep.ts'

export const capability: Capability<World> = {
  operations: [list, checks, incidents, history, getDefault, setDefault, get, set, addForAll, add, end],
  duties: [{ name: 'uptime', everyMs: 500, run: watchSites }],
  summary,
  retention: [
    { table: 'uptime_samples', at: 'hour', days: 2 },
    { table: 'uptime_earlier', at: 'until', days: 3 },
    { table: 'uptime_hours', at: 'hour', days: 1096 },
    { table: 'uptime_days', at: 'day', days: 3653 },
    { table: 'uptime_windows', at: 'ends_at', days: 400 },
    { table: 'uptime_moves', at: 'seen_at', days: 400 },
  ],
  recurring: [
    {
      kind: 'uptime',
      what: 'It is asked whether it answers.',
      every: setting(sql`interval_s`, sql`60`),
      last: sql`(SELECT max(checked_at) FROM uptime_monitors x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
      on: setting(sql`enabled`, sql`true`),
      isOn: ({ uptimeChecks }) => uptimeChecks !== 'off',
    },
  ],
}
