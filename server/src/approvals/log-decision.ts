// What became of a request, in the activity of the one site that it is about, or of the workspace.
import { logEvent } from '../activity/service.ts'
import type { RequestedBy } from '../kernel/job.ts'
import { holdSite } from '../sites/store.ts'
import type { Context, Here } from '../world.ts'
import { onlySite, type Row } from './store.ts'

/** A site that is gone meanwhile is not named. */
export async function logDecision(
  here: Here & { face?: Context['face'] },
  row: Row,
  said: { summary: string; notes?: string; by: RequestedBy },
): Promise<void> {
  const only = onlySite(row)
  const siteId = only !== null && (await holdSite(here, only)) ? only : null
  await logEvent(here, { siteId, category: 'other', ...said, internal: true })
}
