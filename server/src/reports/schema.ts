import { z } from 'zod'
import { Section } from '../clients/schema.ts'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'

/** What a client is told of a month: a draft, which people note things on, and then what was published, which stays as it was. */
export const ReportId = z.string().regex(/^report_[0-9a-z]{26}$/, 'Not a report’s id; they look like report_….')
export const LinkId = z.string().regex(/^reportlink_[0-9a-z]{26}$/, 'Not a link’s id; they look like reportlink_….')

/** Where something can be noted: at the top, or at a section. */
export const Place = z.enum(['summary', ...Section.options])
export type Place = z.infer<typeof Place>

export const Month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Must be a month like 2026-10.')

export const NoteText = z
  .string()
  .trim()
  .max(2000)
  .regex(/^[^\p{Cc}]*(?:[\t\r\n][^\p{Cc}]*)*$/u, 'Must not contain control characters.')
  .describe('In words for the client, at most 2,000 characters; an empty text: none.')

const By = z.object({ type: z.string(), id: z.string(), name: z.string() })

export const Note = z.object({ section: Place, text: z.string(), by: By })
export type Note = z.infer<typeof Note>

export const Link = z.object({
  id: z.string(),
  status: z.enum(['open', 'expired', 'revoked']),
  created_at: Time,
  expires_at: Time,
  visits: z.int(),
  last_visit_at: Time.nullable(),
})
export type Link = z.infer<typeof Link>

export const Mailed = z.object({
  id: z.string(),
  address: z.string(),
  status: z
    .enum(['waiting', 'sent', 'bounced', 'dead'])
    .describe('sent: our mail server took it. bounced: the address was refused for good, or the mail came back later. dead: given up.'),
  error: z.string().nullable(),
  server_said: SiteSaid.nullable().describe('Of what came back: what the mail server said that gave it up.'),
  created_at: Time,
  sent_at: Time.nullable(),
  bounced_at: Time.nullable(),
})
export type Mailed = z.infer<typeof Mailed>

export const Report = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string().describe('Of what is published: as it was called then.'),
  status: z.enum(['draft', 'published']),
  version: z.int(),
  root_id: z.string().describe('Of the first version; a link leads to the newest one that is published.'),
  correction: z.string().nullable().describe('What is otherwise than in the version before.'),
  first_day: z.iso.date().describe('In the time zone of the client, as the report has it.'),
  last_day: z.iso.date(),
  period_from: Time,
  period_to: Time,
  digest: z
    .string()
    .nullable()
    .describe('The SHA-256 of its HTML. Of a draft: as it would be published now, for publish; null in lists, and while it is stale.'),
  send_at: Time.nullable().describe('When it is published and mailed by itself, if nobody discards it.'),
  held_back: z
    .boolean()
    .describe('An agent that needs approval wrote in it, so it is not sent by itself: somebody reads and publishes it.'),
  created_at: Time,
  updated_at: Time,
  published_at: Time.nullable(),
})
export type Report = z.infer<typeof Report>

export const WholeReport = Report.extend({
  sites: z.int(),
  newer: z
    .object({ id: z.string(), version: z.int(), status: Report.shape.status })
    .nullable()
    .describe('The newest version, where that is another; links lead there once it is published.'),
  notes: z.array(Note),
  hidden: z.array(Section).describe('Left out, whatever there would be to tell.'),
  shown: z.array(Section).describe('What it tells: neither hidden nor empty.'),
  summary: z.array(z.string()).describe('How it begins, in the client’s language.'),
  stale: z
    .array(z.string())
    .describe('What in a draft is no longer for this client. While there is any, nobody is shown the draft; reports.refresh mends it.'),
  links: z.array(Link),
  mails: z
    .array(Mailed)
    .describe(
      'To whom it was sent, whether the mail server took it, and what came back, where the operator has that told (SERVICE_MAIL_BOUNCES).',
    ),
})
export type WholeReport = z.infer<typeof WholeReport>

export const Settings = z.object({
  sender: z.string().nullable().describe('Whose reports these are; null: the workspace’s name.'),
  reply_to: z.string().nullable().describe('Where answers to mails go; null: to the address they come from.'),
  link_base: z.string().nullable().describe('What links begin with; null: the address of the service.'),
  mentions_product: z.boolean().describe('Whether reports say what they were made with.'),
  languages: z.array(z.string()).describe('In which reports can be, for language of a client.'),
  prints_pdf: z.boolean().describe('Whether reports.pdf answers; if not, print the page from a browser: that is the same.'),
  sends_mail: z
    .boolean()
    .describe('Whether reports.send can send; if not, the operator has set no mail server, and a private link is the way.'),
})
export type Settings = z.infer<typeof Settings>

const orEmpty = <Text extends z.ZodType>(text: Text) => z.union([z.literal(''), text]).optional()

export const NewSettings = z.strictObject({
  sender: orEmpty(
    z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\p{Cc}<>"]*$/u, 'Must be one line without < > and quotes.'),
  ).describe('Whose reports these are, for people; an empty text: the workspace’s name.'),
  reply_to: orEmpty(z.email().max(254)).describe('Where answers to mails go.'),
  link_base: orEmpty(
    z
      .string()
      .max(200)
      .regex(
        /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/,
        'Must be like https://reports.example.com, in small letters and without a path.',
      ),
  ).describe('What links begin with. This domain must lead to the service.'),
  mentions_product: z.boolean().optional().describe('Whether reports say what they were made with.'),
})
export type NewSettings = z.infer<typeof NewSettings>

/** The same as they hold for one workspace. */
export interface House {
  sender: string
  reply_to: string | null
  link_base: string
  mentions_product: boolean
}
