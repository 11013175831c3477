import { findJob } from '../jobs/list-store.ts'
import type { Job } from '../jobs/schema.ts'
import { type Page, pageOf, type Wanted } from '../kernel/cursor.ts'
import type { Followed } from '../kernel/job.ts'
import type { Context, DatedDb } from '../world.ts'
import type { Approval, ApprovalSummary } from './schema.ts'
import { type ApprovalFilter, countApprovals, endOverdue, findApproval, listApprovals, onlySite, type Row } from './store.ts'
import { whatBecame } from './words.ts'

const mostSites = 5

function summaryOf(row: Row): ApprovalSummary {
  const { id, status, operation, title, requested_by, face, reason, site_ids, plan_digest, ...rest } = row
  const { created_at, expires_at, decided_by, decided_at, note, dispatched_at, job_id, ended_reason, policy, all_waves } = rest
  return {
    ...{ id, status, operation, title: title, requested_by, via: face },
    reason: reason === null ? null : { untrusted: true, text: reason },
    ...{ sites: site_ids.length, site_ids: site_ids.slice(0, mostSites), plan_digest },
    ...{ created_at: timeOf(created_at), expires_at: timeOf(expires_at), decided_by, decided_at: decided_at && timeOf(decided_at) },
    ...{ policy, all_waves, note, dispatched_at: dispatched_at && timeOf(dispatched_at), job_id, ended_reason },
  }
}

const timeOf = (at: Date) => new Date(at).toISOString()

export function approvalOf(row: Row): Approval {
  const { shown_input, plan, answer, site_ids } = row
  return {
    ...summaryOf(row),
    site_ids,
    input: { untrusted: true, values: shown_input },
    plan: plan && { untrusted: true, answer: plan },
    answer,
  }
}

export async function pageOfApprovals(context: Context, asked: ApprovalFilter, wanted: Wanted) {
  const filter = ownOnly(context, asked)
  const listing = { list: 'approvals', workspaceId: context.workspaceId, filter }
  const { items, cursorAfter, ...page } = await pageOf(listing, wanted, {
    items: (part) => listApprovals(context, filter, part),
    total: () => countApprovals(context, filter),
    at: ({ id }) => [id],
  })
  return { approvals: items.map((row) => summaryOf(row)), ...page, cursorAfter }
}

/** Who does not see all sites sees his own requests. */
const ownOnly = ({ caller }: Context, filter: ApprovalFilter): ApprovalFilter => ({ ...filter, ...(caller.sees && { own: caller.id }) })

/** Writes down what time did to approvals. */
export const expire = ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> => endOverdue(db, now())

/** An approval as get_job tells of it: while it waits, and then the work that it led to. */
export async function asJob(context: Context, id: string): Promise<Job | undefined> {
  const row = await findApproval(context, id)
  if (!row) return undefined
  const work = row.job_id === null ? undefined : await workOf(context, row.job_id)
  return work ? { ...work, approved_by: row.decided_by } : jobOf(row)
}

/** Those that wait, as list_jobs tells of them. */
export async function pageOfWaiting(context: Context, siteId: string | undefined, wanted: Wanted): Promise<Page<Job>> {
  const filter = ownOnly(context, { status: 'pending', siteId })
  const listing = { list: 'jobs', workspaceId: context.workspaceId, filter: { status: 'awaiting_approval', siteId } }
  const page = await pageOf(listing, wanted, {
    items: (part) => listApprovals(context, filter, part),
    total: () => countApprovals(context, filter),
    at: ({ id }) => [id],
  })
  return { ...page, items: page.items.map(jobOf) }
}

function jobOf(row: Row): Job {
  const { id, status, created_at, decided_at, dispatched_at, requested_by, decided_by, site, operation } = row
  const open = status === 'pending' || status === 'approved'
  return {
    ...{ id, job_id: id, type: 'approval', site_id: onlySite(row), site },
    status: open ? 'awaiting_approval' : status === 'dispatched' ? 'completed' : 'canceled',
    ...{ outcome: status === 'dispatched' ? 'done' : null, summary: whatBecame(row), progress: null, attempt: 0 },
    phase: status === 'pending' ? 'waits for approval' : status,
    ...{ created_at: timeOf(created_at), started_at: dispatched_at && timeOf(dispatched_at) },
    ...{ completed_at: open ? null : decided_at && timeOf(decided_at), requested_by, approved_by: decided_by },
    ...{ input: { operation, ...row.shown_input }, result: row.answer, error: null, next_steps: [], steps: [] },
  }
}

async function workOf(context: Context, id: string): Promise<Job | undefined> {
  const other: Followed<Context> | undefined = context.followed.get(id.slice(0, id.indexOf('_')))
  return ((await other?.find(context, id)) as Job | undefined) ?? (await findJob(context, id))
}

/** What an approval was given for: what the work it led to holds itself to. Undefined: that site is in none. */
export async function boundTo(here: DatedDb, id: string): Promise<unknown> {
  return ((await findApproval(here, id))?.bound as { what?: unknown } | undefined)?.what
}
