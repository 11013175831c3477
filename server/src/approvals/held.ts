// What somebody approved is held to that once more when it runs: between the decision and the work a site may have become another.
import { digestOf } from '../kernel/digest.ts'
import type { Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Here } from '../world.ts'
import { boundTo } from './service.ts'
import { writeUnlike } from './store.ts'

interface Compared {
  /** What would be done now, as the operation binds it. */
  now: unknown
  /** What of that which was approved this work is of; all of it where this does not say. */
  of?(bound: unknown): unknown
  /** What is not as it was shown, in a sentence. */
  unlike: string
}

/** Throws before anything is changed where work that was approved would do something else by now. Work that needed no approval passes. */
export async function mustBeAsApproved(here: Here, job: Running, { now, of = (bound) => bound, unlike }: Compared): Promise<void> {
  if (job.approvalId === null || same(of(await boundTo(here, job.approvalId)), now)) return
  await tellUnlike(here, job)
  throw new Problem('conflict', `Nothing was changed: what would be done by now is not what was approved. ${unlike}`, { retryable: false })
}

/** Has the approval of this work, if it needed one, tell that not all of it was done. */
export async function tellUnlike(here: Here, { approvalId }: Running): Promise<void> {
  const reason = 'When it ran, something was not what was approved any more, and of that nothing was done. What became of it tells more.'
  if (approvalId !== null) await writeUnlike(here, approvalId, reason)
}

/** What was kept lacks the fields without a value. */
const same = (approved: unknown, now: unknown) => digestOf(approved) === digestOf(JSON.parse(JSON.stringify(now ?? null)))
