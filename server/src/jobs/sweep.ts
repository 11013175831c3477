import { lineOf } from '../kernel/job.ts'
import type { World } from '../world.ts'
import { holdOpenJob, listOpenJobs, type OpenJob } from './store.ts'

/** Queues jobs again that nobody would ever run, because their ticket is gone from the queue. Answers which. */
export async function sweepJobs(world: World): Promise<string[]> {
  const open = await listOpenJobs(world.db)
  if (open.length === 0) return []
  const held = await world.queue.holds(
    world.db,
    open.map(({ id }) => id),
  )
  const found: string[] = []
  for (const job of open) if (!held.has(job.id) && (await sendAgain(world, job))) found.push(job.id)
  if (found.length > 0) world.log.warn({ job_ids: found }, 'jobs without a ticket were queued again')
  return found
}

/** Looks again with the job held, so that one that has just ended or was just queued is left alone. */
function sendAgain(world: World, { id, type, workspace_id: workspaceId, site_id: siteId }: OpenJob): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    if (!(await holdOpenJob({ db, workspaceId }, id)) || (await world.queue.holds(db, [id])).has(id)) return false
    await world.queue.send(db, { id, workspaceId, siteId: lineOf(world.jobKinds, type, siteId) })
    return true
  })
}
