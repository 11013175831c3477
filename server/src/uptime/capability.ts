import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { add, addForAll, checks, end, get, getDefault, history, incidents, list, set, setDefault } from './operations.ts'
import { summary } from './summary.ts'
import { watchSites } from './sweep.ts'

export const capability: Capability<World> = {
  operations: [list, checks, incidents, history, getDefault, setDefault, get, set, addForAll, add, end],
  duties: [{ name: 'uptime', everyMs: 500, run: watchSites }],
  summary,
  retention: [
    { table: 'uptime_samples', at: 'hour', days: 2 },
    { table: 'uptime_hours', at: 'hour', days: 1096 },
    { table: 'uptime_days', at: 'day', days: 3653 },
    { table: 'uptime_windows', at: 'ends_at', days: 400 },
    { table: 'uptime_moves', at: 'seen_at', days: 400 },
  ],
}
