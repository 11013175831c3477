import { z } from 'zod'
import { OUTCOMES } from '../kernel/job.ts'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'

/** Work that outlives the request that asked for it: a backup, an update, a first connection. */
export const JobId = z
  .string()
  .regex(/^(?:job|rollout|apr)_[0-9a-z]{26}$/, 'Not a job id; they look like job_….')
  .describe('Its job_id.')

export const JobStatus = z.enum(['awaiting_approval', 'queued', 'running', 'completed', 'failed', 'canceled'])
export type JobStatus = z.infer<typeof JobStatus>

/** What became of the work. */
export const JobOutcome = z.enum(OUTCOMES)

const Progress = z.object({
  percent: z.int().nullable().describe('0 to 100; null: not known yet.'),
  done: z.number(),
  total: z.number().describe('0: not known yet.'),
  unit: z.string(),
  bytes: z.number().optional(),
})

export const RequestedBy = z.object({ type: z.enum(['user', 'token', 'system']), id: z.string(), name: z.string() })

/** Why work failed. */
export const JobError = z.object({
  code: z.string(),
  message: z.string(),
  next: z.string().optional().describe('What to do about it; missing where an earlier version wrote it.'),
  retryable: z.boolean(),
  site_said: SiteSaid.optional(),
})

export const Job = z.object({
  id: z.string(),
  job_id: z.string().describe('The same as id.'),
  type: z.string().describe('backup, update, connect …'),
  site_id: z.string().nullable(),
  site: z.string().nullable().describe('Its domain. null: it is of no site, or of one that the caller does not see.'),
  status: JobStatus,
  outcome: JobOutcome.nullable().describe(
    'partly: not of all that was asked for. taken_back: it went wrong, and the site is as it was before. null: it has not ended, or was canceled.',
  ),
  summary: z.string().nullable().describe('The outcome in one sentence.'),
  phase: z.string().nullable(),
  progress: Progress.nullable(),
  attempt: z.int(),
  created_at: Time,
  started_at: Time.nullable(),
  completed_at: Time.nullable(),
  requested_by: RequestedBy,
  approved_by: RequestedBy.nullable(),
  input: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: JobError.nullable(),
  next_steps: z
    .array(z.object({ why: z.string(), tool: z.string(), input: z.record(z.string(), z.unknown()) }))
    .nullable()
    .describe('What may be done about how it ended, each as a call of a tool. null: in a list; get_job (GET /jobs/{job_id}) tells.'),
  steps: z.array(z.object({ name: z.string().describe('May hold names given by the site.'), finished_at: Time.nullable() })),
})
export type Job = z.infer<typeof Job>

/** The answer of every operation that starts work. */
export const JobStarted = z.object({
  job_id: z.string(),
  status: JobStatus,
  poll_after_s: z.int().describe('Look again after this many seconds.'),
  next: z.literal('get_job').describe('What to call next.'),
})
