// One switch for all agents of a workspace: while it is thrown no token is let in, on any node.
import { logEvent } from '../activity/service.ts'
import { asker } from '../kernel/job.ts'
import { announceRevocation } from '../platform/signals.ts'
import { findPause, type Pause, writePause } from '../workspaces/store.ts'
import type { Context } from '../world.ts'

/** From the moment this returns every node refuses them. What they had begun goes on, but no further wave of a rollout. */
export async function pauseAgents(context: Context, paused: boolean): Promise<Pause> {
  const { db, workspaceId, now } = context
  const changed = await db.transaction().execute(async (tx) => {
    const here = { ...context, db: tx }
    if (!(await writePause(here, paused ? { at: now(), by: asker(context) } : undefined))) return false
    const summary = paused ? 'All agents paused' : 'The agents may go on'
    await logEvent(here, { siteId: null, category: 'security', summary, by: asker(context), internal: true })
    return true
  })
  // Also when it was so before: whoever did that may have died before everybody had heard.
  if (changed || paused) await announceRevocation(db, workspaceId)
  return findPause(context)
}
