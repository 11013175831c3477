import type { DoneJob, NextStep } from '../kernel/job.ts'
import type { Here } from '../world.ts'
import { hasSuccessor } from './store.ts'

/** As long as the site keeps what was there before. */
const keptMs = 86_400_000

/** A restore is undone within a day, once, and only the last one. */
export async function stepsAfter(here: Here, { id, siteId, completedAt }: DoneJob<unknown>): Promise<NextStep[]> {
  if (here.now().getTime() - completedAt.getTime() > keptMs || (await hasSuccessor(here, siteId, id))) return []
  return [{ why: 'Undo it, within 24 hours of it.', tool: 'undo_restore', input: { site_id: siteId } }]
}
