import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { calls, create, list, revoke } from './operations.ts'

export const capability: Capability<World> = {
  operations: [list, create, revoke, calls],
}
