import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { get, things } from './operations.ts'

export const capability: Capability<World> = {
  operations: [get, things],
  retention: [{ table: 'offered_versions', at: 'first_seen_at', days: 400 }],
}
