import { plain } from '../kernel/cached-answer.ts'
import type { Outcome } from '../kernel/context.ts'
import type { CursorAfter } from '../kernel/cursor.ts'
import { type AnyOperation, isRead } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { longestCursor } from '../kernel/shapes.ts'

/** Characters: an answer travels twice in its result, and a whole result shall stay within 20,000 tokens. */
const longestPage = 36_000
/** Characters, for what has no pages; a model reads one of the two copies. */
const longestAnswer = 72_000

type Listed = Record<string, Record<string, unknown>[]>

/** The answer as JSON that fits a model's context. Items at the end of a list that would not are left to its next page. */
export function fit(operation: AnyOperation, { output, cursorAfter }: Outcome): string {
  const answer = brief(operation, plain(output))
  const json = JSON.stringify(answer)
  if (!isRead(operation) || json.length <= (operation.list ? longestPage : longestAnswer)) return json
  const shorter = operation.list && cursorAfter && cut(answer as Listed, operation.list, cursorAfter)
  if (!shorter) throw tooLong(operation)
  return shorter
}

/** Of each item of a list only what an agent needs to choose; the read tools show the rest. */
function brief({ list, brief: names }: AnyOperation, output: unknown): unknown {
  if (!list || !names) return output
  const whole = output as Listed
  const items = whole[list]?.map((item) => Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]])))
  return { ...whole, [list]: items }
}

/** As many items as fit, as if just so many had been asked for; undefined where not even one does. */
function cut(page: Listed, list: string, cursorAfter: CursorAfter): string | undefined {
  const items = page[list] ?? []
  const withItems = (kept: number, next_cursor: string) =>
    JSON.stringify({ ...page, [list]: items.slice(0, kept), limit: kept, next_cursor })
  let room = longestPage - withItems(0, '').length - longestCursor
  const kept = items.findIndex((item) => {
    room -= JSON.stringify(item).length + 1
    return room < 0
  })
  return kept > 0 ? withItems(kept, cursorAfter(kept - 1)) : undefined
}

const tooLong = ({ input }: AnyOperation) =>
  new Problem(
    'payload_too_large',
    `The answer is too long for an agent. Narrow it with its other arguments: ${Object.keys(input.shape).join(', ')}.`,
  )
