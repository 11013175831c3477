import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { failed, legacy, meta, modern } from '../../test/mcp-client.ts'
import { asker, house, kernel, reader, waiting, writer } from '../../test/mcp-house.ts'
import { CachedAnswer } from '../kernel/cached-answer.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { mcp } from './mcp.ts'
import { modernVersion } from './mcp-era.ts'
import { success } from './mcp-result.ts'
import { textOf } from './mcp-rpc.ts'
import { tokens } from './mcp-tools.ts'

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

test('an agent says which fields of each item it wants, parts of them too; a wrong name is told what there is', async () => {
  const ask = (fields: unknown) => legacy('tools/call', { name: 'list_sites', arguments: { fields, limit: 1 } })
  const items = async (fields: unknown) => (await ask(fields)).json.result.structuredContent.sites
  assert.deepEqual(await items('php_version, id'), [{ php_version: '8.3', id: 'site_1' }])
  assert.deepEqual(await items('all'), [{ id: 'site_1', name: 'Fern', tags: ['green'], php_version: '8.3' }])
  for (const wrong of ['id,secret', '', 'id,,name', 7, ['id'], 'id.name'])
    assert.match(String(failed(await ask(wrong)).message), /fields: Names with commas.*id, name, tags, php_version/, JSON.stringify(wrong))
  const connection = z.object({ door: z.string(), error: z.object({ code: z.string(), at: z.string() }).nullable() }).nullable()
  const list: AnyOperation = {
    ...(house()[0] as AnyOperation),
    output: z.object({ sites: z.array(z.object({ id: z.string(), connection })), total: z.int() }),
    brief: ['connection.error'],
    handle: async () => ({
      sites: [
        { id: 'a', connection: { door: 'rest', error: null } },
        { id: 'b', connection: null },
      ],
      total: 2,
    }),
  }
  const { json } = await legacy('tools/call', { name: 'list_sites', arguments: {} }, {}, { operations: [list] })
  assert.deepEqual(json.result.structuredContent.sites, [{ connection: { error: null } }, { connection: null }])
})

test('what of an item is there seldom is shown where it is, and not to who named other fields', async () => {
  const lacks = z.object({ tables: z.array(z.string()), roots: z.array(z.string()) }).nullable()
  const list: AnyOperation = {
    ...(house()[0] as AnyOperation),
    output: z.object({ sites: z.array(z.object({ id: z.string(), outside: z.int().nullable(), lacks })), total: z.int() }),
    brief: ['id'],
    briefWhere: ['outside', 'lacks.tables'],
    handle: async () => ({
      sites: [
        { id: 'a', outside: 0, lacks: { tables: [], roots: ['x'] } },
        { id: 'b', outside: null, lacks: null },
        { id: 'c', outside: 2, lacks: { tables: ['log'], roots: [] } },
      ],
      total: 3,
    }),
  }
  const sites = async (given: object) =>
    (await legacy('tools/call', { name: 'list_sites', arguments: given }, {}, { operations: [list] })).json.result.structuredContent.sites
  assert.deepEqual(await sites({}), [{ id: 'a' }, { id: 'b' }, { id: 'c', outside: 2, lacks: { tables: ['log'] } }])
  assert.deepEqual(await sites({ fields: 'id' }), [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
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
function large(count: number, nameLength = 300) {
  const [list, get] = house()
  assert.ok(list && get)
  const all = Array.from({ length: count }, (_, i) => ({ id: `site_${i}`, name: 'x'.repeat(nameLength), tags: ['y'], php_version: null }))
  const asked: number[] = []
  const page = async (_context: unknown, { limit = count, cursor = '0' }: { limit?: number; cursor?: string }) => {
    const from = Number(cursor)
    asked.push(limit)
    const cursorAfter = (index: number) => String(from + index + 1)
    const sites = all.slice(from, from + limit)
    return { sites, total: count, limit, next_cursor: from + limit < count ? cursorAfter(limit - 1) : null, cursorAfter }
  }
  const input = list.input.extend({ cursor: z.string().optional() })
  const one = async () => ({ id: 'site_1', name: 'x'.repeat(count * 300), tags: [], php_version: null })
  const call = toolsOf([{ ...list, input, handle: page } as never, { ...get, handle: one } as never])
  return { asked, call }
}

/** Calls tools of these operations. */
function toolsOf(operations: AnyOperation[]) {
  const answer = mcp(operations, { version: '0' })
  return async (name: string, given: object) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }))
    return JSON.parse(textOf(await answer(kernel(), { caller: reader, headers: {}, body, requestId: 'r' })))
  }
}

test('a page too long for a model is cut, and the rest is on the next one', async () => {
  const { asked, call } = large(1000)
  const reply = await call('list_sites', { limit: 1000 })
  const { sites, total, limit, next_cursor } = reply.result.structuredContent
  assert.deepEqual(asked, [1000])
  assert.equal(total, 1000)
  assert.ok(sites.length > 80 && sites.length < 120, String(sites.length))
  assert.deepEqual([limit, next_cursor], [sites.length, `${sites.length}`])
  assert.ok(tokens(reply) <= 20_000)
})

for (const limit of [1000, 150, 97, 7])
  test(`page after page of ${limit} asked for, every item comes once and nothing is asked twice`, async () => {
    const { asked, call } = large(1000)
    const seen: string[] = []
    let calls = 0
    for (let cursor: string | null | undefined; cursor !== null; calls++) {
      const { sites, next_cursor } = (await call('list_sites', { limit, cursor })).result.structuredContent
      seen.push(...sites.map(({ id }: { id: string }) => id))
      cursor = next_cursor
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 1000 }, (_, i) => `site_${i}`),
    )
    assert.equal(asked.length, calls)
  })

test('a list in memory that is too long is cut as well', async () => {
  const [list] = house()
  assert.ok(list)
  const sites = Array.from({ length: 200 }, (_, i) => ({ id: `site_${i}`, name: 'ß'.repeat(300), tags: [], php_version: null }))
  const cached = new CachedAnswer(
    { sites, total: 200, limit: null, next_cursor: null },
    () => Buffer.from('[]'),
    (index) => `after ${index}`,
  )
  const call = toolsOf([{ ...list, handle: async () => cached } as never])
  const [first, again] = [await call('list_sites', { limit: 200 }), await call('list_sites', { limit: 200 })]
  const { length } = first.result.structuredContent.sites
  assert.ok(length > 80 && length < 120, String(length))
  assert.equal(first.result.structuredContent.next_cursor, `after ${length - 1}`)
  assert.deepEqual(again, first)
})

test('a list whose first item is too long alone says so', async () => {
  const { call } = large(2, 40_000)
  const { code, message } = failed({ status: 200, text: '', json: await call('list_sites', { limit: 2 }) })
  assert.equal(code, 'payload_too_large')
  assert.match(message, /limit/)
})

test('an answer that has no pages and is too long says how to ask for less', async () => {
  const { code, retryable, message } = failed({ status: 200, text: '', json: await large(1000).call('get_site', { site_id: 'site_1' }) })
  assert.deepEqual([code, retryable], ['payload_too_large', false])
  assert.match(message, /site_id/)
})

test('a refusal is a result with a reason, and nothing was done', async () => {
  const done: string[] = []
  const reply = await legacy('tools/call', { name: 'create_backup', arguments: { site_id: 'site_1' } }, {}, { caller: reader, done })
  assert.equal(reply.status, 200)
  const { code, retryable, message, request_id } = failed(reply)
  assert.deepEqual({ code, retryable, request_id }, { code: 'insufficient_scope', retryable: false, request_id: 'req_1' })
  assert.match(message, /^create_backup failed\. .+ token/)
  assert.deepEqual(done, [])
})

test('what a person has to decide first is told as any other result, and nothing was done', async () => {
  const done: string[] = []
  const given = { site_id: 'site_1', why: 'Before I change the theme.' }
  const reply = await legacy('tools/call', { name: 'create_backup', arguments: given }, {}, { caller: asker, done })
  const { isError, structuredContent, content } = reply.json.result
  assert.equal(isError, false)
  assert.deepEqual(structuredContent, waiting)
  assert.deepEqual(JSON.parse(content[0]?.text ?? ''), waiting)
  assert.deepEqual(done, [])
  const { code, errors } = failed(
    await legacy('tools/call', { name: 'create_backup', arguments: { ...given, why: 'two\nlines' } }, {}, { caller: asker, done }),
  )
  assert.deepEqual([code, errors.map(({ path }: { path: string }) => path)], ['invalid_payload', ['why']])
})

test('all that is wrong with the arguments is told at once, and what they take once', async () => {
  const done: string[] = []
  const given = { type: 'everything', sites: 1, idempotency_key: '' }
  const { code, message, errors } = failed(
    await legacy('tools/call', { name: 'create_backup', arguments: given }, {}, { caller: writer, done }),
  )
  assert.equal(code, 'invalid_payload')
  assert.deepEqual(errors.map(({ path }: { path: string }) => path).sort(), ['idempotency_key', 'site_id', 'sites', 'type'])
  assert.equal(message.match(/full, db, files/g)?.length, 1)
  assert.match(message, /site_id \(required\), type, idempotency_key, why/)
  assert.deepEqual(done, [])

  const unkeyed = failed(await legacy('tools/call', { name: 'create_backup', arguments: { sites: 1 } }, {}, { caller: writer, done }))
  assert.deepEqual(unkeyed.errors.map(({ path }: { path: string }) => path).sort(), ['site_id', 'sites'])
})

const misplaced: [string, object, object?][] = [
  ['beside its arguments', { type: 'db' }],
  ['in its metadata', { _meta: { type: 'db' } }],
  ['beside its arguments as the key', { idempotency_key: 'once' }],
  ['in its metadata as the key', { _meta: { idempotency_key: 'once' } }],
  ['under a name nobody knows', { args: { type: 'db' } }],
  ['in a header', {}, { type: 'db' }],
  ['in a header as the key', {}, { 'idempotency-key': 'once' }],
]
for (const [where, params, headers] of misplaced)
  test(`what a tool is given ${where} is refused by name, and nothing is done`, async () => {
    const done: string[] = []
    const call = { name: 'create_backup', arguments: { site_id: 'site_1' }, ...params }
    const { code, errors } = failed(await legacy('tools/call', call, headers, { caller: writer, done }))
    assert.equal(code, 'invalid_payload')
    const [name = ''] = Object.keys({ ...params, ...headers })
    const inside = Object.keys((params as Record<string, object>)[name] ?? {})[0] ?? name
    assert.ok([name, inside].includes(errors[0].path) || errors[0].path === name.replace('-', '_'), errors[0].path)
    assert.deepEqual(done, [])
  })

test('metadata of clients and what the protocol puts beside the arguments are no concern of a tool', async () => {
  const done: string[] = []
  const params = { _meta: { progressToken: 1, 'example.com/thing': { type: 'db' } }, task: { ttl: 1000 } }
  const { json } = await legacy(
    'tools/call',
    { name: 'create_backup', arguments: { site_id: 'site_1' }, ...params },
    {},
    { caller: writer, done },
  )
  assert.equal(json.result.isError, false)
  assert.deepEqual(done, ['backup site_1 full'])
})

test('a connection that was narrowed in words we do not know is narrowed', async () => {
  const done: string[] = []
  for (const value of ['1', 'yes', 'True', ''])
    assert.equal(
      failed(
        await legacy(
          'tools/call',
          { name: 'create_backup', arguments: { site_id: 'site_1' } },
          { 'x-mcp-readonly': value },
          { caller: writer, done },
        ),
      ).code,
      'insufficient_scope',
    )
  assert.deepEqual(done, [])
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

test('an answer kept in memory is told the same each time, in both eras, and cut like any other', async () => {
  const [list] = house()
  assert.ok(list)
  const sites = [{ id: 'site_1', name: 'Größe', tags: ['y'], php_version: null }]
  const cached = new CachedAnswer({ sites, total: 1, limit: null, next_cursor: null }, () => Buffer.from('[]'))
  const answer = mcp([{ ...list, handle: async () => cached } as never], { version: '0' })
  const ask = async (params: object, headers = {}) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_sites', ...params } }))
    const reply = await answer(kernel(), { caller: reader, headers, body, requestId: 'r' })
    assert.equal(reply.headers['content-length'], String(Buffer.byteLength(textOf(reply))))
    return JSON.parse(textOf(reply)).result
  }
  const [first, again] = [await ask({}), await ask({})]
  assert.deepEqual(first.structuredContent, { sites: [{ id: 'site_1', name: 'Größe' }], total: 1, limit: null, next_cursor: null })
  assert.deepEqual(JSON.parse(first.content[0].text), first.structuredContent)
  assert.deepEqual(again, first)
  const now = await ask({ _meta: meta }, { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': 'list_sites' })
  assert.deepEqual(now.structuredContent, first.structuredContent)
  assert.equal(now.resultType, 'complete')
})

test('how what was asked for was understood is told of what waits for a person too', () => {
  const operation = house().find(({ tool }) => tool === 'create_backup') ?? assert.fail()
  const notice = 'since was taken as UTC: 2026-11-24T00:00:00Z.'
  const answer = JSON.parse(`{${success(operation, { output: waiting, replayed: false, awaiting: true, notice })}}`)
  assert.deepEqual(answer.structuredContent, { notice, ...waiting })
  assert.deepEqual(JSON.parse(answer.content[0].text), { notice, ...waiting })
})
