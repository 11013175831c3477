import type { Capability } from '../kernel/capability.ts'
import type { World } from '../world.ts'
import { asJob, countAsJobs, listAsJobs } from './as-job.ts'
import { advanceRollouts } from './duty.ts'
import { backup, cancel, fix, get, goOn, list, start } from './operations.ts'
import { cancelRollout } from './service.ts'
import { openWindows } from './windows.ts'
import { addUpdateWindow, listUpdateWindows, removeUpdateWindow } from './windows-operations.ts'

export const capability: Capability<World> = {
  operations: [start, backup, fix, list, get, goOn, cancel, listUpdateWindows, addUpdateWindow, removeUpdateWindow],
  followed: { rollout: { find: asJob, cancel: cancelRollout, listed: { type: 'rollout', count: countAsJobs, items: listAsJobs } } },
  duties: [
    { name: 'rollouts', everyMs: 1000, run: advanceRollouts },
    { name: 'update windows', everyMs: 20_000, run: openWindows },
  ],
}
