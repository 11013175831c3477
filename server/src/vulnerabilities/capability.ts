import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { feed } from './operations.ts'
import { refreshDue } from './refresh.ts'

export const capability: Capability<World> = {
  operations: [feed],
  duties: [{ name: 'feed', everyMs: 60_000, run: refreshDue }],
}
