import assert from 'node:assert/strict'
import { test } from 'node:test'
import { legacy, meta, modern, send } from '../../test/mcp-client.ts'
import { house, writer } from '../../test/mcp-house.ts'
import { latestLegacyVersion, modernVersion } from './mcp-era.ts'
import { instructions } from './mcp-instructions.ts'

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
  const cases: [unknown, number, (number | string)?][] = [
    ['{', -32700],
    [Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['', -32700],
    ['null', -32600],
    [{ id: 1, method: 'ping' }, -32600, 1],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    [{ jsonrpc: '2.0', id: 'a', method: 7 }, -32600, 'a'],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', -32600],
  ]
  for (const [body, code, id = null] of cases) {
    const { status, json } = await send(body)
    assert.deepEqual([status, json.error.code, json.id], [400, code, id], JSON.stringify(body))
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
