import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { file, list } from './operations.ts'

export const capability: Capability<World> = { operations: [list, file] }
