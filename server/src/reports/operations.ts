import { z } from 'zod'
import { ClientRef } from '../clients/schema.ts'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { createLink, endLink } from './links.ts'
import { readHouse, setHouse } from './look.ts'
import { countRecipients, previewMail, sendReport, testMail } from './mails.ts'
import { pdfOf } from './pdf.ts'
import { LinkId, Month, NewSettings, NoteText, Place, Report, ReportId, Settings, WholeReport } from './schema.ts'
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
  columns: ['period_from', 'client_name', 'status', 'version', 'published_at', 'period_to', 'send_at', 'id'],
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
  idempotent: true,
  input: z.strictObject({
    report_id: ReportId,
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'Not a digest; reports.get tells it.')
      .optional()
      .describe('What was read, by reports.get: nothing else is published.'),
  }),
  output: WholeReport,
  example: anyId,
  handle: (context, { report_id, digest }) => service.publishReport(context, report_id, digest),
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
    why: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .regex(/^\P{Cc}*$/u, 'Must be one line without control characters.')
      .describe('What is otherwise; the client reads it.'),
  }),
  output: WholeReport,
  example: { ...anyId, why: 'The outage of 3 October was announced maintenance.' },
  handle: (context, { report_id, why }) => service.correctReport(context, report_id, why),
})

export const discard = workspaceOperation({
  name: 'reports.discard',
  http: 'DELETE /reports/{report_id}',
  title: 'Discard a draft',
  summary: 'Throw a draft away with its notes; what was published stays.',
  scope: 'write',
  effect: 'destroy',
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

export const pdf = workspaceOperation({
  name: 'reports.pdf',
  http: 'GET /reports/{report_id}/pdf',
  title: 'Download a report as PDF',
  summary: 'The page printed by the browser that the operator has set (SERVICE_CHROMIUM); without one, print the page from yours.',
  scope: 'read',
  effect: 'read',
  bytes: true,
  lingers: true,
  input: one,
  output: z.unknown(),
  example: anyId,
  handle: (context, { report_id }) => pdfOf(context, report_id),
})

export const mail = workspaceOperation({
  name: 'reports.mail',
  http: 'GET /reports/{report_id}/mail',
  title: 'Look at the mail',
  summary: 'The mail that would bring this report, and to whom; the link is made when it is sent.',
  scope: 'read',
  effect: 'read',
  input: one,
  output: z.object({
    from: z.string(),
    reply_to: z.string().nullable(),
    to: z.array(z.string()),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
  }),
  example: anyId,
  handle: (context, { report_id }) => previewMail(context, report_id),
})

const mails = { budget: 'report_mails' as const }

export const send = workspaceOperation({
  name: 'reports.send',
  http: 'POST /reports/{report_id}/mails',
  title: 'Send a report by mail',
  summary: 'Send a published report to the client’s recipients, or to these addresses, each with a private link of its own.',
  scope: 'write',
  effect: 'create',
  status: 201,
  cost: { ...mails, takes: (context, { report_id, to }) => (to ? to.length : countRecipients(context, report_id)) },
  input: z.strictObject({
    report_id: ReportId,
    to: z.array(z.email().max(254)).min(1).max(20).optional().describe('Instead of the recipients of the client.'),
    days: z.int().min(1).max(400).default(90).describe('How long the links lead there.'),
  }),
  output: z.object({ id: z.string(), to: z.array(z.string()) }),
  example: anyId,
  handle: (context, { report_id, ...how }) => sendReport(context, report_id, how),
})

export const testSend = workspaceOperation({
  name: 'reports.test_mail',
  http: 'POST /reports/{report_id}/mails/test',
  title: 'Try the mail',
  summary: 'Send the mail of a report, a draft too, to one address now, without a link, and tell whether the mail server took it.',
  scope: 'write',
  effect: 'create',
  status: 200,
  waits: true,
  cost: { ...mails, takes: () => 1 },
  input: z.strictObject({ report_id: ReportId, to: z.email().max(254).describe('Your own address.') }),
  output: z.object({ ok: z.boolean(), error: z.string().nullable() }),
  example: { ...anyId, to: 'me@example.com' },
  handle: (context, { report_id, to }) => testMail(context, report_id, to),
})

export const link = workspaceOperation({
  name: 'reports.link',
  http: 'POST /reports/{report_id}/links',
  title: 'Make a private link',
  summary: 'Make an address that shows a published report to whoever has it, until it expires or is revoked; told once.',
  scope: 'write',
  effect: 'create',
  status: 201,
  secret: true,
  input: z.strictObject({ report_id: ReportId, days: z.int().min(1).max(400).default(90).describe('How long it leads there.') }),
  output: z.object({ id: z.string(), url: z.string().describe('Shown only now.'), expires_at: z.string().meta({ format: 'date-time' }) }),
  example: { ...anyId, days: 30 },
  handle: (context, { report_id, days }) => createLink(context, report_id, days),
})

export const revokeLink = workspaceOperation({
  name: 'reports.revoke_link',
  http: 'DELETE /reports/{report_id}/links/{link_id}',
  title: 'Revoke a private link',
  summary: 'Have a link lead nowhere from now on.',
  scope: 'write',
  effect: 'destroy',
  input: z.strictObject({ report_id: ReportId, link_id: LinkId }),
  output: z.object({ id: z.string(), status: z.literal('revoked') }),
  example: { ...anyId, link_id: 'reportlink_01k0000000000000000000000a' },
  handle: (context, { report_id, link_id }) => endLink(context, report_id, link_id),
})

export const settings = workspaceOperation({
  name: 'reports.settings',
  http: 'GET /report-settings',
  title: 'Whose reports these are',
  summary: 'Who reports say they come from, where answers go, and what links begin with.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({}),
  output: Settings,
  example: {},
  handle: (context) => readHouse(context),
})

export const setSettings = workspaceOperation({
  name: 'reports.set_settings',
  http: 'POST /report-settings',
  title: 'Say whose reports these are',
  summary:
    'Set who reports say they come from, where answers go, and what links begin with; what is left out stays, an empty text is as usual.',
  scope: 'manage', // whoever says where links lead says where clients go
  effect: 'change',
  idempotent: true,
  input: NewSettings,
  output: Settings,
  example: { sender: 'Example Agency', link_base: 'https://reports.example.com' },
  handle: (context, given) => setHouse(context, given),
})
