import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, house, kernel, reader, writer } from '../../test/mcp-house.ts'
import type { Caller } from '../kernel/context.ts'
import { mcp } from './mcp.ts'
import { latestLegacyVersion, modernVersion } from './mcp-era.ts'
import { fixtures } from './mcp-fixtures.ts'
import { instructions } from './mcp-instructions.ts'
import { tokens } from './mcp-tools.ts'

interface Reply {
  status: number
  text: string | undefined
  json: ReturnType<typeof JSON.parse>
}

const meta = { 'io.modelcontextprotocol/protocolVersion': modernVersion, 'io.modelcontextprotocol/clientCapabilities': {} }

async function send(
  body: unknown,
  headers: Record<string, string> = {},
  { caller = reader, done = [], logged = [] }: { caller?: Caller; done?: string[]; logged?: object[] } = {},
): Promise<Reply> {
  const answer = mcp(house(done), { version: '1.2.3', fixtures })
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const { body: sent, ...reply } = await answer(kernel(logged), { caller, headers, body: bytes, requestId: 'req_1' })
  assert.equal(reply.headers['content-length'], String(Buffer.byteLength(sent ?? '')))
  const text = sent?.toString()
  return { status: reply.status, text, json: text && JSON.parse(text) }
}

const legacy = (method: string, params?: object, headers = {}, rest = {}) => send({ jsonrpc: '2.0', id: 1, method, params }, headers, rest)

const modern = (method: string, params: { name?: string; [key: string]: unknown } = {}, headers = {}, rest = {}) =>
  send(
    { jsonrpc: '2.0', id: 'q', method, params: { _meta: meta, ...params } },
    { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...(params.name && { 'mcp-name': params.name }), ...headers },
    rest,
  )

const failed = ({ json }: Reply) => {
  assert.equal(json.result.isError, true)
  assert.equal(json.result.structuredContent, undefined)
  return JSON.parse(json.result.content[0].text)
}

test('a handshake gets the version it asks for, and the newest older one when it asks for another', async () => {
  for (const [asked, given] of [
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', latestLegacyVersion],
    [modernVersion, latestLegacyVersion],
  ]) {
    const { status, json } = await legacy('initialize', {
      protocolVersion: asked,
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    })
    assert.equal(status, 200)
    assert.equal(json.result.protocolVersion, given)
    assert.deepEqual(json.result.capabilities, { tools: {} })
    assert.equal(json.result.serverInfo.version, '1.2.3')
    assert.equal(json.result.instructions, instructions)
  }
})

test('the instructions have at most 1,500 characters', () => {
  assert.ok(instructions.length <= 1500, String(instructions.length))
})

test('discovery says what is spoken, and says it may be kept', async () => {
  const { json } = await modern('server/discover')
  assert.equal(json.id, 'q')
  assert.equal(json.result.resultType, 'complete')
  assert.ok(json.result.supportedVersions.includes(modernVersion))
  assert.ok(json.result.ttlMs > 0)
  assert.equal(json.result.cacheScope, 'public')
  assert.equal(json.result._meta['io.modelcontextprotocol/serverInfo'].name, 'service')
})

test('both eras list every tool for every token, in the same order', async () => {
  const names = house().map(({ tool }) => tool)
  const old = await legacy('tools/list')
  const now = await modern('tools/list', {}, {}, { caller: writer })
  assert.deepEqual(
    old.json.result.tools.slice(0, 4).map((tool: { name: string }) => tool.name),
    names,
  )
  assert.deepEqual(now.json.result.tools, old.json.result.tools)
  assert.equal(now.json.result.cacheScope, 'public')
  assert.equal(old.json.result.ttlMs, undefined)
})

test('headers narrow the list and what may be called, and such a list is private', async () => {
  const list = async (headers: object) => (await modern('tools/list', {}, headers)).json.result
  const reads = await list({ 'x-mcp-readonly': 'true' })
  assert.deepEqual(
    reads.tools.map((tool: { name: string }) => tool.name),
    ['list_sites', 'get_site'],
  )
  assert.equal(reads.cacheScope, 'private')
  const two = await list({ 'x-mcp-tools': 'create_backup, list_sites,nonsense' })
  assert.deepEqual(
    two.tools.map((tool: { name: string }) => tool.name),
    ['list_sites', 'create_backup'],
  )

  const done: string[] = []
  const refused = await legacy(
    'tools/call',
    { name: 'create_backup', arguments: { site_id: 'site_1' } },
    { 'x-mcp-readonly': 'true' },
    { caller: writer, done },
  )
  assert.equal(failed(refused).code, 'insufficient_scope')
  assert.deepEqual(done, [])
})

test('a result is the same object as structured content and as text', async () => {
  for (const reply of [
    await legacy('tools/call', { name: 'get_site', arguments: { site_id: 'site_2' } }),
    await modern('tools/call', { name: 'get_site', arguments: { site_id: 'site_2' } }),
  ]) {
    assert.equal(reply.status, 200)
    assert.equal(reply.json.result.isError, false)
    assert.deepEqual(reply.json.result.structuredContent, { id: 'site_2', name: 'Moss', tags: ['green'], php_version: '8.3' })
    assert.deepEqual(JSON.parse(reply.json.result.content[0].text), reply.json.result.structuredContent)
  }
})

test('a list is short for agents: a few fields, a few items, and where to go on', async () => {
  const { json } = await legacy('tools/call', { name: 'list_sites' })
  assert.deepEqual(json.result.structuredContent, {
    sites: [
      { id: 'site_1', name: 'Fern' },
      { id: 'site_2', name: 'Moss' },
    ],
    total: 3,
    limit: 2,
    next_cursor: 'more',
  })
  const all = await legacy('tools/call', { name: 'list_sites', arguments: { limit: 3 } })
  assert.equal(all.json.result.structuredContent.sites.length, 3)
})

/** `list_sites` and `get_site` of a house with this many sites, each with as much to say as a site can. */
function large(count: number) {
  const [list, get] = house()
  assert.ok(list && get)
  const all = Array.from({ length: count }, (_, i) => ({ id: `site_${i}`, name: 'x'.repeat(300), tags: ['y'], php_version: null }))
  const asked: (number | undefined)[] = []
  const page = async (_context: unknown, { limit = count }: { limit?: number }) => {
    asked.push(limit)
    return { sites: all.slice(0, limit), total: count, limit, next_cursor: limit < count ? `after ${limit}` : null }
  }
  const one = async () => ({ id: 'site_1', name: 'x'.repeat(count * 300), tags: [], php_version: null })
  const answer = mcp([{ ...list, handle: page } as never, { ...get, handle: one } as never], { version: '0' })
  const call = async (name: string, given: object) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }))
    return JSON.parse(String((await answer(kernel(), { caller: reader, headers: {}, body, requestId: 'r' })).body))
  }
  return { asked, call }
}

test('a page too long for a model is cut, and the rest is on the next one', async () => {
  const { asked, call } = large(1000)
  const reply = await call('list_sites', { limit: 1000 })
  const { sites, total, next_cursor } = reply.result.structuredContent
  assert.equal(asked.length, 2)
  assert.equal(total, 1000)
  assert.ok(sites.length > 80 && sites.length < 120, String(sites.length))
  assert.equal(next_cursor, `after ${sites.length}`)
  assert.ok(tokens(reply) <= 20_000)
})

test('an answer that has no pages and is too long says how to ask for less', async () => {
  const { code, retryable, message } = failed({ status: 200, text: '', json: await large(1000).call('get_site', { site_id: 'site_1' }) })
  assert.deepEqual([code, retryable], ['payload_too_large', false])
  assert.match(message, /site_id/)
})

test('a refusal is a result with a reason, and nothing was done', async () => {
  for (const caller of [reader, asker]) {
    const done: string[] = []
    const reply = await legacy('tools/call', { name: 'create_backup', arguments: { site_id: 'site_1' } }, {}, { caller, done })
    assert.equal(reply.status, 200)
    const { code, retryable, message, request_id } = failed(reply)
    assert.deepEqual({ code, retryable, request_id }, { code: 'insufficient_scope', retryable: false, request_id: 'req_1' })
    assert.match(message, /^create_backup failed\. .+ token/)
    assert.deepEqual(done, [])
  }
})

test('all that is wrong with the arguments is told at once, with what they take', async () => {
  const done: string[] = []
  const given = { type: 'everything', sites: 1, idempotency_key: '' }
  const { code, message, errors } = failed(
    await legacy('tools/call', { name: 'create_backup', arguments: given }, {}, { caller: writer, done }),
  )
  assert.equal(code, 'invalid_payload')
  assert.deepEqual(errors.map(({ path }: { path: string }) => path).sort(), ['idempotency_key', 'site_id', 'sites', 'type'])
  assert.match(message, /"full", "db", "files"/)
  assert.match(message, /site_id \(required\), type, idempotency_key/)
  assert.deepEqual(done, [])

  const unkeyed = failed(await legacy('tools/call', { name: 'create_backup', arguments: { sites: 1 } }, {}, { caller: writer, done }))
  assert.deepEqual(unkeyed.errors.map(({ path }: { path: string }) => path).sort(), ['site_id', 'sites'])
})

test('arguments that are no object are wrong arguments', async () => {
  for (const given of [[], 'x', 7])
    assert.equal(failed(await legacy('tools/call', { name: 'get_site', arguments: given })).code, 'invalid_payload')
})

test('a write is done, and its key is no part of its input', async () => {
  const done: string[] = []
  const { json } = await legacy(
    'tools/call',
    { name: 'create_backup', arguments: { site_id: 'site_1', type: 'db' } },
    {},
    { caller: writer, done },
  )
  assert.deepEqual(json.result.structuredContent, { job_id: 'job_1', status: 'queued', poll_after_s: 2, next: 'get_job' })
  assert.deepEqual(done, ['backup site_1 db'])
})

test('what failed at a site says so, and when to come back', async () => {
  const problem = failed(await legacy('tools/call', { name: 'update_site', arguments: { site_id: 'site_1' } }, {}, { caller: writer }))
  assert.equal(problem.code, 'site_unreachable')
  assert.equal(problem.retryable, true)
  assert.equal(problem.retry_after_s, 30)
  assert.match(problem.message, /^update_site failed\. The site did not answer\. Wait 30 s/)
})

test('an unexpected failure tells the log, not the agent', async () => {
  const logged: object[] = []
  const reply = await legacy('tools/call', { name: 'get_site', arguments: { site_id: 'site_broken' } }, {}, { logged })
  assert.equal(failed(reply).code, 'internal')
  assert.doesNotMatch(String(reply.text), /hunter2/)
  assert.match(String((logged[0] as { err: Error }).err.message), /hunter2/)
})

test('an unknown tool is an error that names the tools', async () => {
  for (const reply of [await legacy('tools/call', { name: 'drop_tables' }), await modern('tools/call', { name: 'drop_tables' })]) {
    assert.equal(reply.status, 200)
    assert.equal(reply.json.error.code, -32602)
    assert.match(reply.json.error.message, /list_sites, get_site/)
  }
})

test('an unknown method is 404 today and 200 for older clients', async () => {
  for (const method of ['ping', 'initialize', 'logging/setLevel', 'nonsense']) {
    const { status, json } = await modern(method)
    assert.equal(status, 404, method)
    assert.equal(json.error.code, -32601)
    assert.equal(json.id, 'q')
  }
  for (const method of ['server/discover', 'resources/list']) {
    const { status, json } = await legacy(method)
    assert.equal(status, 200)
    assert.equal(json.error.code, -32601)
  }
  assert.deepEqual((await legacy('ping')).json.result, {})
})

test('a modern request must say what it speaks, and its headers must agree', async () => {
  const at = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' }
  const ask = (params: object, headers: Record<string, string>) => send({ jsonrpc: '2.0', id: 9, method: 'tools/list', params }, headers)
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...versionOnly } = meta
  const cases: [object, Record<string, string>, number][] = [
    [{}, at, -32602],
    [{ _meta: versionOnly }, at, -32602],
    [{ _meta: meta }, {}, -32020],
    [{ _meta: meta }, { ...at, 'mcp-protocol-version': '2025-11-25' }, -32020],
    [{ _meta: meta }, { 'mcp-protocol-version': modernVersion }, -32020],
    [{ _meta: meta }, { ...at, 'mcp-method': 'TOOLS/LIST' }, -32020],
    [
      { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
      { ...at, 'mcp-protocol-version': '2099-01-01' },
      -32022,
    ],
  ]
  for (const [params, headers, code] of cases) {
    const { status, json } = await ask(params, headers)
    assert.deepEqual([status, json.error?.code, json.id], [400, code, 9], JSON.stringify([params, headers]))
  }
  assert.equal((await ask({ _meta: meta }, { ...at, 'mcp-method': ' tools/list ' })).status, 200)
})

test('the name of the tool is repeated in a header, plainly or as base64', async () => {
  const call = (name: string | undefined) => modern('tools/call', { name: 'list_sites' }, { 'mcp-name': name })
  assert.equal((await call('list_sites')).status, 200)
  assert.equal((await call(`=?base64?${Buffer.from('list_sites').toString('base64')}?=`)).status, 200)
  for (const wrong of [undefined, 'get_site', '=?base64?bGlzdF9zaXRlcw=?=', '=?base64?!!!?=']) {
    const { status, json } = await call(wrong)
    assert.deepEqual([status, json.error?.code], [400, -32020], wrong)
  }
})

test('an older version nobody knows is refused with the ones we know', async () => {
  const { status, json } = await legacy('tools/list', {}, { 'mcp-protocol-version': '2019-01-01' })
  assert.equal(status, 400)
  assert.equal(json.error.data.requested, '2019-01-01')
  assert.ok(json.error.data.supported.includes('2025-06-18'))
})

test('notifications and stray answers are taken without a reply', async () => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 3, result: {} },
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
  ]) {
    const { status, text } = await send(body)
    assert.deepEqual([status, text], [202, undefined])
  }
})

test('what is no JSON-RPC is refused', async () => {
  const cases: [unknown, number][] = [
    ['{', -32700],
    ['', -32700],
    ['null', -32600],
    [{ id: 1, method: 'ping' }, -32600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, -32602],
  ]
  for (const [body, code] of cases) {
    const { status, json } = await send(body)
    assert.deepEqual([status, json.error.code, json.id], [400, code, null], JSON.stringify(body))
  }
})

test('a batch is for the one version that has batches', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const two = [ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping(2)]
  for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }])
    assert.deepEqual((await send(two, headers)).json, [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
  for (const [batch, headers] of [
    [two, { 'mcp-protocol-version': '2025-06-18' }],
    [[], {}],
    [Array.from({ length: 51 }, (_, i) => ping(i)), {}],
  ] as const)
    assert.equal((await send(batch, headers)).status, 400)
  assert.equal((await send(Array.from({ length: 50 }, (_, i) => ping(i)))).json.length, 50)
})
