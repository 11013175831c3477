import { z } from 'zod'
import { mostCounted } from './cursor.ts'

/** RFC 3339 in UTC with `Z`. Rows give Dates or text; what leaves is always text. */
export const Time = z.preprocess((value) => (value instanceof Date ? value.toISOString() : value), z.string().meta({ format: 'date-time' }))

const dayMs = 86_400_000
const isDay = (text: string) => text.length === 10
/** ISO 8601: a day, or a time with or without seconds and zone. */
const written = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i

/** A time, or the beginning of a day. What has no zone is in UTC. */
function momentOf(text: string): Date | undefined {
  const [, day = '', zone] = written.exec(text) ?? []
  const at = new Date(isDay(text) || zone ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`)
  return z.iso.date().safeParse(day).success && !Number.isNaN(at.getTime()) ? at : undefined
}

/** What was understood of a time that was written without a zone; undefined: there was nothing to understand. */
export function assumedOf(name: string, given: unknown, read: unknown): string | undefined {
  if (typeof given !== 'string' || !(read instanceof Date) || written.exec(given)?.[2] !== undefined) return undefined
  return `${name} ${given} has no time zone and was taken as UTC.`
}

const moment = z.string().refine((text) => momentOf(text) !== undefined, 'Must be a day, 2026-11-20, or a time, 2026-11-20T09:30:00Z.')

/** A time, or the beginning of a day; without a zone in UTC. */
export const Moment = moment.transform((text) => momentOf(text) as Date)

/** From when on. */
export const Since = Moment.optional().describe('From that day or time.')

/** Until when: before a time, or to the end of a day. */
export const Until = moment
  .transform((text) => new Date((momentOf(text) as Date).getTime() + (isDay(text) ? dayMs : 0)))
  .optional()
  .describe('To the end of that day, or that time.')

/** As whose days and hours something is told or happens. */
export const TimeZone = z.string().max(60).refine(isTimeZone, 'Must be a time zone of the IANA database, like Europe/Berlin.')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** How many items to answer; more than `most` is cut to `most`, anything but a positive whole number is refused. */
export const limit = (most: number, usual: number) =>
  asked(most)
    .default(usual)
    .transform((n) => Math.min(n, most))

/** The same, where no limit means all of it. */
export const anyLimit = (most: number) =>
  asked(most)
    .optional()
    .transform((n) => (n === undefined ? undefined : Math.min(n, most)))

const asked = (most: number) =>
  z.int('Must be a whole number from 1.').min(1, 'Must be a whole number from 1.').describe(`At most ${most}.`)

/** Text that is one of these. A long list is told when it is not met, not in every description. */
export const oneOf = (known: readonly string[]) => z.string().refine((text) => known.includes(text), `Must be one of ${known.join(', ')}.`)

/** Characters. */
export const longestCursor = 200
/** Where the next page begins; an opaque piece of text from an earlier answer. */
export const Cursor = z.string().max(longestCursor).optional().describe('From next_cursor.')

/** The envelope of every list: agents see it whole, REST sends the items bare and the rest as headers. */
export const page = <Key extends string, Item extends z.ZodType>(key: Key, item: Item) =>
  z.object({
    [key]: z.array(item),
    total: z.int().describe(`How many there are in all; ${mostCounted}: more than ${mostCounted - 1}.`),
    limit: z.int().nullable(),
    next_cursor: z.string().nullable().describe('Pass it as cursor for the next page; null at the end.'),
  } as { [K in Key]: z.ZodArray<Item> } & { total: z.ZodInt; limit: z.ZodNullable<z.ZodInt>; next_cursor: z.ZodNullable<z.ZodString> })
