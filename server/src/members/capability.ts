import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { invitations, invite, leave, list, remove, set, withdraw } from './operations.ts'

export const capability: Capability<World> = {
  operations: [list, set, remove, leave, invitations, invite, withdraw],
  retention: [
    { table: 'sessions', at: 'expires_at', days: 30 },
    { table: 'devices', at: 'seen_at', days: 400 },
    { table: 'guesses', at: 'at', days: 1 },
    { table: 'recoveries', at: 'expires_at', days: 1 },
    { table: 'half_sign_ins', at: 'expires_at', days: 1 },
    { table: 'challenges', at: 'expires_at', days: 1 },
    { table: 'invitations', at: 'expires_at', days: 1 },
  ],
}
