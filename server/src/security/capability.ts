import { sql } from 'kysely'
import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { dailyCheck } from './daily.ts'
import { compareWithFeed } from './feed.ts'
import { endIgnoring } from './ignoring.ts'
import { check as job } from './jobs.ts'
import { check, get, ignore, list, score, unignore } from './operations.ts'
import { summary } from './summary.ts'

export const capability: Capability<World> = {
  operations: [list, score, get, check, ignore, unignore],
  jobs: [job],
  duties: [
    { name: 'security', ofSite: dailyCheck },
    { name: 'ignored findings', everyMs: 60_000, run: endIgnoring },
    { name: 'compare with the feed', everyMs: 15_000, run: compareWithFeed },
  ],
  summary,
  recurring: [
    {
      kind: 'security',
      what: 'Its inventory is collected and its security checked.',
      every: sql`86400`,
      last: sql`(SELECT max(checked_at) FROM security_looks x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id) AND source <> 'feed')`,
      isOn: ({ securityChecks }) => securityChecks !== 'off',
    },
  ],
}
