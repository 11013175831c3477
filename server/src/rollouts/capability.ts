import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { advanceRollouts } from './duty.ts'
import { cancel, get, list, start } from './operations.ts'

export const capability: Capability<World> = {
  operations: [start, list, get, cancel],
  duties: [{ name: 'rollouts', everyMs: 1000, run: advanceRollouts }],
}
