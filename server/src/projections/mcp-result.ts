import { CachedAnswer } from '../kernel/cached-answer.ts'
import type { Outcome } from '../kernel/context.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { asProblem, type FieldError, type Problem } from '../kernel/problem.ts'
import { fit, type Wish } from './mcp-fit.ts'
import { withoutRoutes } from './mcp-schema.ts'
import type { Tool } from './mcp-tools.ts'

const rendered = new WeakMap<CachedAnswer, Buffer>()

/** A success, as the fields of a result. What is kept in memory is rendered to the same bytes each time. */
export function success(operation: AnyOperation, outcome: Outcome, wish: Wish = {}): string | Buffer {
  const { output } = outcome
  if (!(output instanceof CachedAnswer) || operation.isShort || wish.fields || outcome.notice) return render(operation, outcome, wish)
  const bytes = rendered.get(output) ?? Buffer.from(render(operation, outcome, wish))
  rendered.set(output, bytes)
  return bytes
}

/** Once for programs, once as text for clients that know only text. */
function render(operation: AnyOperation, outcome: Outcome, wish: Wish): string {
  const json = outcome.awaiting ? waiting(outcome) : fit(operation, outcome, wish)
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json},"isError":false`
}

/** What waits for a person, with how what was asked for was understood: that is what the person decides about. */
const waiting = ({ output, notice }: Outcome) => JSON.stringify(notice === undefined ? output : { notice, ...(output as object) })

/** The JSON of a failure. Text only: older clients hold any structured content against the tool's output schema, errors too. */
export function failure(tool: Tool, error: unknown, requestId: string): string {
  const problem = asProblem(error)
  const errors = problem.errors?.map((each) => ({ ...each, path: each.path.slice(0, 100) }))
  return failureText({
    code: problem.code,
    retryable: problem.retryable,
    message: errors ? wrongArguments(tool, errors) : sentence(tool, problem),
    ...(problem.retryAfter !== undefined && { retry_after_s: problem.retryAfter }),
    ...(problem.siteSaid && { site_said: problem.siteSaid }),
    ...(errors && { errors }),
    request_id: requestId,
  })
}

/** A result that says the tool did nothing, for any reason. */
export const failureText = (failed: { code: string; retryable: boolean; message: string; request_id: string }) =>
  `"content":[{"type":"text","text":${JSON.stringify(JSON.stringify(failed))}}],"isError":true`

function sentence({ name }: Tool, problem: Problem): string {
  return `${name} failed. ${inTools(problem.message)}${nextStep(problem, name)}`
}

function nextStep({ code, message, next, retryAfter }: Problem, name: string): string {
  if (retryAfter !== undefined) return ` Wait ${retryAfter} s, then call ${name} again.`
  if (code === 'not_found' && /list_/.test(message)) return ''
  return ` ${inTools(next).replace(/^Ask again\b/, `Call ${name} again`)}`
}

function wrongArguments({ name, inputSchema }: Tool, errors: FieldError[]): string {
  const list = errors.map(({ path, message }) => `${path || 'arguments'}: ${inTools(message)}`)
  const known = Object.keys(inputSchema.properties ?? {}).map((each) =>
    inputSchema.required?.includes(each) ? `${each} (required)` : each,
  )
  return `${name} was not called. Its arguments are not valid. ${list.join(' ')} The arguments are: ${known.join(', ') || 'none'}. Correct them and call ${name} again.`
}

/** Tools by their names, without the routes that lead to the same, and without what only a route leads to. */
function inTools(text: string): string {
  const named = withoutRoutes(text).replace('the request id', 'request_id')
  const sentences = named.split(/(?<=[.?!]) (?=[A-Z])/).filter((sentence) => !/\b(?:GET|POST|DELETE) \//.test(sentence))
  return sentences.length > 0 ? sentences.join(' ') : named
}
