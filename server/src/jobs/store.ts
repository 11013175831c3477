import { sql } from 'kysely'
import type { Approved } from '../kernel/context.ts'
import { countRows } from '../kernel/cursor.ts'
import type { JobFailure, JobSummary, Progress, RequestedBy } from '../kernel/job.ts'
import type { Context, DatedDb, Db } from '../world.ts'

export interface NewJob {
  id: string
  type: string
  siteId: string | null
  changesSite: boolean
  requestedBy: RequestedBy
  approved: Approved | undefined
  input: Record<string, unknown>
}

export async function insertJob({ db, workspaceId, now }: DatedDb, job: NewJob): Promise<void> {
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, changes_site, status, requested_by, approved_by, approval_id, input, created_at)
    VALUES (${workspaceId}, ${job.id}, ${job.type}, ${job.siteId}, ${job.changesSite}, 'queued', ${JSON.stringify(job.requestedBy)}::jsonb,
      ${job.approved === undefined ? null : JSON.stringify(job.approved.by)}::jsonb, ${job.approved?.id ?? null},
      ${JSON.stringify(job.input)}::jsonb, ${now()})`.execute(db)
}

export interface ClaimedJob {
  type: string
  site_id: string | null
  fence: number
  /** Attempts that failed before this one. */
  failures: number
  input: Record<string, unknown>
  requested_by: RequestedBy
  approval_id: string | null
}

/** Takes the job for a new attempt: a higher fence, so that an older attempt can write no more. Undefined when it has ended. */
export async function claimJob({ db, workspaceId, now }: DatedDb, id: string): Promise<ClaimedJob | undefined> {
  const { rows } = await sql<ClaimedJob>`
    UPDATE jobs SET status = 'running', attempt = attempt + 1, fence = fence + 1, started_at = coalesce(started_at, ${now()})
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status IN ('queued', 'running')
    RETURNING type, site_id, fence, failures, input, requested_by, approval_id`.execute(db)
  return rows[0]
}

/** Writes what a running attempt reports; false when it is no longer its job. `cancel` tells that somebody wants it to stop. */
export async function reportJob(
  { db, workspaceId }: Db,
  id: string,
  fence: number,
  report: { phase?: string; progress?: Progress },
): Promise<{ cancel: boolean } | undefined> {
  const { phase = null, progress = null } = report
  const { rows } = await sql<{ cancel: boolean }>`UPDATE jobs SET phase = coalesce(${phase}, phase),
      progress = coalesce(${progress === null ? null : JSON.stringify(progress)}::jsonb, progress)
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${fence} AND status = 'running'
    RETURNING cancel_asked AS cancel`.execute(db)
  return rows[0]
}

export interface JobEnd {
  status: 'completed' | 'failed' | 'canceled'
  result?: unknown
  error?: JobFailure
  /** Not of a canceled one. */
  summary?: JobSummary
  /** What of it people are told. */
  happening?: string | undefined
}

/** Ends the job if this attempt still holds it; a job that waits in the queue is ended with fence null. */
export async function endJob({ db, workspaceId, now }: DatedDb, id: string, fence: number | null, end: JobEnd): Promise<boolean> {
  const held = fence === null ? sql`status = 'queued'` : sql`status = 'running' AND fence = ${fence}`
  const { numAffectedRows } =
    await sql`UPDATE jobs SET status = ${end.status}, result = ${text(end.result)}::jsonb, error = ${text(end.error)}::jsonb,
      outcome = ${end.summary?.outcome ?? null}, summary = ${end.summary?.summary ?? null}, happening = ${end.happening ?? null},
      completed_at = ${now()}, progress = CASE WHEN ${end.status} = 'completed' AND progress IS NOT NULL
        THEN progress || jsonb_build_object('percent', 100, 'done', greatest((progress ->> 'done')::float8, (progress ->> 'total')::float8)) ELSE progress END
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND ${held}`.execute(db)
  // Nothing of a completed job is left to do, whether each step said so or not.
  if (numAffectedRows === 1n && end.status === 'completed')
    await sql`UPDATE job_steps SET finished_at = ${now()} WHERE workspace_id = ${workspaceId} AND job_id = ${id} AND finished_at IS NULL`.execute(
      db,
    )
  return numAffectedRows === 1n
}

const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** Ends a job that was never begun; one that went back into the queue may have left something half done. */
export async function withdraw({ db, workspaceId, now }: DatedDb, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE jobs SET status = 'canceled', completed_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'queued' AND attempt = 0`.execute(db)
  return numAffectedRows === 1n
}

export async function askToCancel({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`UPDATE jobs SET cancel_asked = true WHERE workspace_id = ${workspaceId} AND id = ${id} AND status IN ('queued', 'running')`.execute(
    db,
  )
}

/** Whether it waits, and an attempt was at it before. */
export async function waitsAgain({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT 1 FROM jobs WHERE workspace_id = ${workspaceId} AND id = ${id} AND status = 'queued' AND attempt > 0`.execute(db)
  return rows.length === 1
}

/** Back to waiting after an attempt that did not end it; false when it is no longer this attempt's. */
export async function requeueJob({ db, workspaceId }: Db, id: string, fence: number, error: JobFailure | null): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE jobs SET status = 'queued', error = coalesce(${text(error ?? undefined)}::jsonb, error),
      failures = failures + ${error === null ? 0 : 1}
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND fence = ${fence} AND status = 'running'`.execute(db)
  return numAffectedRows === 1n
}

export interface OpenJob {
  workspace_id: string
  id: string
  type: string
  site_id: string | null
}

/** Every job that waits or runs, of all workspaces: for the sweep that looks for stray ones. */
export async function listOpenJobs(db: Context['db']): Promise<OpenJob[]> {
  const { rows } = await sql<OpenJob>`SELECT workspace_id, id, type, site_id FROM jobs WHERE status IN ('queued', 'running')`.execute(db)
  return rows
}

/** Keeps an open job as it is until the transaction ends; false when it has ended. */
export async function holdOpenJob({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT 1 FROM jobs WHERE workspace_id = ${workspaceId} AND id = ${id} AND status IN ('queued', 'running') FOR UPDATE`.execute(
      db,
    )
  return rows.length === 1
}

const open = sql`status IN ('awaiting_approval', 'queued', 'running')`

/** What waits or runs for one site. */
export async function listOpenJobsOf({ db, workspaceId }: Db, siteId: string): Promise<Pick<ClaimedJob, 'type' | 'input'>[]> {
  const { rows } = await sql<Pick<ClaimedJob, 'type' | 'input'>>`SELECT type, input FROM jobs
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND ${open}`.execute(db)
  return rows
}

/** The types of the jobs that may have changed the site since then: that run, began, or ended on the way. A job that was at work before and is done has told what it did. */
export async function changingJobsSince(
  { db, workspaceId }: Db,
  siteId: string,
  { since, apartFrom }: { since: Date; apartFrom: string[] },
): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`SELECT DISTINCT type FROM jobs WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}
    AND (completed_at IS NULL OR completed_at > ${since}) AND type <> ALL(${apartFrom})
    AND (status = 'running' OR started_at > ${since} OR (status IN ('failed', 'canceled') AND started_at IS NOT NULL))`.execute(db)
  return rows.map(({ type }) => type)
}

/** Of these types, that of a job that is at work on the site, or was at some time since then. Undefined: there is none. */
export async function findAtWork(
  { db, workspaceId }: Db,
  siteId: string,
  { since, types }: { since: Date; types: string[] },
): Promise<string | undefined> {
  const { rows } = await sql<{ type: string }>`SELECT type FROM jobs WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}
    AND (completed_at IS NULL OR completed_at > ${since})
    AND type = ANY(${types}) AND started_at IS NOT NULL AND (status = 'running' OR completed_at IS NOT NULL)
    ORDER BY started_at LIMIT 1`.execute(db)
  return rows[0]?.type
}

/** How many jobs of a type wait or run in the workspace. */
export function countUnderWay({ db, workspaceId }: Db, { type }: { type: string }): Promise<number> {
  return countRows(db, sql`jobs WHERE workspace_id = ${workspaceId} AND type = ${type} AND status IN ('queued', 'running')`)
}

/** Whether a job of this type waits or runs for the site. */
export async function isUnderWay(context: Db, siteId: string, { type }: { type: string }): Promise<boolean> {
  return (await listOpenJobsOf(context, siteId)).some((job) => job.type === type)
}

export async function readStep({ db, workspaceId }: Db, jobId: string, name: string): Promise<unknown> {
  const { rows } = await sql<{
    state: unknown
  }>`SELECT state FROM job_steps WHERE (workspace_id, job_id, name) = (${workspaceId}, ${jobId}, ${name})`.execute(db)
  return rows[0]?.state ?? undefined
}

/** Writes a step only while this attempt holds the job. */
export async function writeStep(
  { db, workspaceId }: Db,
  job: { id: string; fence: number },
  name: string,
  step: { state?: unknown; finished?: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO job_steps (workspace_id, job_id, name, state, finished_at)
    SELECT workspace_id, id, ${name}, ${text(step.state)}::jsonb, ${step.finished ?? null}::timestamptz FROM jobs
    WHERE workspace_id = ${workspaceId} AND id = ${job.id} AND fence = ${job.fence} AND status = 'running' FOR SHARE
    ON CONFLICT (workspace_id, job_id, name) DO UPDATE
      SET state = coalesce(excluded.state, job_steps.state), finished_at = coalesce(excluded.finished_at, job_steps.finished_at)`.execute(
    db,
  )
  return numAffectedRows === 1n
}
