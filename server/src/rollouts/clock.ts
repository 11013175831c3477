import { newId } from '../kernel/ids.ts'
import type { RequestedBy } from '../kernel/job.ts'
import { type Repeated, repeat } from '../platform/repeat.ts'
import type { Context, World } from '../world.ts'
import { advance } from './advance.ts'
import { holdOpen, listOpen } from './store.ts'

/** Looks at the rollouts that go on. Any number of processes may; each look at one is held by one, and a killed one left nothing behind. */
export const openRollouts = (world: World): Repeated =>
  repeat(world.log, { everyMs: 1000, trouble: 'the rollouts could not be looked for' }, () => lookAtRollouts(world))

/** One look at each. */
async function lookAtRollouts(world: World): Promise<void> {
  for (const { workspace_id: workspaceId, id } of await listOpen(world.db)) {
    if (world.stopping.aborted) return
    await world.db
      .transaction()
      .execute(async (db) => {
        const rollout = await holdOpen({ db, workspaceId }, id, true)
        if (rollout) await advance(contextOf({ ...world, db }, workspaceId, rollout.requested_by), rollout)
      })
      .catch((error: unknown) => world.log.warn({ err: error, rollout_id: id }, 'a rollout could not be looked at and is tried again'))
    world.changed(workspaceId, [])
  }
}

/** Later waves are asked for by whoever asked for the first. */
function contextOf(world: World, workspaceId: string, { type, id, name }: RequestedBy): Context {
  const caller = { type, id, name, workspaceId, scopes: new Set(['read', 'write'] as const), approvalOnly: false }
  return { ...world, workspaceId, caller, face: 'system', requestId: newId('req', world.now()), touched: new Set() }
}
