import { z } from 'zod'
import { Cursor, limit, Moment, page, Since, Until } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Activity, ActivityId, Category, Counts, Notes, Shown, Summary } from './schema.ts'
import { logActivity, pageOfActivity, showActivity } from './service.ts'

export const list = siteFilterOperation({
  name: 'activity.list',
  tool: 'get_activity',
  http: ['GET /activity', 'GET /sites/{site_id}/activity'],
  title: 'Recent activity',
  summary: 'What was done lately, everywhere or on one site: backups, updates, logins, maintenance.',
  scope: 'read',
  effect: 'read',
  list: 'activity',
  columns: ['performed_at', 'summary', 'site_name', 'category', 'performed_by', 'notes', 'job_id', 'id'],
  brief: ['id', 'site_id', 'site_name', 'kind', 'category', 'summary', 'performed_at', 'performed_by', 'internal', 'job_id'],
  briefWhere: ['notes'],
  briefLimit: 30,
  input: z.strictObject({
    site_id: SiteId.optional(),
    category: Category.optional().describe('Of this kind.'),
    tag: z.string().min(1).max(100).optional().describe('With this tag.'),
    client: z.string().min(1).max(200).optional().describe('Of this client.'),
    by: z.string().min(1).max(200).optional().describe('A token or person.'),
    q: z.string().min(1).max(200).optional().describe('Words in them.'),
    shown: Shown.optional().describe('Only such.'),
    since: Since,
    until: Until,
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: z.object({
    counts: Counts.nullable().describe(
      'Who did how much of what is meant, the first twenty. null: this is a later page, or there are more than 10,000 entries.',
    ),
    ...page('activity', Activity).shape,
  }),
  example: { since: '2026-11-01', category: 'update' },
  handle: (context, { site_id: _, limit, cursor, ...wanted }) =>
    pageOfActivity(context, { siteId: context.site?.id, ...wanted }, { limit, cursor }),
})

export const log = siteOperation({
  name: 'activity.log',
  tool: 'log_activity',
  http: 'POST /sites/{site_id}/activity',
  title: 'Log maintenance',
  summary: 'Record maintenance done on a site outside this service. A record only: the site is not touched.',
  guidance: 'What is done here logs itself.',
  scope: 'write',
  effect: 'create',
  status: 201,
  direct: true,
  input: z.strictObject({
    site_id: SiteId,
    summary: Summary,
    notes: Notes.optional(),
    category: Category.default('maintenance').describe('What kind.'),
    performed_at: Moment.optional().describe('ISO 8601; now if not given, at most 180 days ago.'),
    performed_by: z.string().trim().min(1).max(100).optional().describe('Who, where several share a token.'),
    internal: z.boolean().default(false).describe('Not in client reports.'),
  }),
  output: Activity,
  example: { site_id: 'example.com', summary: 'Replaced the contact form plugin', category: 'maintenance' },
  handle: (context, { site_id, ...entry }) => logActivity(context, site_id, entry),
})

export const show = workspaceOperation({
  name: 'activity.show',
  http: 'POST /activity/{activity_id}/reports',
  title: 'Show in reports',
  summary: 'Say whether client reports show an entry; how agents’ entries are reviewed.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({ activity_id: ActivityId, in_reports: z.boolean() }),
  output: Activity,
  example: { activity_id: 'act_01k0000000000000000000000a', in_reports: true },
  handle: (context, { activity_id, in_reports }) => showActivity(context, activity_id, in_reports),
})
