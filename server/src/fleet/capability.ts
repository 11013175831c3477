import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { list } from './operations.ts'

export const capability: Capability<World> = {
  operations: [list],
}
