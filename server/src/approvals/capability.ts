import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { pause, resume, state } from './agents.ts'
import { cancel as takeBack } from './decide.ts'
import { approve, cancel, deny, get, list } from './operations.ts'
import { asJob, expire, pageOfWaiting } from './service.ts'

export const capability: Capability<World> = {
  operations: [list, get, approve, deny, cancel, state, pause, resume],
  followed: { apr: { find: asJob, cancel: takeBack, waiting: pageOfWaiting } },
  duties: [{ name: 'approvals', everyMs: 30_000, run: expire }],
  retention: [{ table: 'approvals', at: 'created_at', days: 400 }],
}
