import { logEvent } from '../activity/service.ts'
import type { Running } from '../kernel/job.ts'
import type { DatedDb, Db } from '../world.ts'
import { type Completed, latestCounts } from './store.ts'

type Counts = Pick<Completed, 'files_count' | 'rows_count'>

/** A site that lost more than half of its files or rows was emptied, or is lying: what is older must not be pushed out by it. */
export async function suspicionOf(context: Db, siteId: string, now: Counts): Promise<string | null> {
  const before = await latestCounts(context, siteId)
  if (shrank(before.files_count, now.files_count)) return `It holds ${now.files_count} files; the one before held ${before.files_count}.`
  if (shrank(before.rows_count, now.rows_count)) return `It holds ${now.rows_count} rows; the one before held ${before.rows_count}.`
  return null
}

const shrank = (before: number | null, now: number | null) => before !== null && now !== null && now * 2 < before

export async function logSuspicion(context: DatedDb, job: Running, why: string): Promise<void> {
  const by = { type: 'system', id: 'backups', name: 'Backups' } as const
  const summary = 'A backup holds less than half of the one before; no backup is deleted until it was looked at'
  await logEvent(context, { siteId: job.siteId, category: 'backup', summary, notes: why, jobId: job.id, by, internal: true })
}
