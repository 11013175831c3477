import { z } from 'zod'
import { ClientRef } from '../clients/schema.ts'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Month, NoteText, Place, Report, ReportId, WholeReport } from './schema.ts'
import * as service from './service.ts'

const anyId = { report_id: 'report_01k0000000000000000000000a' }
const one = z.strictObject({ report_id: ReportId })
const day = z.iso.date('Must be a day like 2026-10-31.').optional()

export const list = workspaceOperation({
  name: 'reports.list',
  http: 'GET /reports',
  title: 'List reports',
  summary: 'Drafts and published reports, newest first.',
  scope: 'read',
  effect: 'read',
  list: 'reports',
  columns: ['first_day', 'last_day', 'client_name', 'status', 'version', 'published_at', 'send_at', 'id'],
  input: z.strictObject({
    client_id: ClientRef.optional(),
    status: Report.shape.status.optional().describe('Only these.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('reports', Report),
  example: { status: 'draft' },
  handle: service.pageOfReports,
})

export const get = workspaceOperation({
  name: 'reports.get',
  http: 'GET /reports/{report_id}',
  title: 'Read one report',
  summary: 'One report: how it begins, what it shows and hides, notes, links with their visits. reports.html is the page itself.',
  scope: 'read',
  effect: 'read',
  input: one,
  output: WholeReport,
  example: anyId,
  handle: (context, { report_id }) => service.readReport(context, report_id),
})

export const draft = workspaceOperation({
  name: 'reports.draft',
  http: 'POST /reports',
  title: 'Draft a report',
  summary: 'Draft a report of the sites of a client: of the last whole month, of a month, or of the days that are named. Nobody is told.',
  scope: 'write',
  effect: 'create',
  idempotent: true,
  status: 201,
  direct: true,
  input: z.strictObject({
    client_id: ClientRef,
    month: Month.optional().describe('Like 2026-10; the last whole one if not given.'),
    from: day.describe('The first day, in the client’s time zone.'),
    to: day.describe('The last day.'),
  }),
  output: WholeReport,
  example: { client_id: 'client_01k0000000000000000000000a', month: '2026-10' },
  handle: (context, { client_id, ...period }) => service.draftReport(context, client_id, period),
})

export const refresh = workspaceOperation({
  name: 'reports.refresh',
  http: 'POST /reports/{report_id}/refresh',
  title: 'Refresh a draft',
  summary: 'Make the figures of a draft anew; notes and hidden sections stay.',
  scope: 'write',
  effect: 'change',
  idempotent: true,
  direct: true,
  input: one,
  output: WholeReport,
  example: anyId,
  handle: (context, { report_id }) => service.refreshReport(context, report_id),
})

export const annotate = workspaceOperation({
  name: 'reports.annotate',
  http: 'POST /reports/{report_id}/notes',
  title: 'Annotate a draft',
  summary: 'Note something for the client at the top or at a section of a draft, or hide a section; what is left out stays.',
  scope: 'write',
  effect: 'change',
  idempotent: true,
  direct: true,
  input: z.strictObject({
    report_id: ReportId,
    section: Place.describe('summary: at the top.'),
    note: NoteText.optional(),
    hidden: z.boolean().optional().describe('Whether the section is left out, with all that the beginning tells of it.'),
  }),
  output: WholeReport,
  example: { ...anyId, section: 'updates', note: 'The shop was updated on a Sunday, as you wished.' },
  handle: (context, { report_id, ...annotation }) => service.annotateReport(context, report_id, annotation),
})

export const publish = workspaceOperation({
  name: 'reports.publish',
  http: 'POST /reports/{report_id}/publish',
  title: 'Publish a report',
  summary: 'Freeze a draft: figures, texts and looks stay as they are, whatever changes. Nobody is told; links and mails lead to it then.',
  scope: 'write',
  effect: 'change',
  policy: 'reports',
  idempotent: true,
  input: z.strictObject({
    report_id: ReportId,
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'Not a digest; reports.get tells it.')
      .optional()
      .describe('What was read, by reports.get: nothing else is published.'),
    dry_run: z.boolean().default(false).describe('true: only what would be published.'),
  }),
  output: WholeReport,
  binds: ({ digest }) => ({ digest }),
  example: anyId,
  handle: (context, { report_id, digest, dry_run }) =>
    (dry_run ? service.planPublishing : service.publishReport)(context, report_id, digest),
})

export const correct = workspaceOperation({
  name: 'reports.correct',
  http: 'POST /reports/{report_id}/correction',
  title: 'Correct a report',
  summary: 'Draft a new version of a published report, which says what it corrects; once published, links lead to it.',
  scope: 'write',
  effect: 'create',
  status: 201,
  direct: true,
  input: z.strictObject({
    report_id: ReportId,
    correction: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .regex(/^\P{Cc}*$/u, 'Must be one line without control characters.')
      .describe('What is otherwise; the client reads it.'),
  }),
  output: WholeReport,
  example: { ...anyId, correction: 'The outage of 3 October was announced maintenance.' },
  handle: (context, { report_id, correction }) => service.correctReport(context, report_id, correction),
})

export const discard = workspaceOperation({
  name: 'reports.discard',
  http: 'DELETE /reports/{report_id}',
  title: 'Discard a draft',
  summary: 'Throw a draft away with its notes; what was published stays.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: one,
  output: z.object({ id: z.string(), removed: z.boolean() }),
  example: anyId,
  handle: (context, { report_id }) => service.discardReport(context, report_id),
})

export const html = workspaceOperation({
  name: 'reports.html',
  http: 'GET /reports/{report_id}/html',
  title: 'Read a report as a page',
  summary: 'The report as one HTML page that asks for nothing and runs nothing. Printed, it is the report on paper.',
  scope: 'read',
  effect: 'read',
  bytes: true,
  input: one,
  output: z.unknown(),
  example: anyId,
  handle: (context, { report_id }) => service.htmlOf(context, report_id),
})
