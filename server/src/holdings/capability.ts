import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { goOnDeleting } from './clear.ts'
import { remove, storage } from './operations.ts'

export const capability: Capability<World> = {
  operations: [storage, remove],
  duties: [{ name: 'deleted workspaces', everyMs: 10_000, run: goOnDeleting }],
}
