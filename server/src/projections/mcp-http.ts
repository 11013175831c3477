import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Kernel } from '../kernel/context.ts'
import { isJsonType } from '../kernel/json.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { Problem, problems } from '../kernel/problem.ts'
import { mcp } from './mcp.ts'
import { type Answer, codes, errorAnswer, rpcError } from './mcp-rpc.ts'

export interface McpDeps {
  world: Kernel
  operations: readonly AnyOperation[]
  /** Who the Authorization header says is calling, from this address. */
  identify(authorization: string | undefined, address: string): Caller | undefined | Promise<Caller | undefined>
  /** What clients and browsers know us as; no trailing slash. */
  baseUrl: string
  version: string
  /** Web pages elsewhere that may call us, e.g. `https://example.org`. */
  allowedOrigins?: readonly string[]
  /** `headers` go with every answer; `refused` makes it a 429. */
  rateLimit?(caller: Caller): { refused: boolean; headers: Record<string, string> }
  /** Adds the conformance suite's tools. */
  fixtures?: boolean
}

const path = '/api/mcp'
const bodyLimit = 1024 * 1024

/** Where clients look for a sign-in service. There is none, and only JSON tells them so. */
const signInPaths = [
  '/.well-known/oauth-*',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/*',
  `${path}/.well-known/*`,
  '/register',
]

/** Serves `POST /api/mcp`. Everything a request may not be is refused before its body is read. */
export async function registerMcp(app: FastifyInstance, deps: McpDeps): Promise<void> {
  const fixtures = deps.fixtures ? (await import('./mcp-fixtures.ts')).fixtures : undefined
  const answer = mcp(deps.operations, { version: deps.version, fixtures })
  const callers = new WeakMap<FastifyRequest, Caller>()
  const refusalOf = doorOf(deps, callers)
  const open = new Set<AbortController>()

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.addHook('preClose', async () => {
      for (const call of open) call.abort()
    })
    scope.setErrorHandler(async (error, request, reply) => send(reply, brokenRequest(error, deps.world, request)))
    scope.all(path, {
      onRequest: async (request, reply) => {
        const refusal = await refusalOf(request, reply)
        if (refusal) return send(reply, refusal)
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (!caller) throw new Error('A request came past the door.')
        const hungUp = abortOnHangUp(reply, open)
        try {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
          return send(
            reply,
            await answer(deps.world, {
              caller,
              headers: request.headers,
              body,
              requestId: request.id,
              signal: hungUp.signal,
              mayGoOn: async () =>
                (await deps.identify(request.headers.authorization, request.ip)) !== undefined && deps.rateLimit?.(caller).refused !== true,
            }),
          )
        } finally {
          open.delete(hungUp)
        }
      },
    })
  })
  for (const each of signInPaths)
    app.all(each, { onRequest: async (_request, reply) => noSignIn(reply), handler: async (_request, reply) => noSignIn(reply) })
}

/** Why this request is not let in, in the order promised to clients; undefined lets it in. */
function doorOf(deps: McpDeps, callers: WeakMap<FastifyRequest, Caller>) {
  const { identify, rateLimit } = deps
  const mayCome = originCheck(deps)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Answer | undefined> => {
    const { origin, authorization } = request.headers
    if (origin !== undefined && !mayCome(origin)) return refused(403, 'Pages of this origin may not call this server.')
    const caller = await identify(authorization, request.ip)
    if (!caller) return unauthenticated(authorization)
    const budget = rateLimit?.(caller)
    if (budget) reply.headers(budget.headers)
    if (budget?.refused) return refused(429, 'Too many requests. Wait as long as Retry-After says.')
    if (request.method !== 'POST')
      return refused(405, 'Send JSON-RPC with POST. There are no streams and no sessions here.', { allow: 'POST' })
    if (!isJsonType(request.headers)) return refused(415, 'Send Content-Type: application/json, not compressed.')
    if (request.url !== path) return refused(400, 'This address takes no query; what a tool takes goes into params.arguments.')
    callers.set(request, caller)
    return undefined
  }
}

const refused = (status: number, message: string, headers = {}) => errorAnswer(rpcError(status, codes.refused, message), null, headers)

function unauthenticated(authorization: string | undefined): Answer {
  const invalid = authorization === undefined ? '' : ', error="invalid_token"'
  const message =
    authorization === undefined
      ? 'No token was sent. Send Authorization: Bearer svc_…; the operator makes tokens: npm run -s admin -- token create.'
      : 'This token is not valid: it is malformed, expired or revoked. Ask the operator for a new one: npm run -s admin -- token create.'
  return refused(401, message, { 'www-authenticate': `Bearer realm="service"${invalid}` })
}

function brokenRequest(error: unknown, world: Kernel, request: FastifyRequest): Answer {
  if (error instanceof Problem && (error.code === 'rate_limited' || error.code === 'unavailable'))
    return refused(problems[error.code].status, error.message, { 'retry-after': String(error.retryAfter ?? 1) })
  const status = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  if (status === 413) return refused(413, 'The body is larger than 1 MiB.')
  if (status < 500) return refused(400, 'The body could not be read.')
  world.log.error({ err: error, request_id: request.id }, 'the tool server broke')
  return refused(500, `Something broke on our side. Give ${request.id} to the operator.`)
}

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

function abortOnHangUp(reply: FastifyReply, open: Set<AbortController>): AbortController {
  const controller = new AbortController()
  open.add(controller)
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

const noSignIn = (reply: FastifyReply) =>
  reply
    .code(404)
    .header('content-type', 'application/json')
    .send('{"error":"not_found","error_description":"There is no sign-in service here. Send a token: Authorization: Bearer svc_…"}')
