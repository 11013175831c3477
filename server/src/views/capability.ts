import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { list, remove, save } from './operations.ts'

export const capability: Capability<World> = { operations: [list, save, remove] }
