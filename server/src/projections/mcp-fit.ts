import { plain } from '../kernel/cached-answer.ts'
import type { Outcome } from '../kernel/context.ts'
import type { CursorAfter } from '../kernel/cursor.ts'
import { type AnyOperation, isRead, rowsOf } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { longestCursor } from '../kernel/shapes.ts'
import { type Fields, shown } from './mcp-fields.ts'

/** Characters: an answer travels twice in its result, and a whole result shall stay within 20,000 tokens. */
const longestPage = 36_000
/** Characters of the rows that a write answers with. */
const longestPlan = 9_000
/** Of an answer to a token where ids and times are many (o200k_base). */
const charactersPerToken = 2.8
/** What an answer costs a model that reads it. */
export const tokensOfAnswer = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersPerToken)
/** Characters of a page whose caller asked for no more. */
const briefPage = 1_500 * charactersPerToken
/** Characters, for what has no pages; a model reads one of the two copies. */
const longestAnswer = 72_000

type Listed = Record<string, Record<string, unknown>[]>

/** What an agent asked to be shown of the items. `isBrief`: it named neither fields nor a number. */
export interface Wish {
  fields?: Fields | undefined
  isBrief?: boolean
}

/** The answer as JSON that fits a model's context, with the fields it asked for. Items at the end of a list that would not fit are left to its next page. */
export function fit(
  operation: AnyOperation,
  { output, cursorAfter, notice, brief: inBrief }: Outcome,
  { fields, isBrief }: Wish = {},
): string {
  const rows = rowsOf(operation)
  const { brief = 'all', briefWhere } = operation
  const found = fields ? shown(rows, fields, plain(output)) : shown(rows, brief, plain(output), briefWhere)
  const answer = notice === undefined ? found : { notice, ...(found as object) }
  const json = JSON.stringify(answer)
  if (inBrief && (!fields || json.length > longestAnswer)) {
    const { output, without } = inBrief()
    return JSON.stringify({ notice: joined(notice, without, fields ? undefined : withAll), ...output })
  }
  if (!isRead(operation)) return rows ? withFewer(answer as Listed, rows) : json
  const few = rows && cursorAfter && isBrief && operation.isShort && json.length > briefPage
  const short = few && cut({ ...(answer as Listed), notice: joined(notice, more) }, rows, cursorAfter, { longest: briefPage, least: 1 })
  if (short) return short
  if (json.length <= (rows ? longestPage : longestAnswer)) return json
  const shorter = rows && cursorAfter && cut(answer as Listed, rows, cursorAfter, { longest: longestPage, least: 0 })
  if (!shorter) throw tooLong(operation)
  return shorter
}

/** The rows of a plan, as many as are worth reading; `left_out` says how many more there are. */
function withFewer(answer: Listed, rows: string): string {
  const all = answer[rows] ?? []
  let room = longestPlan
  const kept = all.findIndex((row) => {
    room -= JSON.stringify(row).length + 1
    return room < 0
  })
  return JSON.stringify(kept < 0 ? answer : { ...answer, [rows]: all.slice(0, kept), left_out: all.length - kept })
}

const withAll = 'fields: all shows everything.'
const more = 'There is more: pass next_cursor as cursor, or name a limit.'
const joined = (...sentences: (string | undefined)[]) => sentences.filter((each) => each !== undefined).join(' ')

/** As many items as fit, as if just so many had been asked for; `least` where not even one does, undefined for none and for all. */
function cut(
  page: Record<string, unknown>,
  list: string,
  cursorAfter: CursorAfter,
  { longest, least }: { longest: number; least: number },
): string | undefined {
  const items = (page[list] ?? []) as unknown[]
  const withItems = (kept: number, next_cursor: string) =>
    JSON.stringify({ ...page, [list]: items.slice(0, kept), limit: kept, next_cursor })
  let room = longest - withItems(0, '').length - longestCursor
  const fitting = items.findIndex((item) => {
    room -= JSON.stringify(item).length + 1
    return room < 0
  })
  const kept = fitting === 0 ? least : fitting
  return kept > 0 && kept < items.length ? withItems(kept, cursorAfter(kept - 1)) : undefined
}

const tooLong = ({ input }: AnyOperation) =>
  new Problem(
    'payload_too_large',
    `The answer is too long for an agent. Narrow it with its other arguments: ${Object.keys(input.shape).join(', ')}.`,
  )
