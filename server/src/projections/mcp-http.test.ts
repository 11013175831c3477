import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { house, reader, serveMcp } from '../../test/mcp-house.ts'
import { until } from '../../test/until.ts'
import type { McpDeps } from './mcp-http.ts'

const json = { 'content-type': 'application/json' }
const asReader = { ...json, authorization: 'Bearer read' }
const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

async function ask(
  init: { method?: string; headers?: Record<string, string>; body?: string; url?: string },
  changes: Partial<McpDeps> = {},
) {
  const server = await serveMcp(changes)
  const { method = 'POST', url = '/api/mcp', headers = {}, body } = init
  const length = body === undefined || headers['transfer-encoding'] ? {} : { 'content-length': Buffer.byteLength(body) }
  const request = http.request(server.url + url, { method, headers: { ...headers, ...length } }).on('error', () => {})
  request.end(body)
  const [reply] = (await once(request, 'response')) as [http.IncomingMessage]
  const text = await readText(reply)
  await server.close()
  return { statusCode: reply.statusCode, headers: reply.headers, body: text, json: () => JSON.parse(text) }
}

test('an answer is plain JSON of known length, whatever the client says it accepts', async () => {
  for (const accept of ['text/event-stream', 'text/html', '']) {
    const reply = await ask({ headers: { ...asReader, accept, 'mcp-session-id': 'x' }, body: list })
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-type']), /^application\/json/)
    assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.body)))
    assert.equal(reply.headers['mcp-session-id'], undefined)
  }
})

test('the checks come in the order promised: origin, token, method, type, size, syntax', async () => {
  const huge = `"${'x'.repeat(1024 * 1024)}"`
  const evil = { origin: 'https://evil.example' }
  const wrong: [number, Parameters<typeof ask>[0]][] = [
    [403, { method: 'DELETE', headers: { ...evil, 'content-type': 'text/plain' }, body: huge }],
    [401, { method: 'DELETE', headers: { 'content-type': 'text/plain' }, body: huge }],
    [405, { method: 'DELETE', headers: { authorization: 'Bearer read', 'content-type': 'text/plain' }, body: huge }],
    [415, { headers: { authorization: 'Bearer read', 'content-type': 'text/plain' }, body: huge }],
    [413, { headers: asReader, body: huge }],
    [413, { headers: { ...asReader, 'transfer-encoding': 'chunked' }, body: huge }],
    [400, { headers: asReader, body: '{' }],
    [200, { headers: asReader, body: list }],
  ]
  for (const [status, request] of wrong) assert.equal((await ask(request)).statusCode, status)
})

test('without a token, or with a wrong one, the answer says how to send one', async () => {
  const none = await ask({ headers: json, body: list })
  assert.equal(none.headers['www-authenticate'], 'Bearer realm="service"')
  const wrong = await ask({ headers: { ...json, authorization: 'Bearer nonsense' }, body: list })
  assert.equal(wrong.headers['www-authenticate'], 'Bearer realm="service", error="invalid_token"')
  for (const reply of [none, wrong]) assert.equal(reply.statusCode, 401)
})

test('only POST is answered, and 405 says so', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
    const reply = await ask({ method, headers: { authorization: 'Bearer read' } })
    assert.equal(reply.statusCode, 405, method)
    assert.equal(reply.headers.allow, 'POST')
  }
})

test('JSON may name its character set; nothing else is JSON', async () => {
  const typed = (type: string, more = {}) => ask({ headers: { ...asReader, 'content-type': type, ...more }, body: list })
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])
    assert.equal((await typed(type)).statusCode, 200, type)
  for (const type of ['text/json', 'application/jsonx', 'application/x-www-form-urlencoded'])
    assert.equal((await typed(type)).statusCode, 415, type)
  assert.equal((await typed('application/json', { 'content-encoding': 'gzip' })).statusCode, 415)
})

test('a page that may not call is told where from, what this address is, and the setting', async () => {
  const { body } = await ask({ headers: { ...asReader, origin: 'https://evil.example' }, body: list }, { baseUrl: 'https://fleet.example' })
  assert.match(
    JSON.parse(String(body)).error.message,
    /^Pages of https:\/\/evil\.example may .* https:\/\/fleet\.example\. .*SERVICE_BASE_URL/,
  )
})

test('a page may call from our own origin, a listed one, or this machine when we are on it', async () => {
  const from = async (origin: string, changes: Partial<McpDeps>) =>
    (await ask({ headers: { ...asReader, origin }, body: list }, changes)).statusCode
  const away = { baseUrl: 'https://fleet.example', allowedOrigins: ['https://friend.example'] }
  for (const origin of ['https://fleet.example', 'https://friend.example']) assert.equal(await from(origin, away), 200, origin)
  for (const origin of ['http://fleet.example', 'https://fleet.example.evil.example', 'http://localhost:3000', 'null', 'x'])
    assert.equal(await from(origin, away), 403, origin)
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'http://127.1.2.3:9', 'http://[::1]:8080'])
    assert.equal(await from(origin, {}), 200, origin)
  for (const origin of ['http://evil.example', 'http://localhost.evil.example', 'null']) assert.equal(await from(origin, {}), 403, origin)
})

test('over its budget a caller is told to wait', async () => {
  const headers = { 'retry-after': '7', ratelimit: '"token";r=0;t=7' }
  const reply = await ask({ headers: asReader, body: list }, { rateLimit: () => ({ refused: true, headers }) })
  assert.equal(reply.statusCode, 429)
  assert.equal(reply.headers['retry-after'], '7')
  assert.equal(reply.headers.ratelimit, headers.ratelimit)
})

test('each message of a batch counts against the budget', async () => {
  let left = 2
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const rateLimit = () => ({ refused: left-- <= 0, headers: {} })
  const reply = await ask({ headers: asReader, body: `[${ping},${ping},${ping}]` }, { rateLimit })
  assert.deepEqual(
    reply.json().map((each: object) => 'result' in each),
    [true, true, false],
  )
})

test('a batch goes no further than the token: what is revoked meanwhile is not looked at', async () => {
  let known = 2
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const identify = () => (known-- > 0 ? reader : undefined)
  const reply = await ask({ headers: asReader, body: `[${ping},${ping},${ping}]` }, { identify })
  assert.deepEqual(
    reply.json().map((each: object) => 'result' in each),
    [true, true, false],
  )
})

test('the conformance tools are there only when asked for', async () => {
  const names = async (changes: Partial<McpDeps>) =>
    (await ask({ headers: asReader, body: list }, changes)).json().result.tools.map((tool: { name: string }) => tool.name)
  assert.ok(!(await names({})).some((name: string) => name.startsWith('test_')))
  assert.ok((await names({ fixtures: true })).includes('test_simple_text'))
})

/** `get_site`, which now waits until it is told to stop, or gives up. */
function patientHouse() {
  const told: string[] = []
  const handle = async ({ signal }: { signal: AbortSignal }) => {
    told.push('began')
    await Promise.race([
      once(signal, 'abort').then(() => told.push('stopped')),
      sleep(30_000, undefined, { signal, ref: false }).catch(() => undefined),
    ])
    throw new Error('Nobody waits for this.')
  }
  const operations = house().map((operation) => (operation.tool === 'get_site' ? { ...operation, handle } : operation))
  return { told, operations: operations as unknown as McpDeps['operations'] }
}

const callAndWait = (port: number) => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_site","arguments":{"site_id":"site_1"}}}'
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /api/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer read\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

test('work stops when the client hangs up', async () => {
  const { told, operations } = patientHouse()
  const app = await serveMcp({ operations })
  const socket = callAndWait(app.port)
  await until(() => told.includes('began'))
  socket.destroy()
  try {
    await until(() => told.includes('stopped'))
  } finally {
    await app.close()
  }
})

test('work stops when the service closes', async () => {
  const { told, operations } = patientHouse()
  const app = await serveMcp({ operations })
  const socket = callAndWait(app.port)
  socket.on('error', () => {})
  await until(() => told.includes('began'))
  await app.close()
  assert.ok(told.includes('stopped'))
  socket.destroy()
})
