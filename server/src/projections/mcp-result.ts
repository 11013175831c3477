import type { AnyOperation } from '../kernel/operation.ts'
import { asProblem, type FieldError, type Problem } from '../kernel/problem.ts'
import { Sealed } from '../kernel/sealed.ts'
import type { Tool } from './mcp-tools.ts'

/** What a tool answered. */
export interface Told {
  /** The output as JSON, cut to what agents are shown. */
  json: string
  /** The same as the fields of a result: once for programs, once as text for clients that know only text. */
  fields: string | Buffer
}

const toldBefore = new WeakMap<Sealed, Told>()

/** A success. What is sealed in memory is told in the same bytes each time. */
export function success(operation: AnyOperation, output: unknown): Told {
  if (!(output instanceof Sealed)) return tell(operation, output)
  const known = toldBefore.get(output)
  if (known) return known
  const { json, fields } = tell(operation, output.value)
  const told = { json, fields: Buffer.from(fields) }
  toldBefore.set(output, told)
  return told
}

function tell(operation: AnyOperation, output: unknown): { json: string; fields: string } {
  const json = JSON.stringify(brief(operation, output))
  return { json, fields: `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json},"isError":false` }
}

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

/** Of each item of a list only what an agent needs to choose; the read tools show the rest. */
function brief({ list, brief: names }: AnyOperation, output: unknown): unknown {
  if (!list || !names) return output
  const whole = output as Record<string, Record<string, unknown>[]>
  const items = whole[list]?.map((item) => Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]])))
  return { ...whole, [list]: items }
}

function sentence({ name }: Tool, problem: Problem): string {
  return `${name} failed. ${problem.message}${nextStep(problem, name)}`
}

function nextStep({ code, message, retryable, retryAfter }: Problem, name: string): string {
  if (code === 'not_found' && !/list_/.test(message)) return ' List what there is to find the right id, then call again.'
  if (code === 'internal') return ' Call again once; if it stays, give request_id to the operator.'
  if (retryAfter !== undefined) return ` Wait ${retryAfter} s, then call ${name} again.`
  return retryable ? ` Call ${name} again later.` : ''
}

function wrongArguments({ name, inputSchema }: Tool, errors: FieldError[]): string {
  const list = errors.map(({ path, message }) => `${path || 'arguments'}: ${message}`)
  const known = Object.keys(inputSchema.properties ?? {}).map((each) =>
    inputSchema.required?.includes(each) ? `${each} (required)` : each,
  )
  return `${name} was not called. Its arguments are not valid. ${list.join(' ')} The arguments are: ${known.join(', ') || 'none'}. Correct them and call ${name} again.`
}
