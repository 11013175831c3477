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
}
