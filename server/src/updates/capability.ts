import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { update as job } from './jobs.ts'
import { picture, update } from './operations.ts'
import { listUpdateRules, removeUpdateRule, setUpdateRule } from './rules-operations.ts'

export const capability: Capability<World> = {
  operations: [update, picture, listUpdateRules, setUpdateRule, removeUpdateRule],
  jobs: [job],
  retention: [
    { table: 'update_pictures', at: 'taken_at', days: 30 },
    { table: 'harmful_versions', at: 'taken_back_at', days: 365 },
  ],
}
