import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'

/** One line of what happened to a site: by the service (event), or told to it (maintenance). */
export const Category = z.enum(['maintenance', 'update', 'fix', 'security', 'performance', 'content', 'backup', 'other'])
export type Category = z.infer<typeof Category>

/** Which entries: those that client reports show, those they do not, or internal ones of agents of which nobody has said yet. */
export const Shown = z.enum(['in_reports', 'internal', 'to_review'])
export type Shown = z.infer<typeof Shown>

/** Of so many entries, the latest that are meant otherwise, the words are looked for. */
export const mostSearched = 20_000

export const ActivityId = z.string().regex(/^act_[0-9a-z]{26}$/, 'Not an entry’s id; they look like act_….')

export const Activity = z.object({
  id: z.string(),
  site_id: z.string().nullable(),
  site_name: z.string().nullable(),
  kind: z.enum(['event', 'maintenance']),
  category: Category,
  summary: z.string(),
  notes: z.string().nullable(),
  performed_at: Time,
  performed_by: z.string().nullable(),
  internal: z.boolean().describe('true: kept out of client reports.'),
  in_reports: z.boolean(),
  actor: z.object({ type: z.enum(['user', 'token', 'system', 'site']), id: z.string(), name: z.string() }),
  source: z.enum(['dashboard', 'api', 'mcp', 'system']),
  job_id: z.string().nullable(),
  created_at: Time,
})
export type Activity = z.infer<typeof Activity>

export const Counts = z.array(z.object({ performed_by: z.string().nullable(), category: Category, entries: z.int(), sites: z.int() }))
export type Counts = z.infer<typeof Counts>

// All control characters but tab, carriage return and line feed, which have their own rules.
const controls = /[^\P{Cc}\t\r\n]/u
const breaks = /[\r\n\u2028\u2029\u0085]/

/** Characters, not UTF-16 units. */
const atMost = (most: number) => [(text: string) => [...text].length <= most, `At most ${most} characters.`] as const

export const Summary = z
  .string()
  .trim()
  .min(1, 'Must not be empty.')
  .max(800, 'At most 200 characters.')
  .refine(...atMost(200))
  .refine((text) => !breaks.test(text), 'Must be one line.')
  .refine((text) => !controls.test(text) && !text.includes('\t'), 'Must not contain control characters.')
  .describe('One line, at most 200 characters; the client reads it.')

export const Notes = z
  .string()
  .max(8000, 'At most 2000 characters.')
  .refine(...atMost(2000))
  .refine((text) => !controls.test(text), 'Must not contain control characters.')
  .describe('For colleagues alone, at most 2,000 characters.')
