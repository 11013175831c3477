import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { create, kit, rename } from './operations.ts'

export const capability: Capability<World> = { operations: [create, rename, kit] }
