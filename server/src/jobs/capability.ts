import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { cancel, get, list } from './operations.ts'
import { sweepJobs } from './sweep.ts'

export const capability: Capability<World> = {
  operations: [get, list, cancel],
  duties: [{ name: 'stray jobs', everyMs: 60_000, run: sweepJobs }],
}
