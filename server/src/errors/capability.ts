import { sql } from 'kysely'
import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { collectDue, everyMs } from './collect.ts'
import { collect, get, list, mute, reopen, resolve } from './operations.ts'
import { summary } from './summary.ts'

export const capability: Capability<World> = {
  operations: [list, get, collect, resolve, mute, reopen],
  duties: [{ name: 'errors', everyMs: 5_000, run: collectDue }],
  summary,
  retention: [{ table: 'php_errors', at: 'last_seen_at', days: 180 }],
  recurring: [
    {
      kind: 'errors',
      what: 'It is asked for its PHP errors.',
      every: sql`${sql.lit(everyMs / 1000)}`,
      last: sql`(SELECT collected_at FROM php_error_collections x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
      isOn: ({ errorCollection }) => errorCollection !== 'off',
    },
  ],
}
