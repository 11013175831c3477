import { sql } from 'kysely'
import { lastCompleted } from '../backups/sound.ts'
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
  recurring: [
    {
      kind: 'backup',
      what: 'It is backed up.',
      every: sql`86400`,
      last: lastCompleted,
      on: sql`coalesce((SELECT enabled FROM schedules p WHERE p.workspace_id = s.workspace_id AND (p.site_id = s.id OR p.site_id IS NULL)
        ORDER BY p.site_id NULLS LAST LIMIT 1), false)`,
    },
  ],
  retention: [{ table: 'kept_before', at: 'until', days: 1 }],
}
