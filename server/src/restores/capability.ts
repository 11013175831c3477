import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { restore as restoreJob, undo as undoJob } from './jobs.ts'
import { create, undo } from './operations.ts'

export const capability: Capability<World> = {
  operations: [create, undo],
  jobs: [restoreJob, undoJob],
}
