import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Kernel } from '../kernel/context.ts'
import { type AnyOperation, isRead, mayWait } from '../kernel/operation.ts'
import { asProblem, type FieldError, Problem } from '../kernel/problem.ts'
import { run } from '../kernel/run.ts'
import { headersOf } from './headers.ts'
import { type Fields, fieldsAsked } from './mcp-fields.ts'
import { failure, failureText, success } from './mcp-result.ts'
import { headerOf, isRecord } from './mcp-rpc.ts'
import type { Tool } from './mcp-tools.ts'

export interface McpCall {
  caller: Caller
  /** Names in lower case. */
  headers: IncomingHttpHeaders
  body: Buffer
  requestId: string
  /** The client hung up, or the service is stopping. */
  signal?: AbortSignal | undefined
  /** Asked before each further message of a batch: false when the caller has used up its budget, or is one no more. */
  mayGoOn?: (() => Promise<boolean>) | undefined
}

/** A tool, the operation behind it, and how the list shows it. */
export interface Served {
  operation: AnyOperation
  tool: Tool
  json: string
  /** Everything that it takes, on any face. */
  fields: readonly string[]
  /** What of it came as a header. */
  inHeaders: (headers: IncomingHttpHeaders) => FieldError[]
  /** The fields of each of its items or rows of which something is shown to whoever names none. */
  shows: readonly string[] | undefined
}

/** A tool with all that is the same for each call of it. */
export function servedAs(tool: Tool, operation: AnyOperation): Served {
  const fields = Object.keys({ ...operation.input.shape, ...tool.inputSchema.properties })
  const { brief, briefWhere = [] } = operation
  const shows = brief && [...brief, ...briefWhere].map((path) => path.split('.', 1).join())
  return { operation, tool, json: JSON.stringify(tool), fields, inHeaders: headersOf(fields, 'arguments'), shows }
}

/** What the caller itself asked to do without; undefined when it asked for nothing. */
export function narrowing(headers: IncomingHttpHeaders): ((served: Served) => boolean) | undefined {
  // Whatever else it says, it was not sent to be allowed more.
  const readOnly = (headerOf(headers, 'x-mcp-readonly')?.toLowerCase() ?? 'false') !== 'false'
  const names = headerOf(headers, 'x-mcp-tools')
    ?.split(',')
    .map((name) => name.trim())
  if (!readOnly && !names) return undefined
  return ({ operation, tool }) => (!readOnly || isRead(operation)) && (!names || names.includes(tool.name))
}

/** Calls it with what was given, unless something stood elsewhere; whatever happens is a result, as fields of JSON. Never throws. */
export async function callTool(
  world: Kernel,
  call: McpCall,
  served: Served,
  { given, misplaced }: { given: unknown; misplaced: FieldError[] },
): Promise<string | Buffer> {
  const { caller, headers, requestId, signal } = call
  const { operation, tool, shows } = served
  if (narrowing(headers)?.(served) === false) return narrowedAway(tool.name, requestId)
  try {
    const { input, idempotencyKey, reason, asked } = argumentsOf(operation, given)
    let fields: Fields | undefined
    const heard = () => {
      if (misplaced.length > 0) refuse(misplaced)
      if (asked !== undefined) fields = fieldsAsked(operation, asked)
      return input
    }
    const rowsShown = asked === undefined ? shows : undefined
    const outcome = await run(world, operation, { caller, face: 'mcp', requestId, idempotencyKey, reason, signal, shows: rowsShown }, heard)
    return success(operation, outcome, { fields, isBrief: fields === undefined && !namesLimit(given) })
  } catch (error) {
    const problem = asProblem(error)
    if (problem.code === 'internal')
      world.log.error({ err: problem.cause ?? problem, request_id: requestId, tool: tool.name }, 'a tool broke')
    return failure(tool, problem, requestId)
  }
}

/** Called only once the caller was let in. */
function refuse(errors: FieldError[]): never {
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors: errors.slice(0, 50) })
}

function narrowedAway(name: string, requestId: string): string {
  return failureText({
    code: 'insufficient_scope',
    retryable: false,
    message: `${name} was not called. This connection was narrowed by its own X-MCP-Readonly or X-MCP-Tools header. Use another tool, or connect without that header.`,
    request_id: requestId,
  })
}

/** The key and the reason travel beside the input on every other face, and the choice of fields is a matter of this one, so both are taken out of the arguments. */
function argumentsOf(
  operation: AnyOperation,
  given: unknown,
): { input: unknown; idempotencyKey?: unknown; reason?: unknown; asked?: unknown } {
  if (!isRecord(given)) return { input: given }
  if (!isRead(operation)) {
    const { idempotency_key: idempotencyKey, ...rest } = given
    if (!mayWait(operation)) return { input: rest, idempotencyKey }
    const { why: reason, ...input } = rest
    return { input, idempotencyKey, reason }
  }
  const { fields: asked, ...input } = given
  return operation.brief || operation.hasBrief ? { input: withLimit(operation, input), asked } : { input: withLimit(operation, given) }
}

function withLimit({ briefLimit }: AnyOperation, given: Record<string, unknown>): Record<string, unknown> {
  return briefLimit === undefined || namesLimit(given) ? given : { ...given, limit: briefLimit }
}

const namesLimit = (given: unknown) => isRecord(given) && given.limit !== undefined
