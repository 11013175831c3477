import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { update as job } from './jobs.ts'
import { update } from './operations.ts'

export const capability: Capability<World> = {
  operations: [update],
  jobs: [job],
  retention: [{ table: 'harmful_versions', at: 'taken_back_at', days: 365 }],
}
