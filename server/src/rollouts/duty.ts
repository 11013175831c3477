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
        // Later waves are asked for by whoever asked for the first.
        if (rollout) await advance(systemCall({ ...world, db, workspaceId }, rollout.requested_by), rollout)
      })
      .catch((error: unknown) => world.log.warn({ err: error, rollout_id: id }, 'a rollout could not be looked at and is tried again'))
    world.changed(workspaceId, [])
  }
}
