import { CachedAnswer } from './cached-answer.ts'
import type { Caller, Kernel, Known } from './context.ts'
import type { CursorAfter } from './cursor.ts'
import type { AnyOperation } from './operation.ts'
import { outputWith } from './output-with.ts'
import { Problem } from './problem.ts'
import { spend } from './spend.ts'
import { WrittenPage, WrittenPages } from './written-page.ts'

/** What a handler answered, and the sites it was about. */
export interface Handled {
  answer: unknown
  touched: ReadonlySet<string>
}

/** Has an operation do its work in the world's transaction, for a caller who was let in. */
export async function handle(world: Kernel, operation: AnyOperation, call: Known, input: Record<string, unknown>): Promise<Handled> {
  const { caller, face, requestId, signal, shows } = call
  const touched = new Set<string>()
  const context = { ...world, touched, caller, workspaceId: caller.workspaceId, face, requestId, signal, shows }
  if (operation.ownersOnly) await mustBeOwner(operation, context, input)
  if (operation.cost) await spend(context, operation, input)
  return { answer: readPage(operation, await operation.handle(context, input), shows), touched }
}

/** What a token may not do although its scope lets it call; asked inside the transaction of a write, so that nothing moves meanwhile. */
async function mustBeOwner({ ownersOnly }: AnyOperation, context: { caller: Caller }, input: Record<string, unknown>): Promise<void> {
  if (!ownersOnly || context.caller.scopes.has('manage')) return
  const what = await ownersOnly(context, input)
  if (what !== undefined) throw new Problem('insufficient_scope', `This was not done: ${what} ${forOwners}`, { next: forOwnersNext })
}

export const forOwners = 'Only an owner or admin may do that, signed in to the dashboard; no token can.'
export const forOwnersNext = 'Have an owner or admin do it in the dashboard.'

/** What the output schema does not name does not leave the house, nor what of its items the face does not show. Cached answers were parsed before; these, and bytes, pass. */
export function strip(operation: AnyOperation, output: unknown, shows?: readonly string[]): unknown {
  if (operation.bytes || operation.stream || output instanceof CachedAnswer) return output
  return (shows ? outputWith(operation, shows) : operation.output).parse(output)
}

const pages = new WrittenPages()

/** What a handler answered; a page that the database wrote, as its schema has it. */
function readPage(operation: AnyOperation, answer: unknown, shows?: readonly string[]): unknown {
  if (!(answer instanceof WrittenPage)) return answer
  return pages.answer(operation.name, answer, ({ cursorAfter, ...page }) => {
    const value = strip(operation, page, shows) as Record<string, unknown>
    return new CachedAnswer(value, () => Buffer.from(JSON.stringify(value[operation.list ?? ''])), cursorAfter as CursorAfter)
  })
}
