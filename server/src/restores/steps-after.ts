import type { DoneJob, NextStep } from '../kernel/job.ts'
import type { World } from '../world.ts'

/** As long as the site keeps what was there before. */
const keptMs = 86_400_000

export function stepsAfter({ now }: Pick<World, 'now'>, { siteId, completedAt }: DoneJob<unknown>): NextStep[] {
  if (now().getTime() - completedAt.getTime() > keptMs) return []
  return [{ why: 'Undo it, within 24 hours of it.', tool: 'undo_restore', input: { site_id: siteId } }]
}
