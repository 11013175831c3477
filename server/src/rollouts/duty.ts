import { systemCall } from '../kernel/system-call.ts'
import type { World } from '../world.ts'
import { advance } from './advance.ts'
import { holdOpen, listOpen } from './store.ts'

/** Looks at each rollout that goes on. Each look at one is held by one process, and a killed one left nothing behind. */
export async function advanceRollouts(world: World): Promise<void> {
  for (const { workspace_id: workspaceId, id } of await listOpen(world.db)) {
    if (world.stopping.aborted) return
    await world.db
      .transaction()
      .execute(async (db) => {
        const rollout = await holdOpen({ db, workspaceId }, id, true)
        if (!rollout) return
        const { requested_by, approved_by: by, approval_id } = rollout
        // Later waves are asked for by whoever asked for the first, and were approved with it.
        const approved = by !== null && approval_id !== null ? { id: approval_id, by } : undefined
        await advance(systemCall({ ...world, db, workspaceId }, requested_by, approved), rollout)
      })
      .catch((error: unknown) => world.log.warn({ err: error, rollout_id: id }, 'a rollout could not be looked at and is tried again'))
    world.changed(workspaceId, [])
  }
}
