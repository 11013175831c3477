import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { get, history, set } from './operations.ts'

export const capability: Capability<World> = { operations: [get, set, history] }
