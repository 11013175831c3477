import { z } from 'zod'
import { languages } from '../kernel/languages.ts'
import { Time, TimeZone } from '../kernel/shapes.ts'

/** Whose sites these are, and how the reports for him look. A site's `client` is the name of one. */
export const ClientRef = z.string().trim().min(1).max(300).describe('Its id or name.')

const ofOneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, 'Must be one line without control characters.')

export const ClientName = ofOneLine(200)

/** The parts of a report, in the order in which they stand there. */
export const sections = ['state', 'timeline', 'work', 'updates', 'backups', 'uptime', 'performance', 'security', 'links'] as const
export const Section = z.enum(sections)
export type Section = z.infer<typeof Section>

const Colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'Must be a colour like #0b5fb0.')
  .transform((text) => text.toLowerCase())

const Schedule = z.strictObject({
  mode: z.enum(['off', 'draft', 'send']).describe('send: published and mailed by itself, unless somebody discards it before.'),
  day: z.int().min(1).max(28).default(1).describe('Of the month.'),
  hour: z.int().min(0).max(23).default(8).describe("In the client's time zone."),
  wait_days: z.int().min(0).max(14).default(3).describe('Of send: so many days from the draft to the mail, to look at it.'),
})
export type Schedule = z.infer<typeof Schedule>

/** Kilobytes are enough for a logo that prints well. */
const mostLogoBytes = 200 * 1024

/** What people set of a client beside its name. */
export const settings = {
  language: z.enum(languages).describe('Of the reports.'),
  time_zone: TimeZone.describe('By which days and months are told, like Europe/Berlin.'),
  paper: z.enum(['a4', 'letter']).describe('For printing.'),
  colour: Colour.describe('Of headings and charts, like #0b5fb0.'),
  recipients: z.array(z.email().max(254)).max(20).describe('Who gets reports by mail.'),
  hidden: z
    .array(Section)
    .max(sections.length)
    .transform((all) => [...new Set(all)])
    .describe('Sections that new drafts leave out.'),
  shows_names: z.boolean().describe('Whether reports say who did the work; otherwise nobody is named.'),
  schedule: Schedule.describe(
    'When a report of the month before comes by itself: mode (off, draft, send), day, hour in its time zone, wait_days from draft to mail.',
  ),
}
const { schedule, ...others } = settings

/** PNG or JPEG in base64; judged by what the bytes are. */
export const Logo = z
  .base64()
  .max(Math.ceil((mostLogoBytes * 4) / 3) + 4, 'At most 200 KB.')
  .describe('PNG or JPEG in base64, at most 200 KB; an empty text: none.')

export const Client = z.object({
  id: z.string(),
  name: z.string(),
  sites: z.int().describe('How many are its own.'),
  ...others,
  colour: z.string(),
  time_zone: z.string(),
  language: z.string(),
  hidden: z.array(Section),
  recipients: z.array(z.string()),
  schedule: schedule.extend({ next_at: Time.nullable().describe('When the next draft comes.') }),
  logo: z.object({ type: z.string(), bytes: z.int() }).nullable(),
  created_at: Time,
  updated_at: Time,
})
export type Client = z.infer<typeof Client>
