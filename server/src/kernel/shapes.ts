import { z } from 'zod'
import { mostCounted } from './cursor.ts'

/** RFC 3339 in UTC with `Z`. Rows give Dates or text; what leaves is always text. */
export const Time = z.preprocess((value) => (value instanceof Date ? value.toISOString() : value), z.string().meta({ format: 'date-time' }))

const dayMs = 86_400_000
const isDay = (text: string) => z.iso.date().safeParse(text).success
const moment = z
  .string()
  .refine(
    (text) => isDay(text) || z.iso.datetime({ offset: true }).safeParse(text).success,
    'Must be a day, 2026-11-20, which is one in UTC, or a time with a zone, 2026-11-20T09:30:00Z.',
  )

/** From when on: a time, or the beginning of a day in UTC. */
export const Since = moment
  .transform((text) => new Date(text))
  .optional()
  .describe('From then on: a time with a zone, or a day in UTC (2026-11-20).')

/** Until when: before a time, or to the end of a day in UTC. */
export const Until = moment
  .transform((text) => new Date(new Date(text).getTime() + (isDay(text) ? dayMs : 0)))
  .optional()
  .describe('Before that time, or to the end of that day in UTC.')

/** How many items to answer; more than `most` is cut to `most`, anything but a positive whole number is refused. */
export const limit = (most: number, usual: number) =>
  asked(most, usual)
    .default(usual)
    .transform((n) => Math.min(n, most))

/** The same, where no limit means all of it. */
export const anyLimit = (most: number) =>
  asked(most)
    .optional()
    .transform((n) => (n === undefined ? undefined : Math.min(n, most)))

const asked = (most: number, usual?: number) =>
  z
    .int('Must be a whole number from 1.')
    .min(1, 'Must be a whole number from 1.')
    .describe(`How many to return${usual ? `, ${usual} if not given` : ''}; at most ${most}.`)

/** Text that is one of these. A long list is told when it is not met, not in every description. */
export const oneOf = (known: readonly string[]) => z.string().refine((text) => known.includes(text), `Must be one of ${known.join(', ')}.`)

/** Characters. */
export const longestCursor = 200
/** Where the next page begins; an opaque piece of text from an earlier answer. */
export const Cursor = z.string().max(longestCursor).optional().describe('next_cursor of the page before.')

/** The envelope of every list: agents see it whole, REST sends the items bare and the rest as headers. */
export const page = <Key extends string, Item extends z.ZodType>(key: Key, item: Item) =>
  z.object({
    [key]: z.array(item),
    total: z.int().describe(`How many there are in all; ${mostCounted}: more than ${mostCounted - 1}.`),
    limit: z.int().nullable(),
    next_cursor: z.string().nullable().describe('Pass it as cursor for the next page; null at the end.'),
  } as { [K in Key]: z.ZodArray<Item> } & { total: z.ZodInt; limit: z.ZodNullable<z.ZodInt>; next_cursor: z.ZodNullable<z.ZodString> })
