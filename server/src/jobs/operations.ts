import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Job, JobId, JobOutcome, JobStatus } from './schema.ts'
import { cancelJob, pageOfJobs, waitForJob } from './service.ts'

export const get = workspaceOperation({
  name: 'jobs.get',
  tool: 'get_job',
  http: 'GET /jobs/{job_id}',
  title: 'Read one job',
  summary: 'How one backup, restore or update is doing: status, phase, progress, result or error.',
  guidance: 'wait_seconds saves polls.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  lingers: true,
  hasBrief: true,
  input: z.strictObject({
    job_id: JobId,
    wait_seconds: z.int().min(0).max(25).default(0).describe('Answer when it ends, or after so many seconds.'),
  }),
  output: Job,
  example: { job_id: 'job_01k0000000000000000000000a' },
  handle: (context, { job_id, wait_seconds }) => waitForJob(context, job_id, wait_seconds),
})

export const list = siteFilterOperation({
  name: 'jobs.list',
  tool: 'list_jobs',
  http: 'GET /jobs',
  title: 'List jobs',
  summary: 'Recent backups, restores and updates, newest first.',
  scope: 'read',
  effect: 'read',
  list: 'jobs',
  columns: ['created_at', 'type', 'site', 'status', 'outcome', 'summary', 'error.message', 'progress', 'site_id', 'id'],
  brief: ['id', 'type', 'site_id', 'site', 'status', 'outcome', 'summary', 'phase', 'progress', 'created_at', 'completed_at', 'error'],
  briefLimit: 20,
  input: z.strictObject({
    site_id: SiteId.optional(),
    type: z.string().optional().describe('E.g. update, rollout.'),
    status: JobStatus.optional().describe('In this state.'),
    outcome: JobOutcome.optional().describe('With this outcome.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('jobs', Job),
  example: { status: 'running' },
  handle: (context, { type, status, outcome, limit, cursor }) =>
    pageOfJobs(context, { type, status, outcome, siteId: context.site?.id }, { limit, cursor }),
})

export const cancel = workspaceOperation({
  name: 'jobs.cancel',
  tool: 'cancel_job',
  http: 'POST /jobs/{job_id}/cancel',
  title: 'Cancel a job',
  summary: 'Stop a job that waits or runs; what it had begun is cleaned up.',
  seesOwn: true,
  scope: 'write',
  effect: 'change',
  policy: 'cancellations',
  idempotent: true,
  // Whoever asks for an approval takes it back alone.
  direct: ({ job_id }) => job_id.startsWith('apr_'),
  input: z.strictObject({ job_id: JobId }),
  output: Job,
  example: { job_id: 'job_01k0000000000000000000000a' },
  handle: (context, { job_id }) => cancelJob(context, context.jobKinds, job_id),
})
