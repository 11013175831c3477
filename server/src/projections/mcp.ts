import { isUtf8 } from 'node:buffer'
import type { Kernel } from '../kernel/context.ts'
import { parseJson } from '../kernel/json.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { asProblem } from '../kernel/problem.ts'
import { type Era, eraOf, latestLegacyVersion, legacyVersions, mayBatch, modernVersion } from './mcp-era.ts'
import type { Fixtures } from './mcp-fixtures.ts'
import { instructions } from './mcp-instructions.ts'
import { misplaced } from './mcp-misplaced.ts'
import {
  type Answer,
  accepted,
  batchAnswer,
  codes,
  errorAnswer,
  idOf,
  isRpcError,
  type Message,
  type Pieces,
  type RpcError,
  readMessage,
  resultAnswer,
  rpcError,
  textOf,
} from './mcp-rpc.ts'
import { callTool, type McpCall, narrowing, type Served, servedAs } from './mcp-tool-call.ts'
import { toolOperations, tools } from './mcp-tools.ts'

export interface McpOptions {
  /** Ours, shown to clients. */
  version: string
  /** Tools only the conformance suite wants. */
  fixtures?: Fixtures | undefined
}

export type Mcp = (world: Kernel, call: McpCall) => Answer | Promise<Answer>

interface House {
  served: ReadonlyMap<string, Served>
  fixtures: Fixtures
  /** How every modern result ends: it is complete, and it is ours. */
  modernTail: string
  initialized: ReadonlyMap<string, string>
  discovered: string
  listed: Record<Era, Pieces>
}

const maxBatch = 50
/** How long a client may keep the list of tools; it changes only with a new release. */
const listTtlMs = 300_000

/** The tool server without its HTTP: one POST's body in, one answer out. What never changes is written here, once. */
export function mcp(operations: readonly AnyOperation[], options: McpOptions): Mcp {
  const house = build(operations, options)
  return (world, call) => {
    const read = parse(call.body)
    if ('code' in read) return errorAnswer(read)
    const { body } = read
    return Array.isArray(body) ? answerBatch(house, world, call, body) : answerOne(house, world, call, body)
  }
}

function build(operations: readonly AnyOperation[], { version, fixtures = new Map() }: McpOptions): House {
  const withTool = toolOperations(operations)
  const served = new Map(tools(withTool).map((tool, i): [string, Served] => [tool.name, servedAs(tool, withTool[i] as AnyOperation)]))
  const serverInfo = { name: 'service', title: 'Site fleet service', version }
  const capabilities = { tools: {} }
  const modernTail = `,"resultType":"complete","_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': serverInfo })}}`
  const all = [...[...served.values()].map(({ json }) => json), ...[...fixtures.values()].map(({ tool }) => JSON.stringify(tool))]
  const discovery = {
    supportedVersions: [modernVersion, ...legacyVersions],
    capabilities,
    instructions,
    ttlMs: listTtlMs,
    cacheScope: 'public',
  }
  return {
    served,
    fixtures,
    modernTail,
    initialized: new Map(
      legacyVersions.map((each) => [each, JSON.stringify({ protocolVersion: each, capabilities, serverInfo, instructions })]),
    ),
    discovered: JSON.stringify(discovery).slice(0, -1) + modernTail,
    listed: {
      modern: ['', Buffer.from(listOf(all, 'modern', 'public', modernTail)), ''],
      legacy: ['', Buffer.from(listOf(all, 'legacy', 'public', modernTail)), ''],
    },
  }
}

function listOf(all: readonly string[], era: Era, cacheScope: 'public' | 'private', modernTail: string): string {
  const list = `{"tools":[${all.join(',')}]`
  return era === 'legacy' ? `${list}}` : `${list},"ttlMs":${listTtlMs},"cacheScope":"${cacheScope}"${modernTail}`
}

function parse(bytes: Buffer): { body: unknown } | RpcError {
  const broken = rpcError(400, codes.parse, 'The body is not JSON: send a JSON-RPC message in UTF-8.')
  if (!isUtf8(bytes)) return broken
  try {
    return { body: parseJson(bytes.toString('utf8')) }
  } catch (error) {
    const [twice] = asProblem(error).errors ?? []
    return twice
      ? rpcError(400, codes.request, `${JSON.stringify(twice.path)} is given twice, and only one can be meant. Give it once.`)
      : broken
  }
}

async function answerBatch(house: House, world: Kernel, call: McpCall, batch: unknown[]): Promise<Answer> {
  if (!mayBatch(call.headers))
    return errorAnswer(rpcError(400, codes.request, 'This protocol version takes one message per request. Send each alone.'))
  if (batch.length === 0 || batch.length > maxBatch)
    return errorAnswer(rpcError(400, codes.request, `A batch has 1 to ${maxBatch} messages. Send that many.`))
  const bodies: string[] = []
  for (const [i, element] of batch.entries()) {
    if (i > 0 && (await call.mayGoOn?.()) === false) bodies.push(notLookedAt)
    else bodies.push(textOf(await answerOne(house, world, call, element)))
  }
  const answers = bodies.filter(Boolean)
  return answers.length === 0 ? accepted : batchAnswer(answers)
}

const notLookedAt = textOf(
  errorAnswer(
    rpcError(
      429,
      codes.refused,
      'Too many requests, or the token was revoked meanwhile. The rest of this batch was not looked at. Wait a minute, then send it again.',
    ),
  ),
)

function answerOne(house: House, world: Kernel, call: McpCall, value: unknown): Answer | Promise<Answer> {
  const message = readMessage(value)
  if (message === undefined) return accepted
  if (isRpcError(message)) return errorAnswer(message, idOf(value))
  if (message.id === undefined) return accepted
  const era = eraOf(message, call.headers)
  if (typeof era === 'object') return errorAnswer(era, message.id)
  const asAnswer = (result: Result) => (isRpcError(result) ? errorAnswer(result, message.id) : resultAnswer(message.id, result))
  const result = dispatch(house, world, { call, message, era })
  return result instanceof Promise ? result.then(asAnswer) : asAnswer(result)
}

/** The JSON of the result, or the failure of the protocol. */
type Result = string | Pieces | RpcError

interface Asked {
  call: McpCall
  message: Message
  era: Era
}

function dispatch(house: House, world: Kernel, asked: Asked): Result | Promise<Result> {
  const { message, era } = asked
  switch (message.method) {
    case 'tools/call':
      return callNamed(house, world, asked)
    case 'tools/list':
      return listTools(house, asked)
    case 'server/discover':
      return era === 'modern' ? house.discovered : noMethod(message.method, era)
    case 'initialize':
      return era === 'legacy' ? initialize(house, message) : noMethod(message.method, era)
    case 'ping':
      return era === 'legacy' ? '{}' : noMethod(message.method, era)
    default:
      return noMethod(message.method, era)
  }
}

const noMethod = (method: string, era: Era) =>
  rpcError(
    era === 'modern' ? 404 : 200,
    codes.method,
    `There is no method ${JSON.stringify(method.slice(0, 100))} here. This server has tools only. Use tools/list and tools/call.`,
  )

function initialize({ initialized }: House, { params: { protocolVersion } }: Message): string {
  const asked = typeof protocolVersion === 'string' ? protocolVersion : latestLegacyVersion
  return initialized.get(asked) ?? initialized.get(latestLegacyVersion) ?? '{}'
}

function listTools({ served, listed, modernTail }: House, { call, message, era }: Asked): Result {
  if (message.params.cursor !== undefined) return rpcError(200, codes.params, 'The list of tools has one page. Leave out cursor.')
  const narrow = narrowing(call.headers)
  if (!narrow) return listed[era]
  const chosen = [...served.values()].filter(narrow).map(({ json }) => json)
  return listOf(chosen, era, 'private', modernTail)
}

async function callNamed(house: House, world: Kernel, { call, message, era }: Asked): Promise<Result> {
  const { name, arguments: given = {} } = message.params
  if (typeof name !== 'string') return rpcError(200, codes.params, 'params.name is missing. Name the tool to call.')
  const served = house.served.get(name)
  if (served) return close(await callTool(world, call, served, { given, misplaced: misplaced(served, message, call.headers) }), house, era)
  const answer = house.fixtures.get(name)?.call(message) ?? noTool(house, name)
  return isRpcError(answer) ? answer : close(JSON.stringify(answer).slice(1, -1), house, era)
}

/** Makes an object of its fields; a modern one also says that it is complete, and who we are. */
function close(fields: string | Buffer, { modernTail }: House, era: Era): string | Pieces {
  const tail = era === 'modern' ? modernTail : '}'
  return typeof fields === 'string' ? `{${fields}${tail}` : ['{', fields, tail]
}

const noTool = ({ served }: House, name: string) =>
  rpcError(200, codes.params, `There is no tool ${JSON.stringify(name.slice(0, 100))}. Call one of: ${[...served.keys()].join(', ')}.`)
