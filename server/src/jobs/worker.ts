import { CanceledJob, type JobFailure, type JobKind, type JobSummary, LostJob, lineOf, type Progress, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { DatabaseAway } from '../platform/database-trouble.ts'
import type { Ticket } from '../platform/queue.ts'
import type { Here, World } from '../world.ts'
import { type ClaimedJob, claimJob, endJob, type JobEnd, readStep, reportJob, requeueJob, writeStep } from './store.ts'

/** Why an attempt is told to stop before it is done. */
export interface Stops {
  /** The queue has given the ticket to another worker. */
  lost: AbortSignal
  /** The service is stopping; another process goes on with the job. */
  stopping: AbortSignal
}

/** How often a running job asks whether it is still its own and still wanted. */
const watchEveryMs = 500

/** Runs one ticket of the queue to its end. Throws only when the database is away; the queue then gives the ticket out again. */
export async function runJob(world: World, { jobId, workspaceId }: Ticket, { lost, stopping }: Stops): Promise<void> {
  if (stopping.aborted) throw new Error('The service is stopping.')
  const claimed = await claimJob({ ...world, workspaceId }, jobId)
  if (!claimed) return
  const kind = world.jobKinds.get(claimed.type)
  const watch = new AbortController()
  const job = running({ ...world, workspaceId }, jobId, claimed, AbortSignal.any([lost, stopping, watch.signal]))
  const stopWatching = watchOver(world, job, watch)
  try {
    if (!kind) throw new Problem('internal', `No worker knows the job type ${claimed.type}.`)
    const result = await kind.work(world, job, claimed.input)
    await end(world, { kind, job, claimed }, { status: 'completed', result, summary: kind.summarize(result) })
  } catch (error) {
    await failed(world, { kind, job, claimed }, watch.signal.aborted ? watch.signal.reason : error, { lost, stopping })
  } finally {
    await stopWatching()
  }
}

/** The queue gave up: the worker was killed too often. */
export async function buryJob(world: World, { jobId, workspaceId }: Ticket): Promise<void> {
  const claimed = await claimJob({ ...world, workspaceId }, jobId)
  if (!claimed) return
  const job = running({ ...world, workspaceId }, jobId, claimed, AbortSignal.abort())
  const error = { code: 'internal', message: 'The work was interrupted too often and was given up.', next: tellOperator, retryable: true }
  await end(world, { kind: world.jobKinds.get(claimed.type), job, claimed }, { status: 'failed', error, summary: summaryOf(error) })
}

/** Asks twice a second whether the job is still wanted, one question at a time. */
function watchOver(world: World, job: Running, watch: AbortController): () => Promise<void> {
  let asked = Promise.resolve()
  let asking = false
  const timer = setInterval(() => {
    if (asking) return
    asking = true
    asked = askIfWanted(world, job, watch).finally(() => {
      asking = false
    })
  }, watchEveryMs)
  return () => {
    clearInterval(timer)
    return asked
  }
}

async function askIfWanted(world: World, job: Running, watch: AbortController): Promise<void> {
  try {
    const state = await reportJob({ ...world, workspaceId: job.workspaceId }, job.id, job.fence, {})
    if (!state) watch.abort(new LostJob('a newer attempt has taken over'))
    else if (state.cancel) watch.abort(new CanceledJob('canceled'))
  } catch (error) {
    world.log.warn({ err: error, job_id: job.id }, 'a running job could not ask whether it is still wanted')
  }
}

/** A total that was a guess grows with what was done. */
const bounded = ({ percent, done, total, ...rest }: Progress): Progress => ({
  ...rest,
  percent: percent === null ? null : Math.max(0, Math.min(100, percent)),
  done,
  total: total === 0 ? 0 : Math.max(total, done),
})

function running(context: Here, id: string, claimed: ClaimedJob, signal: AbortSignal): Running {
  const { fence } = claimed
  const report = async (what: { phase?: string; progress?: Progress }) => {
    signal.throwIfAborted()
    const state = await reportJob(context, id, fence, what)
    if (!state) throw new LostJob('a newer attempt has taken over')
    if (state.cancel) throw new CanceledJob('canceled')
  }
  const step = async (name: string, change: { state?: unknown; finished?: Date }, db = context.db) => {
    if (!(await writeStep({ ...context, db }, { id, fence }, name, change))) throw new LostJob('a newer attempt has taken over')
  }
  return {
    id,
    fence,
    signal,
    type: claimed.type,
    siteId: claimed.site_id,
    workspaceId: context.workspaceId,
    requestedBy: claimed.requested_by,
    approvalId: claimed.approval_id,
    phase: (phase) => report({ phase }),
    progress: (progress) => report({ progress: bounded(progress) }),
    stateOf: (name) => readStep(context, id, name),
    saveState: (name, state, db) => step(name, { state }, db),
    finishStep: (name) => step(name, { finished: context.now() }),
  }
}

interface Attempt {
  kind: JobKind<World> | undefined
  job: Running
  claimed: ClaimedJob
}

async function failed(world: World, attempt: Attempt, error: unknown, stops: Stops): Promise<void> {
  const { kind, job } = attempt
  const { failures } = attempt.claimed
  if (error instanceof CanceledJob) return end(world, attempt, { status: 'canceled' })
  if (stops.lost.aborted) return
  if (error instanceof DatabaseAway) throw error
  const failure = failureOf(error)
  if (error instanceof LostJob && !(await stillOurs(world, job))) return
  if (stops.stopping.aborted) return again(world, job, null, 0)
  if (failure.code === 'internal') world.log.error({ err: error, job_id: job.id }, 'a job met an error of ours')
  if (failure.retryable && failures < (kind?.retries ?? 0)) return again(world, job, failure, 2 ** failures)
  const isTakenBack = error instanceof Problem && error.takenBack
  await end(world, attempt, { status: 'failed', error: failure, summary: summaryOf(failure, isTakenBack) })
}

/** A job may say it was lost because a row of its own is gone; then it failed, and must not look as if it ran on. */
async function stillOurs(world: World, job: Running): Promise<boolean> {
  return (await reportJob({ ...world, workspaceId: job.workspaceId }, job.id, job.fence, {})) !== undefined
}

/** Back into the queue with a ticket of its own: at once when we are stopping, after a pause when it failed. */
async function again(world: World, job: Running, failure: JobFailure | null, delaySeconds: number): Promise<void> {
  const { id, type, workspaceId, siteId, fence } = job
  await world.db.transaction().execute(async (db) => {
    if (!(await requeueJob({ ...world, db, workspaceId }, id, fence, failure))) return
    await world.queue.send(db, { id, workspaceId, siteId: lineOf(world.jobKinds, type, siteId), delaySeconds })
  })
}

/** The log has the error beside it. */
const tellOperator = 'Start it again once; if it stays, give the id of the job to the operator.'

/** What a failed job keeps of why. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof Problem) {
    const { code, message, next, retryable, siteSaid } = error
    return { code, message, next, retryable, ...(siteSaid && { site_said: siteSaid }) }
  }
  return { code: 'internal', message: 'Something broke on our side.', next: tellOperator, retryable: true }
}

const summaryOf = ({ message }: JobFailure, isTakenBack = false): JobSummary => ({
  outcome: isTakenBack ? 'taken_back' : 'failed',
  summary: message,
})

/** Ends the job and lets its capability tell the ending, both or neither. */
async function end(world: World, { kind, job, claimed }: Attempt, ending: JobEnd): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const context = { ...world, db, workspaceId: job.workspaceId }
    const happening = ending.status === 'canceled' ? undefined : kind?.happening?.(ending.result)
    if (!(await endJob(context, job.id, job.fence, { ...ending, happening })) || ending.status === 'completed') return
    const { status, error = null } = ending
    await kind?.ended?.(context, { id: job.id, siteId: job.siteId, workspaceId: job.workspaceId, status, error }, claimed.input)
  })
  world.changed(job.workspaceId, job.siteId === null ? undefined : [job.siteId])
}
