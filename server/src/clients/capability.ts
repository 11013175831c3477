import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { create, get, list, logo, remove, set } from './operations.ts'

export const capability: Capability<World> = {
  operations: [list, get, create, set, remove, logo],
}
