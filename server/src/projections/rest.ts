import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AwaitingApproval } from '../kernel/awaiting.ts'
import { CachedAnswer, plain } from '../kernel/cached-answer.ts'
import type { Caller, Face, Kernel } from '../kernel/context.ts'
import { leftOut } from '../kernel/gaps.ts'
import { type AnyOperation, type EventStream, type FileAnswer, isRead, mayWait, plans } from '../kernel/operation.ts'
import { asProblem, Problem, problemDetails, problems } from '../kernel/problem.ts'
import { admit, run } from '../kernel/run.ts'
import { splitPath } from './command.ts'
import { openConnections } from './connections.ts'
import { wholeList } from './manifest.ts'
import { sendBytes } from './rest-bytes.ts'
import { choose } from './rest-input.ts'
import { sendPacked } from './rest-packed.ts'
import { sendStream } from './rest-stream.ts'

export interface RestDeps {
  world: Kernel
  operations: readonly AnyOperation[]
  /** Who the Authorization header says is calling, from this address. */
  identify(authorization: string | undefined, address: string): Caller | undefined | Promise<Caller | undefined>
  /** Who is signed in, where there is no such header. Throws when the request may come from another site's page. */
  identifyPerson?(request: FastifyRequest): Promise<Caller | undefined>
  /** `headers` go with every answer; `refused` makes it a 429. */
  rateLimit(caller: Caller): { refused: boolean; headers: Record<string, string> }
}

const bodyLimit = 64 * 1024
const prefix = '/api/v1'

/** The routes of every operation under /api/v1, read from the operations alone. */
export async function registerRest(app: FastifyInstance, deps: RestDeps): Promise<void> {
  await app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
      scope.setErrorHandler((error, request, reply) => sendProblem(deps.world, request, reply, error))
      scope.decorateRequest('caller', undefined)
      scope.decorateRequest('face', 'api')
      const signalOf = openConnections().signalOf
      for (const route of routesOf(deps.operations)) {
        const { method, path } = splitPath(route.http)
        const weakest = weakestOf(route.operations)
        scope.route({
          method: method.toUpperCase(),
          url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          exposeHeadRoute: !route.operations.some((operation) => operation.bytes || operation.stream),
          onRequest: (request, reply) => authenticate(deps, request, reply),
          // Before the body is read: whoever may do not even the one that asks for least is refused.
          ...(weakest &&
            leastScope(weakest) !== 'read' && { preParsing: async (request: FastifyRequest) => void admit(weakest, request.caller) }),
          handler: (request, reply) => answer(deps, route, request, { reply, signalOf }),
        })
      }
    },
    { prefix },
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    face: Face
  }
}

interface Route {
  http: `${'GET' | 'POST' | 'DELETE'} /${string}`
  operations: AnyOperation[]
}

const scopes = ['read', 'write', 'manage']
const weakestOf = (operations: readonly AnyOperation[]) =>
  operations.toSorted((a, b) => scopes.indexOf(leastScope(a)) - scopes.indexOf(leastScope(b))).at(0)
/** Its plan may be asked for by whoever may read. */
const leastScope = (operation: AnyOperation) => (plans(operation) ? 'read' : operation.scope)

/** One route for each path; operations with an `action` share theirs. */
function routesOf(operations: readonly AnyOperation[]): Route[] {
  const routes = new Map<string, Route>()
  for (const operation of operations)
    for (const http of [operation.http].flat()) {
      const route = routes.get(http) ?? { http, operations: [] }
      route.operations.push(operation)
      routes.set(http, route)
    }
  return [...routes.values()]
}

/** A person by the session where no token is sent, else whose token it is. */
async function whoCalls({ identify, identifyPerson }: RestDeps, request: FastifyRequest) {
  const { authorization } = request.headers
  const person = authorization === undefined ? await identifyPerson?.(request) : undefined
  return { person, caller: person ?? (await identify(authorization, request.ip)) }
}

async function authenticate(deps: RestDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { authorization } = request.headers
  const { person, caller } = await whoCalls(deps, request)
  if (person) request.face = 'dashboard'
  if (!caller) {
    reply.header('www-authenticate', authorization ? 'Bearer realm="service", error="invalid_token"' : 'Bearer realm="service"')
    throw new Problem('unauthenticated', authorization ? 'This token is not valid: mistyped, expired or revoked.' : 'No token was sent.')
  }
  request.caller = caller
  const { refused, headers } = deps.rateLimit(caller)
  reply.headers(headers)
  if (refused)
    throw new Problem('rate_limited', 'Too many calls by this caller.', {
      retryAfter: Number(headers['retry-after'] ?? 1),
    })
}

/**
 * A token that was revoked, or has expired, hears nothing more, nor does a person who was signed out, removed or went to another workspace.
 * Who is to see other sites than before comes again, and is let in as who they are now.
 */
async function isStillKnown(deps: RestDeps, request: FastifyRequest): Promise<boolean> {
  const { caller } = request
  const { caller: now } = await whoCalls(deps, request)
  if (!now || !caller || now.paused) return false
  const isSame = now.id === caller.id && now.workspaceId === caller.workspaceId
  return isSame && now.scopes.has('read') && isDeepStrictEqual(now.sees, caller.sees)
}

interface Sending {
  reply: FastifyReply
  signalOf: (socket: Socket) => AbortSignal
}

async function answer(deps: RestDeps, route: Route, request: FastifyRequest, { reply, signalOf }: Sending): Promise<FastifyReply> {
  const { operation, input } = choose(route.operations, request)
  const call = {
    caller: request.caller,
    face: request.face,
    requestId: request.id,
    idempotencyKey: isRead(operation) ? undefined : request.headers['idempotency-key'],
    reason: mayWait(operation) ? reasonOf(request) : undefined,
    signal: operation.bytes ? sentOf(reply) : signalOf(request.raw.socket),
  }
  const { output, replayed, notice, awaiting } = await run(deps.world, operation, call, input)
  if (notice) reply.header('svc-notice', notice)
  if (replayed) reply.header('idempotent-replayed', 'true')
  if (awaiting) return sendAwaiting(reply, output as AwaitingApproval)
  if (operation.bytes) return sendBytes(request, reply, output as FileAnswer)
  if (operation.stream) return sendStream(request, reply, output as EventStream, () => isStillKnown(deps, request))
  return isRead(operation) && request.method !== 'POST' ? sendRead(operation, request, reply, output) : sendWrite(operation, reply, output)
}

/** Aborted when nothing more of a file is sent: all of it was, or its connection is closed. */
function sentOf({ raw }: FastifyReply): AbortSignal {
  const sent = new AbortController()
  raw.once('close', () => sent.abort())
  return sent.signal
}

/** A header holds ASCII; whatever else is in it is percent-encoded. */
function reasonOf({ headers: { 'svc-why': reason } }: FastifyRequest): unknown {
  if (typeof reason !== 'string') return reason
  try {
    return decodeURIComponent(reason)
  } catch {
    return reason
  }
}

interface Page {
  total: number
  limit: number | null
  next_cursor: string | null
  unknown?: number
  gaps?: string[]
}

/** What nobody looked at: the items alone would read as if there were no more. */
const untoldOf = ({ unknown = 0, gaps = [] }: Page) => [...gaps, ...leftOut(unknown)]

function sendRead(operation: AnyOperation, request: FastifyRequest, reply: FastifyReply, output: unknown): FastifyReply {
  const value = plain(output)
  const whole = operation.list !== undefined && wantsWhole(request)
  const body = operation.list === undefined || whole ? value : (value as Record<string, unknown>)[operation.list]
  const written = output instanceof CachedAnswer && !whole
  const json = written ? output.json : JSON.stringify(body)
  const etag = written ? output.etag : `"${hash('sha1', json, 'base64url')}"`
  if (operation.list !== undefined) {
    const { total, next_cursor } = value as Page
    reply.header('x-total-count', total)
    const untold = untoldOf(value as Page)
    if (untold.length > 0) reply.header('svc-notice', [reply.getHeader('svc-notice') ?? [], untold].flat().join(' '))
    if (next_cursor !== null) reply.header('link', `<${nextAddress(request, next_cursor)}>; rel="next"`)
  }
  reply.header('etag', etag).headers({ 'cache-control': 'private, no-cache', vary: 'accept, accept-encoding, sec-fetch-site' })
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return sendPacked(request, reply.type(`${whole ? wholeList : 'application/json'}; charset=utf-8`), json)
}

/** Whoever names this type gets a list with what stands beside it: its totals, counts, how fresh it is. */
const wantsWhole = ({ headers: { accept } }: FastifyRequest) =>
  accept?.split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === wholeList) ?? false

function nextAddress(request: FastifyRequest, cursor: string): string {
  const url = new URL(request.url, 'http://service.invalid')
  url.searchParams.set('cursor', cursor)
  return url.pathname + url.search
}

export const matches = (header: string | undefined, etag: string) =>
  header?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) ?? false

/** A person decides first; whatever it is that was asked for. */
function sendAwaiting(reply: FastifyReply, output: AwaitingApproval): FastifyReply {
  reply.header('location', `${prefix}/approvals/${output.approval_id}`).header('cache-control', 'no-store')
  return reply.code(202).type('application/json; charset=utf-8').send(JSON.stringify(output))
}

function sendWrite(operation: AnyOperation, reply: FastifyReply, output: unknown): FastifyReply {
  const jobId = operation.status === 202 ? (output as { job_id?: string | null }).job_id : undefined
  const status = operation.status === 202 && !jobId ? 200 : (operation.status ?? 200)
  if (jobId) reply.header('location', `${prefix}/jobs/${jobId}`)
  reply.header('cache-control', 'no-store')
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(plain(output)))
}

/** Any error as problem details; ours are logged with their cause. */
export function sendProblem(world: Pick<Kernel, 'log'>, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = fromFastify(error) ?? asProblem(error)
  if (problem.code === 'internal') world.log.error({ err: problem.cause, request_id: request.id }, 'a request met an error of ours')
  if (problem.code === 'unavailable') world.log.warn({ err: problem.cause, request_id: request.id }, 'a request was put off')
  if (problem.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter)
  reply.code(problems[problem.code].status).type('application/problem+json; charset=utf-8').header('cache-control', 'no-store')
  return reply.send(JSON.stringify(problemDetails(problem, request.id)))
}

/** What Fastify itself refuses before a handler runs. */
function fromFastify(error: unknown): Problem | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('payload_too_large', `The body is larger than ${bodyLimit} bytes.`)
  if (error instanceof Problem || statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined
  return new Problem(statusCode === 415 ? 'unsupported_media_type' : 'invalid_payload', 'The request could not be read.', { cause: error })
}
