import { setTimeout as sleep } from 'node:timers/promises'
import type { Brief } from '../kernel/context.ts'
import type { Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker, type DoneJob, type JobKind, lineOf, type NextStep } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { writtenPageOf } from '../kernel/written-page.ts'
import type { Context, World } from '../world.ts'
import { findJob, type JobFilter } from './list-store.ts'
import { listTogether, placeOf } from './list-together.ts'
import type { Job, JobStatus } from './schema.ts'
import { askToCancel, endJob, insertJob, waitsAgain, withdraw } from './store.ts'

/** Records the job and queues it in the caller's transaction; it starts after the commit. */
export async function startJob(
  context: Context,
  kind: Pick<JobKind<World>, 'type'>,
  siteId: string | null,
  input: Record<string, unknown>,
) {
  const id = newId('job', context.now())
  const registered = context.jobKinds.get(kind.type)
  if (!registered) throw new Error(`No capability has a kind of job that is called ${kind.type}.`)
  const { changesSite } = registered
  const { approved } = context.caller
  await insertJob(context, { id, type: kind.type, siteId, changesSite, requestedBy: asker(context), approved, input })
  const line = lineOf(context.jobKinds, kind.type, siteId)
  await context.queue.send(context.db, { id, workspaceId: context.workspaceId, siteId: line })
  return { job_id: id, status: 'queued' as JobStatus, poll_after_s: 2, next: 'get_job' as const }
}

const followedAs = ({ followed }: Context, id: string) => followed.get(id.slice(0, id.indexOf('_')))

async function getJob(context: Context, id: string): Promise<Job> {
  const other = followedAs(context, id)
  const job = other ? ((await other.find(context, id)) as Job | undefined) : await findJob(context, id)
  const seen = job && (await seenBy(context, job))
  if (!seen) throw new Problem('not_found', 'There is no such job in this workspace. list_jobs (GET /jobs) shows the recent ones.')
  return seen
}

/** By who does not see all sites: a job of one that he sees, or one of his own, which names no other site. */
async function seenBy({ caller, fleet, workspaceId }: Context, job: Job): Promise<Job | undefined> {
  const { site_id, requested_by } = job
  if (!caller.sees || (site_id !== null && (await fleet.one(workspaceId, site_id)) !== undefined)) return job
  return requested_by.id === caller.id ? { ...job, site: null } : undefined
}

const over = (job: Job) => job.status === 'completed' || job.status === 'failed' || job.status === 'canceled'

/** The job, after it ended or `seconds` have passed, whichever is first. */
export async function waitForJob(context: Context, id: string, seconds: number): Promise<Job & { brief: Brief | undefined }> {
  const job = await waitUntil(context, { seconds, read: () => getJob(context, id), over })
  const whole = { ...job, next_steps: job.next_steps ?? (over(job) ? await stepsAfter(context, job) : []) }
  return { ...whole, brief: inBrief(context, whole) }
}

/** Where its kind knows what of its result is worth reading. */
function inBrief({ jobKinds }: Context, { result, ...job }: Job): Brief | undefined {
  const brief = jobKinds.get(job.type)?.brief
  if (!brief || result === null) return undefined
  return () => {
    const { result: short, without } = brief(result)
    return { output: { ...job, result: short }, without }
  }
}

/** What broke on our side: its site has nothing to say to that. */
const ours = (error: Job['error']) => error?.code === 'internal' || error?.code === 'unavailable'

/** What its kind knows to be of use now; of one that came to nothing, what its site says. */
async function stepsAfter(
  context: Context,
  { id, type, status, site_id, result, outcome, error, created_at, completed_at }: Job,
): Promise<NextStep[]> {
  if (site_id === null || status === 'canceled' || ours(error)) return []
  if (status === 'failed' || result === null || completed_at === null)
    return [{ why: 'See what stood in the way on the site.', tool: 'get_site', input: { site_id } }]
  const done = { id, siteId: site_id, result, outcome, createdAt: new Date(created_at), completedAt: new Date(completed_at) }
  return (await context.jobKinds.get(type)?.next?.(context, done as DoneJob<never>)) ?? []
}

/** What `read` finds, once that is over or `seconds` have passed, whichever is first; at once when nobody waits any more. */
export async function waitUntil<Value>(
  { signal, stopping }: Context,
  { seconds, read, over }: { seconds: number; read: () => Promise<Value>; over: (found: Value) => boolean },
): Promise<Value> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const found = await read()
    if (over(found) || performance.now() >= deadline || signal?.aborted || stopping.aborted) return found
    await sleep(Math.min(400, Math.max(1, deadline - performance.now())))
  }
}

export async function pageOfJobs(context: Context, filter: JobFilter, wanted: Wanted) {
  const listed = [...context.followed.values()].flatMap(({ listed = [] }) => listed)
  const known = [...context.jobKinds.keys(), ...listed.map(({ type }) => type)].sort()
  if (filter.type !== undefined && !known.includes(filter.type)) throw wrongField('type', `Must be one of ${known.join(', ')}.`)
  if (filter.status === 'awaiting_approval') return pageOfWaiting(context, filter, wanted)
  // Who sees some sites only is answered otherwise than who sees all.
  const own = context.caller.sees && context.caller.id
  const listing = { list: 'jobs', workspaceId: context.workspaceId, filter: { ...filter, own } }
  return writtenPageOf<Job>(context, listing, wanted, {
    text: (page) => listTogether(context, listed, filter, page),
    at: ({ id }) => [placeOf(id)],
  })
}

/** What waits for a person is no job yet, and is told as one. It has no type and no outcome by which to leave any of it out. */
async function pageOfWaiting(context: Context, { siteId, type, outcome }: JobFilter, wanted: Wanted) {
  if (type !== undefined) throw wrongField('type', 'What waits for approval has no type yet; leave it out: input tells the operation.')
  if (outcome !== undefined) throw wrongField('outcome', 'What waits for approval has no outcome yet; leave it out.')
  const waiting = [...context.followed.values()].find((each) => each.waiting)?.waiting
  if (!waiting) return { jobs: [], total: 0, limit: wanted.limit ?? null, next_cursor: null }
  const { items: jobs, ...page } = await waiting(context, siteId, wanted)
  return { jobs: jobs as Job[], ...page }
}

/** Of what is over, whatever asked again: it stays so. */
export const nothingToCancel = (message: string) =>
  new Problem('conflict', message, {
    retryable: false,
    next: 'Leave it: nothing is left to cancel. get_job (GET /jobs/{job_id}) tells what became of it.',
  })

/** A waiting job ends at once; one that has begun is asked to stop and cleans up after itself. Asking twice changes nothing. */
export async function cancelJob(context: Context, kinds: ReadonlyMap<string, JobKind<World>>, id: string): Promise<Job> {
  const job = await getJob(context, id)
  if (job.status === 'canceled') return job
  const other = followedAs(context, id)
  if (other) {
    await other.cancel(context, id)
    return getJob(context, id)
  }
  if (over(job)) throw nothingToCancel(`That job has already ${job.status}.`)
  await askToCancel(context, id)
  if (kinds.get(job.type)?.tidies && (await waitsAgain(context, id))) {
    // Now, and not after the pause that a failure is followed by.
    await context.queue.drop(context.db, id)
    await context.queue.send(context.db, { id, workspaceId: context.workspaceId, siteId: lineOf(kinds, job.type, job.site_id) })
    return getJob(context, id)
  }
  if (await endJob(context, id, null, { status: 'canceled' })) await leaveQueue(context, kinds, job)
  return getJob(context, id)
}

/** Cancels a job that no worker has ever begun; any other goes on. */
export async function withdrawJob(context: Context, kinds: ReadonlyMap<string, JobKind<World>>, id: string): Promise<void> {
  const job = await getJob(context, id)
  if (await withdraw(context, id)) await leaveQueue(context, kinds, job)
}

async function leaveQueue(context: Context, kinds: ReadonlyMap<string, JobKind<World>>, { id, site_id, type, input }: Job): Promise<void> {
  await context.queue.drop(context.db, id)
  const ended = { id, siteId: site_id, workspaceId: context.workspaceId, status: 'canceled' as const, error: null }
  await kinds.get(type)?.ended?.(context, ended, input)
}
