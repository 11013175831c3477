// `POST /api/mcp`, by node:http alone: what a framework costs a request is as much as all that is done here.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Caller, Kernel } from '../kernel/context.ts'
import { isJsonType } from '../kernel/json.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { Problem, problems } from '../kernel/problem.ts'
import { openConnections } from './connections.ts'
import { type Mcp, mcp } from './mcp.ts'
import { type Answer, codes, errorAnswer, rpcError } from './mcp-rpc.ts'
import type { McpCall } from './mcp-tool-call.ts'

type Headers = Record<string, string>

export interface McpDeps {
  world: Kernel
  operations: readonly AnyOperation[]
  /** Who the Authorization header says is calling, from this address. */
  identify(authorization: string | undefined, address: string): Caller | undefined | Promise<Caller | undefined>
  /** Told of each request that was answered. */
  noteUse?(authorization: string | undefined, address: string, client: string | undefined): void
  newRequestId(): string
  /** Headers of every answer. */
  everywhere: Headers
  /** What clients and browsers know us as; no trailing slash. */
  baseUrl: string
  version: string
  /** Web pages elsewhere that may call us, e.g. `https://example.org`. */
  allowedOrigins?: readonly string[]
  /** `headers` go with every answer; `refused` makes it a 429. */
  rateLimit?(caller: Caller): { refused: boolean; headers: Headers }
  /** Adds the conformance suite's tools. */
  fixtures?: boolean
}

export interface McpServer {
  /** Whether a request to this address is for it. */
  takes(url: string | undefined): boolean
  handle: RequestListener
  /** Ends the work of every call. What is still asked on an open connection is answered, and the connection then closed. */
  stop(): void
}

const path = '/api/mcp'
const bodyLimit = 1024 * 1024

/** Everything a request may not be is refused before its body is read. */
export async function mcpServer(deps: McpDeps): Promise<McpServer> {
  const { everywhere, world } = deps
  const fixtures = deps.fixtures ? (await import('./mcp-fixtures.ts')).fixtures : undefined
  const answer = mcp(deps.operations, { version: deps.version, fixtures })
  const letIn = doorOf(deps)
  const connections = openConnections()
  let stopping = false

  const handle = async (request: IncomingMessage, reply: ServerResponse) => {
    const requestId = deps.newRequestId()
    const headers: Headers = { ...everywhere, 'x-request-id': requestId }
    let given: Answer
    try {
      given = await answerOf(request, letIn(request, headers), { answer, deps, requestId, signal: connections.signalOf(request.socket) })
    } catch (error) {
      given = brokenRequest(error, world, requestId)
    }
    if (stopping) headers.connection = 'close'
    reply.writeHead(given.status, Object.assign(headers, given.headers))
    send(reply, given.body)
    deps.noteUse?.(request.headers.authorization, addressOf(request), request.headers['user-agent'])
  }
  return {
    takes: (url) => url === path || url?.startsWith(`${path}?`) === true,
    handle: (request, reply) => void handle(request, reply),
    stop() {
      stopping = true
      connections.end()
    },
  }
}

interface At {
  answer: Mcp
  deps: McpDeps
  requestId: string
  signal: AbortSignal
}

async function answerOf(request: IncomingMessage, door: ReturnType<ReturnType<typeof doorOf>>, at: At): Promise<Answer> {
  const entered = await door
  if ('status' in entered) return entered
  const { answer, deps, requestId, signal } = at
  const { headers } = request
  const body = await bodyOf(request)
  if (body === undefined) return refused(413, 'The body is larger than 1 MiB. Send less at once.')
  const call: McpCall = {
    caller: entered.caller,
    headers,
    body,
    requestId,
    signal,
    mayGoOn: async () =>
      (await deps.identify(headers.authorization, addressOf(request))) !== undefined && deps.rateLimit?.(entered.caller).refused !== true,
  }
  return answer(deps.world, call)
}

/** Lets a request in, or says why not, in the order promised to clients. What its budget is goes into `headers`. */
function doorOf(deps: McpDeps) {
  const { identify, rateLimit } = deps
  const mayCome = originCheck(deps)
  const enter = (request: IncomingMessage, headers: Headers, caller: Caller | undefined): { caller: Caller } | Answer => {
    if (!caller) return unauthenticated(request.headers.authorization)
    const budget = rateLimit?.(caller)
    if (budget) Object.assign(headers, budget.headers)
    if (budget?.refused) return refused(429, 'Too many requests. Wait as long as Retry-After says.')
    if (request.method !== 'POST')
      return refused(405, 'Send JSON-RPC with POST. There are no streams and no sessions here.', { allow: 'POST' })
    if (!isJsonType(request.headers)) return refused(415, 'Send Content-Type: application/json, not compressed.')
    if (request.url !== path) return refused(400, 'This address takes no query. Put what a tool takes into params.arguments.')
    return { caller }
  }
  return (request: IncomingMessage, headers: Headers) => {
    const { origin, authorization } = request.headers
    if (origin !== undefined && !mayCome(origin)) return refused(403, foreign(origin, deps))
    const caller = identify(authorization, addressOf(request))
    return caller instanceof Promise ? caller.then((known) => enter(request, headers, known)) : enter(request, headers, caller)
  }
}

const refused = (status: number, message: string, headers: Headers = {}) =>
  errorAnswer(rpcError(status, codes.refused, message), null, headers)

function unauthenticated(authorization: string | undefined): Answer {
  const invalid = authorization === undefined ? '' : ', error="invalid_token"'
  const message =
    authorization === undefined
      ? 'No token was sent. Send Authorization: Bearer svc_…; the operator makes tokens: npm run -s admin -- token create.'
      : 'This token is not valid: it is malformed, expired or revoked. Ask the operator for a new one: npm run -s admin -- token create.'
  return refused(401, message, { 'www-authenticate': `Bearer realm="service"${invalid}` })
}

function brokenRequest(error: unknown, world: Kernel, requestId: string): Answer {
  if (error instanceof Problem && (error.code === 'rate_limited' || error.code === 'unavailable'))
    return refused(problems[error.code].status, `${error.message} ${error.next}`, { 'retry-after': String(error.retryAfter ?? 1) })
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
    return refused(400, 'The body could not be read to its end. Send it again.')
  world.log.error({ err: error, request_id: requestId }, 'the tool server broke')
  return refused(500, `Something broke on our side. Give ${requestId} to the operator.`)
}

const foreign = (origin: string, { baseUrl }: McpDeps) =>
  `Pages of ${origin.slice(0, 100)} may not call this server, as its address is ${baseUrl}. Have the operator set SERVICE_BASE_URL where that is not so, or call from a program that is no page.`

/** Browsers name the page they come from; programs do not. */
function originCheck({ baseUrl, allowedOrigins = [] }: McpDeps): (origin: string) => boolean {
  const known = new Set([new URL(baseUrl).origin, ...allowedOrigins])
  const local = isLocal(baseUrl)
  return (origin) => known.has(origin) || (local && isLocal(origin))
}

function isLocal(url: string): boolean {
  const { hostname } = URL.parse(url) ?? { hostname: '' }
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** The whole body; undefined where it is too large. */
function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > bodyLimit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    request.on('data', (part: Buffer) => {
      length += part.length
      if (length > bodyLimit) resolve(undefined)
      else parts.push(part)
    })
    request.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)))
    request.on('error', reject)
  })
}

/** Bytes up to which one text together with the headers costs less than pieces. */
const fewBytes = 16 * 1024

/** All of it leaves in one write to the socket. */
function send(reply: ServerResponse, body: Answer['body']): void {
  if (body === undefined || typeof body === 'string') return void reply.end(body)
  const [before, bytes, after] = body
  if (bytes.length <= fewBytes) return void reply.end(before + bytes.toString() + after)
  reply.write(before)
  reply.write(bytes)
  reply.end(after)
}

const addressOf = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''
