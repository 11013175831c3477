import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const token = `svc_${'a'.repeat(38)}`
const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

interface Seen {
  headers: IncomingMessage['headers']
  url: string | undefined
  body: { id?: number | string; method?: string }
}

type Answer = (seen: Seen, reply: ServerResponse) => void

/** A service that answers as it is told and keeps what it saw. */
async function upstream(answer: Answer) {
  const seen: Seen[] = []
  const server = createServer((request, reply) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      const each = { headers: request.headers, url: request.url, body: JSON.parse(text) }
      seen.push(each)
      answer(each, reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.closeAllConnections())
  after(() => void server.close())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const json = (reply: ServerResponse, status: number, body: unknown) =>
  void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const echo: Answer = ({ body }, reply) => {
  if (body.id === undefined) return void reply.writeHead(202).end()
  json(reply, 200, {
    jsonrpc: '2.0',
    id: body.id,
    result: body.method === 'initialize' ? { protocolVersion: '2025-06-18' } : { did: body.method },
  })
}

function start(url: string | undefined, args: string[] = [], secret: string | undefined = token): ChildProcessWithoutNullStreams {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...(url && { SERVICE_URL: url }), ...(secret && { SERVICE_TOKEN: secret }) }
  return spawn(process.execPath, [main, ...args], { env })
}

/** Sends the messages, closes stdin, and gives back what came out. */
async function bridged(url: string | undefined, messages: unknown[], args: string[] = [], secret?: string) {
  const child = start(url, args, secret)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (part) => (stdout += part))
  child.stderr.on('data', (part) => (stderr += part))
  child.stdin.on('error', () => {})
  child.stdin.end(messages.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join(''))
  const [code] = await once(child, 'close')
  const lines = stdout.split('\n').filter(Boolean)
  return { code, stdout, stderr, replies: args.length ? [] : lines.map((line) => JSON.parse(line)) }
}

const ask = (id: number, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) })

test('each line is posted with the token, and each answer is a line', async () => {
  const { seen, url } = await upstream(echo)
  const { code, replies } = await bridged(`${url}/`, [
    ask(1, 'tools/list'),
    '',
    ask(2, 'ping'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ])
  assert.equal(code, 0)
  assert.deepEqual(replies.map(({ id, result }) => [id, result.did]).sort(), [
    [1, 'tools/list'],
    [2, 'ping'],
  ])
  assert.equal(seen.length, 3)
  for (const { headers, url } of seen) {
    assert.equal(url, '/api/mcp')
    assert.equal(headers.authorization, `Bearer ${token}`)
    assert.equal(headers['content-type'], 'application/json')
  }
})

test('a modern message is repeated in headers, as base64 where a header cannot hold it', async () => {
  const { seen, url } = await upstream(echo)
  await bridged(url, [
    ask(1, 'tools/call', { name: 'list_sites', _meta: modern }),
    ask(2, 'tools/call', { name: 'Größe', _meta: modern }),
    ask(3, 'tools/list', { _meta: modern }),
  ])
  const of = (id: number) => seen.find(({ body }) => body.id === id)?.headers
  assert.equal(of(1)?.['mcp-protocol-version'], '2026-07-28')
  assert.equal(of(1)?.['mcp-method'], 'tools/call')
  assert.equal(of(1)?.['mcp-name'], 'list_sites')
  assert.equal(of(2)?.['mcp-name'], `=?base64?${Buffer.from('Größe').toString('base64')}?=`)
  assert.equal(of(3)?.['mcp-name'], undefined)
})

test('after a handshake the negotiated version goes along, also when a discovery came first', async () => {
  const { seen, url } = await upstream(echo)
  await bridged(url, [
    ask(1, 'server/discover', { _meta: modern }),
    ask(2, 'initialize', { protocolVersion: '2025-06-18' }),
    ask(3, 'tools/list'),
  ])
  const of = (id: number) => seen.find(({ body }) => body.id === id)?.headers['mcp-protocol-version']
  assert.deepEqual([of(1), of(2), of(3)], ['2026-07-28', undefined, '2025-06-18'])
})

test('a refused token is an error that says the remedy', async () => {
  const { url } = await upstream((_seen, reply) => json(reply, 401, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } }))
  const { code, stdout, replies } = await bridged(url, [ask(7, 'tools/list')])
  assert.equal(code, 0)
  assert.equal(replies[0].id, 7)
  assert.match(replies[0].error.message, /SERVICE_TOKEN.*token create/)
  assert.ok(!stdout.includes(token))
})

test('a service that is not there, or not a service, is an error that says the remedy', async () => {
  const gone = await bridged('http://127.0.0.1:9', [ask(1, 'ping')])
  assert.match(gone.replies[0].error.message, /cannot be reached.*SERVICE_URL/)
  const page = await upstream((_seen, reply) => void reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'))
  assert.match((await bridged(page.url, [ask(1, 'ping')])).replies[0].error.message, /not JSON-RPC.*SERVICE_URL/)
  const moved = await upstream((_seen, reply) => void reply.writeHead(301, { location: 'https://elsewhere.example/' }).end())
  assert.match((await bridged(moved.url, [ask(1, 'ping')])).replies[0].error.message, /redirects to https:\/\/elsewhere\.example/)
  const busy = await upstream((_seen, reply) => void reply.writeHead(429, { 'retry-after': '9' }).end())
  assert.match((await bridged(busy.url, [ask(1, 'ping')])).replies[0].error.message, /Wait 9 s/)
})

test('an error of the protocol is passed on, with the id of its request', async () => {
  const { url } = await upstream((_seen, reply) => json(reply, 400, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'bad' } }))
  const { replies } = await bridged(url, [ask(5, 'tools/list')])
  assert.deepEqual(replies, [{ jsonrpc: '2.0', id: 5, error: { code: -32600, message: 'bad' } }])
})

test('an answer of several lines becomes one', async () => {
  const { url } = await upstream(({ body }, reply) => void reply.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result: {} }, null, 2)))
  assert.equal((await bridged(url, [ask(1, 'ping')])).stdout, '{"jsonrpc":"2.0","id":1,"result":{}}\n')
})

test('a line that is not JSON is answered, and the rest goes on', async () => {
  const { url } = await upstream(echo)
  const { replies } = await bridged(url, ['{nonsense', ask(1, 'ping')])
  assert.deepEqual(
    replies.map(({ id, error }) => error?.code ?? id),
    [-32700, 1],
  )
})

test('nothing is answered to what needs no answer, even when it fails', async () => {
  const { url } = await upstream((_seen, reply) => void reply.writeHead(500).end())
  assert.equal(
    (
      await bridged(url, [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 3, result: {} },
      ])
    ).stdout,
    '',
  )
})

test('a cancellation hangs up, and the canceled request has no answer', async () => {
  let hungUp = false
  const { seen, url } = await upstream(({ body }, reply) => {
    if (body.method === 'ping') return echo({ body } as Seen, reply)
    reply.on('close', () => {
      hungUp = true
    })
  })
  const child = start(url)
  let stdout = ''
  child.stdout.on('data', (part) => (stdout += part))
  child.stdin.write(`${JSON.stringify(ask(1, 'tools/call', { name: 'slow' }))}\n`)
  while (seen.length === 0) await sleep(5)
  child.stdin.end(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })}\n${JSON.stringify(ask(2, 'ping'))}\n`,
  )
  await once(child, 'close')
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    [2],
  )
  while (!hungUp) await sleep(5)
})

test('what is under way is answered after the end of the input', async () => {
  const { url } = await upstream((seen, reply) => void setTimeout(() => echo(seen, reply), 150))
  assert.equal((await bridged(url, [ask(1, 'a'), ask(2, 'b')])).replies.length, 2)
})

test('without its environment it says so in one line and ends', async () => {
  const cases = [
    [undefined, token, 'SERVICE_URL'],
    ['http://127.0.0.1:9', '', 'SERVICE_TOKEN'],
    ['ftp://x', token, 'SERVICE_URL'],
    ['http://127.0.0.1:9', 'svc_ä b', 'SERVICE_TOKEN'],
  ] as const
  for (const [url, secret, named] of cases) {
    const child = start(url, [], secret)
    let stderr = ''
    child.stderr.on('data', (part) => (stderr += part))
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^service-mcp: .*${named}.*\\n$`))
  }
})

test('a token among the arguments is refused and not repeated', async () => {
  for (const args of [[token], ['--token', 'x'], [`--token=${token}`], ['--header', 'Authorization: Bearer x']]) {
    const { code, stdout, stderr } = await bridged('http://127.0.0.1:9', [], args)
    assert.equal(code, 1)
    assert.match(stderr, /SERVICE_TOKEN/)
    assert.ok(!`${stdout}${stderr}`.includes(token))
  }
})

test('help and version are printed; other arguments are refused', async () => {
  assert.match((await bridged(undefined, [], ['--help'])).stdout, /SERVICE_URL/)
  assert.match((await bridged(undefined, [], ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await bridged(undefined, [], ['--verbose'])).code, 1)
})
