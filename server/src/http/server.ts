import http, { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { operations } from '../capabilities.ts'
import { Problem, problemDetails, problems } from '../kernel/problem.ts'
import { freshHex } from '../kernel/random.ts'
import { scrub } from '../platform/log.ts'
import type { Pools } from '../platform/pools.ts'
import { docs } from '../projections/docs.ts'
import { manifest } from '../projections/manifest.ts'
import { mcpServer } from '../projections/mcp-http.ts'
import { openapi } from '../projections/openapi.ts'
import { registerRest, sendProblem } from '../projections/rest.ts'
import type { Identify, NoteUse } from '../tokens/known.ts'
import { version } from '../version.ts'
import type { World } from '../world.ts'
import { registerConnector } from './connector.ts'
import { registerDashboard } from './dashboard.ts'
import { registerHealth } from './health.ts'
import { serveMade } from './made-once.ts'
import { methodsTaken } from './methods.ts'
import { sendNoPage } from './no-page.ts'
import { registerNoSignIn } from './no-sign-in.ts'
import { identifyPerson, isSecure } from './person.ts'
import { rateLimiter } from './rate-limit.ts'
import { registerReports, sendGone } from './reports.ts'
import { registerSession } from './session.ts'
import { registerSetup } from './setup.ts'
import { limitWrongTokens } from './wrong-tokens.ts'

/** Headers that every answer carries. */
const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

/** The whole HTTP side of the service; it does not listen yet. */
export async function createServer(
  world: World,
  { identify, noteUse }: { identify: Identify; noteUse: NoteUse },
  pools: Pick<Pools, 'door' | 'strangers'>,
): Promise<FastifyInstance> {
  const { baseUrl, testFixtures: fixtures } = world.config
  const front = { world, operations, identify: limitWrongTokens(identify), rateLimit: rateLimiter(world.config.callsPerMinute) }
  const tools = await mcpServer({ ...front, noteUse, newRequestId, everywhere, baseUrl, version, fixtures })
  const onlyReports = new Set(world.config.reportHosts)
  const isShut = ({ headers: { host }, url }: IncomingMessage) =>
    onlyReports.size > 0 && host !== undefined && onlyReports.has(host.toLowerCase().replace(/:\d*$/, '')) && !url?.startsWith('/r/')
  const app = Fastify({
    logger: false,
    serverFactory: (listener) => {
      const isForTools = (request: IncomingMessage) => tools.takes(request.url) && namesHost(request) && !isShut(request)
      return serve((request, reply) => (isForTools(request) ? tools.handle : listener)(request, reply))
    },
    bodyLimit: 1024 * 1024,
    trustProxy: false,
    forceCloseConnections: 'idle',
    // What still arrives on an open connection while we stop is answered, and the connection then closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 400 },
    frameworkErrors: (_error, request, reply) => {
      reply.headers(everywhere).header('x-request-id', request.id)
      sendProblem(world, request, reply, notFound(request.method, pathOf(request.url)))
    },
    clientErrorHandler: refuseNoise,
    genReqId: newRequestId,
  })
  // Without promises, which would be two more for each request.
  app.addHook('onRequest', (request, reply, goOn) => {
    reply.headers(everywhere).header('x-request-id', request.id)
    if (isShut(request.raw)) return sendGone(reply)
    if (namesHost(request.raw)) return goOn()
    const problem = new Problem('invalid_payload', 'A request of HTTP/1.1 names its host.')
    sendProblem(world, request, reply.header('connection', 'close'), problem)
  })
  app.addHook('onResponse', ({ headers, ip }, _reply, goOn) => {
    noteUse(headers.authorization, ip, headers['user-agent'])
    goOn()
  })
  app.setErrorHandler((error, request, reply) => sendProblem(world, request, reply, error))
  const methods = methodsTaken(app)
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const taken = methods(path)
    if (taken.length === 0 && isLookedAt(request.headers.accept, path)) return sendNoPage(reply)
    if (taken.length === 0) return sendProblem(world, request, reply, notFound(request.method, path))
    return sendProblem(world, request, reply.header('allow', taken.join(', ')), wrongMethod(request.method, taken))
  })

  app.addHook('preClose', async () => tools.stop())
  await registerRest(app, { ...front, identifyPerson: identifyPerson({ ...world, db: pools.door }) })
  registerNoSignIn(app)
  registerHealth(app, world, pools.door)
  const outside = { ...world, db: pools.strangers }
  await registerConnector(app, outside)
  await registerSetup(app, outside)
  await registerSession(app, outside)
  registerReports(app, outside)
  registerDescriptions(app, baseUrl)
  registerDashboard(app, isSecure(world))
  return app
}

function serve(listener: RequestListener): http.Server {
  const limits = {
    ...{ headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000, keepAliveTimeout: 72_000 },
    // Whoever names no host is refused by us, with a body; Node itself would give none.
    requireHostHeader: false,
  }
  const server = http.createServer(limits, listener)
  server.maxRequestsPerSocket = 100_000
  return server
}

const namesHost = ({ httpVersion, headers }: IncomingMessage) => httpVersion !== '1.1' || headers.host !== undefined

/** What is not HTTP gets a problem like any other, and the connection is closed. */
function refuseNoise(error: Error & { code?: string }, socket: Socket): void {
  const problem = noise[error.code ?? ''] ?? new Problem('invalid_payload', 'This is not a request of HTTP/1.1.')
  const requestId = newRequestId()
  const body = JSON.stringify(problemDetails(problem, requestId))
  const { status } = problems[problem.code]
  const headers = {
    ...everywhere,
    'x-request-id': requestId,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  }
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  if (socket.writable) socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy()
}

const noise: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem('headers_too_large', 'The address and the headers of a request are 16 KiB together at most.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request_timeout', 'A request has 10 s for its headers and 30 s in all. Send it again.'),
}

const newRequestId = () => `req_${freshHex(16)}`

const pathOf = (url: string) => url.split('?')[0] ?? ''

/** By a person in a browser, and not by a program that asks the API. */
const isLookedAt = (accept: string | undefined, path: string) => /\btext\/html\b/.test(accept ?? '') && !/^\/(?:api|connector)\//.test(path)

const wrongMethod = (method: string, taken: string[]) =>
  new Problem('method_not_allowed', `${method} is not for this path; it takes ${taken.join(', ')}.`)

function notFound(method: string, path: string): Problem {
  return new Problem('not_found', `There is no ${method} ${scrub(path.slice(0, 200))}. /docs describes what there is.`)
}

/** What describes the API is public, and made when somebody first asks: all of it is 5 MB. */
function registerDescriptions(app: FastifyInstance, baseUrl: string): void {
  const described = manifest(operations)
  const openApi = () => JSON.stringify({ ...openapi(described), servers: [{ url: `${baseUrl}/api/v1` }] })
  const { pages, css, script } = docs(described, baseUrl)
  const headers = { 'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'" }
  serveMade(app, '/api/v1/openapi.json', { type: 'application/json; charset=utf-8', make: openApi })
  for (const [path, make] of Object.entries(pages)) serveMade(app, path, { type: 'text/html; charset=utf-8', make, headers })
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 308))
  serveMade(app, '/docs.css', { type: 'text/css; charset=utf-8', make: () => css })
  serveMade(app, '/docs.js', { type: 'text/javascript; charset=utf-8', make: () => script })
}
