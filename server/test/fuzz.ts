// Sends wild requests and holds every answer against what we say of ourselves.
import assert from 'node:assert/strict'
import http from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Tool } from '../src/projections/mcp-tools.ts'
import { type FuzzRequest, type Material, type OpenApi, randomOf, requestOf, segment } from './fuzz-requests.ts'
import { badWrappings } from './fuzz-words.ts'

export interface FuzzTarget {
  url: string
  authorizations: Material['authorizations']
  ids: Material['ids']
}

export interface FuzzReport {
  requests: number
  seconds: number
  slowestMs: number
  /** Answers by face and status. */
  statuses: Record<string, number>
}

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

const atOnce = 16
/** Longer than any call may wait for a site. */
const hangMs = 60_000
const toolStatuses = new Set([200, 202, 400, 401, 403, 404, 405, 413, 415, 429])
const outsideStatuses = new Set([200, 202, 302, 400, 401, 404, 405, 413, 415, 429])

/** Throws an AssertionError with the request that was answered badly. */
export async function fuzz(target: FuzzTarget, requests: number, seed: number): Promise<FuzzReport> {
  const random = randomOf(seed)
  const material = await materialOf(target)
  const check = checksOf(material)
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  const at = { url: target.url, agent }
  const report: FuzzReport = { requests, seconds: 0, slowestMs: 0, statuses: {} }
  const began = performance.now()
  let sent = 0
  const client = async () => {
    while (sent < requests) {
      sent++
      await one(at, requestOf(random, material), check, report)
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, client))
  } finally {
    agent.destroy()
  }
  report.seconds = Math.round((performance.now() - began) / 1000)
  return report
}

/** Every route with every way to wrap a body that it must not take: each refusal is one that the route says it may answer. */
export async function wrapBadly(target: FuzzTarget): Promise<FuzzReport> {
  const random = randomOf(1)
  const material = await materialOf(target)
  const check = checksOf(material)
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  const at = { url: target.url, agent }
  const report: FuzzReport = { requests: 0, seconds: 0, slowestMs: 0, statuses: {} }
  const authorization = material.authorizations[0] ?? ''
  const routes = Object.entries(material.api.paths).flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => [path, verb] as const))
  try {
    for (const [template, verb] of routes)
      await Promise.all(
        badWrappings.map(([headers, body]) => {
          report.requests++
          const path = `/api/v1${template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(random, material, name))}`
          const request = { method: verb.toUpperCase(), path, headers: { ...headers, authorization }, body: Buffer.from(body) }
          return one(at, request, check, report)
        }),
      )
  } finally {
    agent.destroy()
  }
  return report
}

async function one(
  { url, agent }: { url: string; agent: http.Agent },
  request: FuzzRequest,
  check: Check,
  report: FuzzReport,
): Promise<void> {
  const began = performance.now()
  try {
    const answer = await send(url, agent, request)
    report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - began))
    const key = `${faceOf(request)} ${answer.status}`
    report.statuses[key] = (report.statuses[key] ?? 0) + 1
    check(request, answer)
  } catch (error) {
    const { method, path, headers, body } = request
    const shown = JSON.stringify({ method, path, headers, body: body?.toString('latin1').slice(0, 1500) })
    throw new Error(`${(error as Error).message}\nthe request: ${shown}`, { cause: error })
  }
}

const faceOf = ({ path }: FuzzRequest) => (path === '/api/mcp' ? 'mcp' : path.startsWith('/api/v1') ? 'rest' : 'other')

function send(url: string, agent: http.Agent, { method, path, headers, body }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const chunked = headers['transfer-encoding'] !== undefined
  return new Promise((resolve, reject) => {
    const length = body && !chunked ? { 'content-length': String(body.length) } : {}
    const request = http.request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length }, timeout: hangMs },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
      },
    )
    request.on('timeout', () => request.destroy(new Error('no answer: it hangs')))
    request.on('upgrade', () => reject(new Error('it changed the protocol')))
    // A body that is not wanted is cut off, and so may its sender be; what counts is the next request.
    // What is no HTTP is refused before its method is known, so a HEAD gets a body as well.
    const cutOff = (code = '') =>
      (body && body.length > 60_000 && ['EPIPE', 'ECONNRESET'].includes(code)) || (method === 'HEAD' && code === 'HPE_CLOSED_CONNECTION')
    request.on('error', (error: NodeJS.ErrnoException) =>
      cutOff(error.code) ? resolve({ status: 413, headers: {}, body: Buffer.alloc(0) }) : reject(error),
    )
    request.end(body)
  })
}

async function materialOf({ url, authorizations, ids }: FuzzTarget): Promise<Material> {
  const api = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as OpenApi
  // A stream does not end by itself; events.test.ts asks for it.
  for (const [path, { get }] of Object.entries(api.paths))
    if (get?.responses['200']?.content && 'text/event-stream' in get.responses['200'].content) delete api.paths[path]
  const listed = await fetch(`${url}/api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: authorizations[0] ?? '' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  const { result } = (await listed.json()) as { result: { tools: Tool[] } }
  return { api, tools: result.tools, authorizations, ids }
}

type Check = (request: FuzzRequest, answer: Answer) => void

function checksOf(material: Material): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(material.api, 'api')
  const holds = (at: string, value: unknown, what: string) => {
    const validate = ajv.getSchema(`api#${at}`)
    assert.ok(validate, `nothing describes ${what}`)
    assert.ok(validate(value), `${what} is not as described: ${ajv.errorsText(validate.errors)} ${JSON.stringify(value).slice(0, 500)}`)
  }
  const outputs = new Map(material.tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]))
  // What is spelled out wins over a placeholder, as OpenAPI has it.
  const placeholders = (template: string) => template.split('{').length
  const templates = Object.keys(material.api.paths).sort((a, b) => placeholders(a) - placeholders(b))
  const paths = templates.map((template) => ({
    template,
    pattern: new RegExp(`^/api/v1${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))

  function problem(answer: Answer) {
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
    const value = JSON.parse(answer.body.toString())
    holds('/components/schemas/Problem', value, `the problem ${answer.status}`)
    assert.equal(value.status, answer.status)
    assert.equal(value.request_id, answer.headers['x-request-id'])
  }

  function rest({ method, path }: FuzzRequest, answer: Answer) {
    const template = paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))?.template
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const described = template === undefined ? undefined : material.api.paths[template]?.[verb]
    if (answer.status === 304 || method === 'HEAD') return assert.equal(answer.body.length, 0)
    if (!described || (answer.status === 404 && !(answer.status in described.responses))) {
      if (answer.status === 200) return assert.match(path, /^\/api\/v1\/openapi\.json/)
      // What is only for people is described nowhere, and there.
      assert.ok([400, 401, 403, 404, 405, 413, 415].includes(answer.status), `${answer.status} where nothing is`)
      if (answer.status === 405) assert.match(String(answer.headers.allow), /^[A-Z]+(, [A-Z]+)*$/)
      return problem(answer)
    }
    assert.ok(
      answer.status in described.responses,
      `${method} ${template} does not say that it may answer ${answer.status}: ${answer.body.toString().slice(0, 500)}`,
    )
    if (answer.status >= 400) return problem(answer)
    const type = String(answer.headers['content-type']).split(';')[0] ?? ''
    if (type !== 'application/json') return
    const at = ['', 'paths', template ?? '', verb, 'responses', String(answer.status), 'content', type, 'schema']
    holds(
      at
        .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
        .join('/')
        .replaceAll('{', '%7B')
        .replaceAll('}', '%7D'),
      JSON.parse(answer.body.toString()),
      `${method} ${template} ${answer.status}`,
    )
  }

  function mcpMessage(asked: { method?: unknown; params?: { name?: unknown } } | undefined, value: Record<string, never>) {
    assert.equal(value.jsonrpc, '2.0')
    const { result, error } = value as unknown as {
      result?: { isError?: boolean; structuredContent?: unknown }
      error?: { code: number; message: string }
    }
    assert.ok((result === undefined) !== (error === undefined), 'either a result or an error')
    if (error) return assert.ok(Number.isInteger(error.code) && typeof error.message === 'string')
    if (asked?.method !== 'tools/call' || result?.isError) return
    const validate = outputs.get(String(asked.params?.name))
    assert.ok(
      validate?.(result?.structuredContent),
      `the output of ${asked.params?.name} is not as described: ${ajv.errorsText(validate?.errors)}`,
    )
  }

  function mcp(request: FuzzRequest, answer: Answer) {
    assert.ok(toolStatuses.has(answer.status), `${answer.status} from the tool server: ${answer.body.toString().slice(0, 500)}`)
    if (answer.status === 202 || request.method === 'HEAD' || answer.body.length === 0) return
    // A method that HTTP servers seldom know does not reach the tool server.
    if (/problem/.test(String(answer.headers['content-type']))) return problem(answer)
    const value = JSON.parse(answer.body.toString())
    if (Array.isArray(value)) {
      for (const each of value) mcpMessage(undefined, each)
      return
    }
    mcpMessage(answer.status === 200 ? JSON.parse(request.body?.toString().replace(/^\ufeff/, '') ?? '{}') : undefined, value)
  }

  return (request, answer) => {
    assert.notEqual(answer.status, 500, answer.body.toString().slice(0, 500))
    // Cut off while it was sending; there is no answer to look at.
    if (answer.headers['x-request-id'] === undefined) return assert.equal(answer.status, 413)
    // Of HTTP itself, before anybody looked where it goes.
    if ([408, 431].includes(answer.status)) return problem(answer)
    if (request.path === '/api/mcp') return mcp(request, answer)
    if (request.path.startsWith('/api/v1/')) return rest(request, answer)
    // What is made once and served to everybody knows its entity tag (RFC 9110, 13.1.2).
    if (answer.status === 304) return assert.ok(request.headers['if-none-match'], 'unchanged, and nobody asked')
    assert.ok(outsideStatuses.has(answer.status), `${answer.status} outside: ${answer.body.toString().slice(0, 300)}`)
  }
}

/** Every line is JSON of our making: no error of ours, no raw control character, nothing secret. */
export function checkLogs(lines: readonly string[], canaries: readonly string[]): void {
  for (const line of lines) {
    const { level } = JSON.parse(line) as { level: number }
    assert.ok(level < 50, `an error of ours: ${line.slice(0, 1500)}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(line.trimEnd(), /[\x00-\x1f\x7f]/)
    for (const canary of canaries) assert.ok(!line.includes(canary), `a secret in the log: ${line.slice(0, 300)}`)
  }
}
