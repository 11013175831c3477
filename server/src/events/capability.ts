import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { watch } from './operations.ts'

export const capability: Capability<World> = {
  operations: [watch],
}
