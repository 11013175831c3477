import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { update as job } from './jobs.ts'
import { update } from './operations.ts'
import { listUpdateRules, removeUpdateRule, setUpdateRule } from './rules-operations.ts'

export const capability: Capability<World> = {
  operations: [update, listUpdateRules, setUpdateRule, removeUpdateRule],
  jobs: [job],
  retention: [
    { table: 'harmful_versions', at: 'taken_back_at', days: 365 },
    { table: 'offered_versions', at: 'first_seen_at', days: 400 },
  ],
}
