import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { get, getDefault, set, setDefault } from './operations.ts'
import { firstBackupTurn, runBackupTurn, runRetainTurn } from './service.ts'
import { summary } from './summary.ts'

export const capability: Capability<World> = {
  operations: [getDefault, setDefault, get, set],
  duties: [
    { name: 'backup', ofSite: { first: firstBackupTurn, run: runBackupTurn } },
    { name: 'retain', ofSite: { first: async (here) => here.now(), run: runRetainTurn } },
  ],
  summary,
  retention: [{ table: 'kept_before', at: 'until', days: 1 }],
}
