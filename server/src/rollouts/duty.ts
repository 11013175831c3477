import { Problem } from '../kernel/problem.ts'
import { systemCall } from '../kernel/system-call.ts'
import type { World } from '../world.ts'
import { advance, isPaused } from './advance.ts'
import { askForWave } from './next-wave.ts'
import { holdOpen, listOpen } from './store.ts'

/** Looks at each rollout that goes on. Each look at one is held by one process, and a killed one left nothing behind. */
export async function advanceRollouts(world: World): Promise<void> {
  for (const { workspace_id: workspaceId, id } of await listOpen(world.db)) {
    if (world.stopping.aborted) return
    const held = await world.db
      .transaction()
      .execute(async (db) => {
        const rollout = await holdOpen({ db, workspaceId }, id, true)
        if (!rollout) return undefined
        const { requested_by, approved_by: by, approval_id } = rollout
        // What begins by itself begins as it was let go.
        const approved = by !== null && approval_id !== null ? { id: approval_id, by } : undefined
        await advance(systemCall({ ...world, db, workspaceId }, requested_by, approved), rollout)
        return (await isPaused({ db, workspaceId }, rollout)) ? undefined : holdOpen({ db, workspaceId }, id)
      })
      .catch((error: unknown) => world.log.warn({ err: error, rollout_id: id }, 'a rollout could not be looked at and is tried again'))
    if (held)
      await askForWave(world, workspaceId, held).catch((error: unknown) => {
        if (!(error instanceof Problem))
          world.log.warn({ err: error, rollout_id: id }, 'a wave could not be asked for and is asked for again')
      })
    world.changed(workspaceId, [])
  }
}
