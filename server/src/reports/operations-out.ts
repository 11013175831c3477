// How reports leave the house: as PDF, by private links and by mail; and whose they seem to be.
import { z } from 'zod'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { readHouse, setHouse } from './appearance.ts'
import { createLink, endLink } from './links.ts'
import { countRecipients, planSending, planTest, previewMail, sendReport, testMail } from './mails.ts'
import { pdfOf } from './pdf.ts'
import { LinkId, NewSettings, ReportId, Settings } from './schema.ts'
import { getReport } from './service.ts'

const anyId = { report_id: 'report_01k0000000000000000000000a' }
const one = z.strictObject({ report_id: ReportId })

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
const dry_run = z.boolean().default(false).describe('true: only the mail, and to whom.')
/** What an approval is given for: these words and no others. */
const words = z.object({ subject: z.string(), text: z.string() }).optional().describe('Of a dry run: the mail, its link left out.')

export const send = workspaceOperation({
  name: 'reports.send',
  http: 'POST /reports/{report_id}/mails',
  title: 'Send a report by mail',
  summary: 'Send a published report to the client’s recipients, or to these addresses, each with a private link of its own.',
  scope: 'write',
  effect: 'create',
  policy: 'reports',
  status: 201,
  cost: { ...mails, takes: (context, { report_id, to, dry_run }) => (dry_run ? 0 : to ? to.length : countRecipients(context, report_id)) },
  input: z.strictObject({
    report_id: ReportId,
    to: z.array(z.email().max(254)).min(1).max(20).optional().describe('Instead of the recipients of the client.'),
    days: z.int().min(1).max(400).default(90).describe('How long the links lead there.'),
    dry_run,
  }),
  output: z.object({ id: z.string(), to: z.array(z.string()), mail: words }),
  example: anyId,
  handle: (context, { report_id, dry_run, ...how }) => (dry_run ? planSending : sendReport)(context, report_id, how),
})

export const testSend = workspaceOperation({
  name: 'reports.test_mail',
  http: 'POST /reports/{report_id}/mails/test',
  title: 'Try the mail',
  summary: 'Send the mail of a report, a draft too, to one address now, without a link, and tell whether the mail server took it.',
  scope: 'write',
  effect: 'create',
  policy: 'reports',
  status: 200,
  waits: true,
  cost: { ...mails, takes: (context, { report_id, dry_run }) => getReport(context, report_id).then(() => (dry_run ? 0 : 1)) },
  input: z.strictObject({ report_id: ReportId, to: z.email().max(254).describe('Your own address.'), dry_run }),
  output: z.object({ ok: z.boolean(), error: z.string().nullable(), mail: words }),
  example: { ...anyId, to: 'me@example.com' },
  handle: (context, { report_id, to, dry_run }) => (dry_run ? planTest(context, report_id) : testMail(context, report_id, to)),
})

export const link = workspaceOperation({
  name: 'reports.link',
  http: 'POST /reports/{report_id}/links',
  title: 'Make a private link',
  summary: 'Make an address that shows a published report to whoever has it, until it expires or is revoked; told once.',
  scope: 'write',
  effect: 'create',
  policy: 'reports',
  status: 201,
  secret: true,
  input: z.strictObject({ report_id: ReportId, days: z.int().min(1).max(400).default(90).describe('How long it leads there.') }),
  output: z.object({ id: z.string(), url: z.string().describe('Shown only now.'), expires_at: z.string().meta({ format: 'date-time' }) }),
  example: { ...anyId, days: 30 },
  handle: (context, { report_id, days }) => createLink(context, report_id, days),
})

export const revokeLink = workspaceOperation({
  name: 'reports.revoke_link',
  http: 'DELETE /reports/{report_id}/links/{report_link_id}',
  title: 'Revoke a private link',
  summary: 'Have a link lead nowhere from now on.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: z.strictObject({ report_id: ReportId, report_link_id: LinkId }),
  output: z.object({ id: z.string(), status: z.literal('revoked') }),
  example: { ...anyId, report_link_id: 'reportlink_01k0000000000000000000000a' },
  handle: (context, { report_id, report_link_id }) => endLink(context, report_id, report_link_id),
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
