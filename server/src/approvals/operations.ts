import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { approve as approveIt, cancel as cancelIt, deny as denyIt, getApproval } from './decide.ts'
import { Approval, ApprovalId, ApprovalStatus, ApprovalSummary } from './schema.ts'
import { approvalOf, pageOfApprovals } from './service.ts'

const note = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((text) => !/[^\P{Cc}\n]/u.test(text), 'Must not contain control characters.')
  .optional()
  .describe('A word to whoever asked, at most 500 characters.')

const example = { approval_id: 'apr_01k0000000000000000000000a' }

export const list = siteFilterOperation({
  name: 'approvals.list',
  http: 'GET /approvals',
  title: 'List approvals',
  summary: 'What agents asked for that a person decides, newest first.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  list: 'approvals',
  columns: ['created_at', 'status', 'title', 'sites', 'requested_by.name', 'expires_at', 'decided_by.name', 'id'],
  input: z.strictObject({
    status: ApprovalStatus.optional().describe('Only these; pending: nobody has decided.'),
    by: z.string().min(1).max(200).optional().describe('Only what this one asked for: the id or the name of a token.'),
    site_id: SiteId.optional(),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('approvals', ApprovalSummary),
  example: { status: 'pending' },
  handle: (context, { status, by, limit, cursor }) => pageOfApprovals(context, { status, by, siteId: context.site?.id }, { limit, cursor }),
})

export const get = workspaceOperation({
  name: 'approvals.get',
  http: 'GET /approvals/{approval_id}',
  title: 'Read one approval',
  summary: 'What an agent asked for: exactly what would be done, on which sites, from which version to which, and what became of it.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ approval_id: ApprovalId }),
  output: Approval,
  example,
  handle: async (context, { approval_id }) => approvalOf(await getApproval(context, approval_id)),
})

export const approve = workspaceOperation({
  name: 'approvals.approve',
  http: 'POST /approvals/{approval_id}/approve',
  title: 'Approve a request',
  summary: 'Have done what an agent asked for, exactly as it is shown; refused where it would be something else by now.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  waits: true,
  input: z.strictObject({
    approval_id: ApprovalId,
    plan_digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'Must be the plan_digest of the approval.')
      .optional()
      .describe('That of what was looked at, so that nothing else is approved.'),
    allow_all_waves: z
      .boolean()
      .default(false)
      .describe('Of an update in waves: let all of them go. Without it each further wave is asked for again.'),
    note,
  }),
  output: Approval,
  example,
  handle: async (context, { approval_id, ...said }) => approvalOf(await approveIt(context, approval_id, said)),
})

export const deny = workspaceOperation({
  name: 'approvals.deny',
  http: 'POST /approvals/{approval_id}/deny',
  title: 'Decline a request',
  summary: 'Decline what an agent asked for; nothing is done.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({ approval_id: ApprovalId, note }),
  output: Approval,
  example,
  handle: async (context, { approval_id, ...said }) => approvalOf(await denyIt(context, approval_id, said)),
})

export const cancel = workspaceOperation({
  name: 'approvals.cancel',
  http: 'POST /approvals/{approval_id}/cancel',
  title: 'Take a request back',
  summary: 'Take back what this token asked for and nobody has decided; cancel_job with the approval_id does the same.',
  seesOwn: true,
  scope: 'write',
  effect: 'change',
  idempotent: true,
  direct: true,
  input: z.strictObject({ approval_id: ApprovalId }),
  output: Approval,
  example,
  handle: async (context, { approval_id }) => approvalOf(await cancelIt(context, approval_id)),
})
