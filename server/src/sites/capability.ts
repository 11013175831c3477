import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { get, list, ping, remove, set } from './operations.ts'

export const capability: Capability<World> = {
  operations: [list, get, set, ping, remove],
  retention: [{ table: 'live_looks', at: 'begun_at', days: 1 }],
}
