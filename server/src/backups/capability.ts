import { sql } from 'kysely'
import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { backup } from './jobs.ts'
import { accept, download, list, remove, verify } from './operations.ts'
import { pruneWorkspace } from './prune.ts'
import { sweepScratch } from './scratch.ts'
import { summary } from './summary.ts'
import { trial } from './trials.ts'
import { verify as trialJob } from './verify-jobs.ts'
import { checkStore, readBack } from './watch.ts'

export const capability: Capability<World> = {
  operations: [list, download, accept, verify, remove],
  jobs: [backup, trialJob],
  duties: [
    { name: 'verify', ofSite: trial },
    { name: 'scratch', everyMs: 60_000, run: sweepScratch },
    { name: 'prune', ofWorkspace: pruneWorkspace },
    { name: 'check', ofWorkspace: checkStore },
    { name: 'read', ofWorkspace: readBack },
  ],
  summary,
  recurring: [
    {
      kind: 'verify',
      what: 'A backup of it is tried out.',
      every: sql`2419200`,
      last: sql`(SELECT max(verified_at) FROM backups x WHERE (x.workspace_id, x.site_id) = (s.workspace_id, s.id))`,
    },
  ],
}
