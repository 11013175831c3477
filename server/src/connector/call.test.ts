import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { type Deps, probe, type SiteConnection } from './ask.ts'
import { call, listFiles, listTables, readFiles, readRows } from './call.ts'
import type { Params, Result } from './commands.ts'
import { SiteError } from './site-error.ts'
import { pathBytes } from './site-text.ts'

const guarded = createGuardedFetch({ allowPrivate: true })
const deps: Deps = { fetch: guarded.fetch, now: () => new Date() }
let site: RunningFakeSite
let connection: SiteConnection
before(async () => {
  site = await startFakeSite()
  connection = site.pair()
})
after(async () => {
  await guarded.close()
  await site.stop()
})

const rows = (table: string, more: Partial<Params<'db.rows'>> = {}): Params<'db.rows'> => {
  return { table, after: null, offset: 0, max_bytes: 1_000, max_items: 50, budget_ms: 1_000, ...more }
}

async function allRows(table: string): Promise<{ sql: string; count: number; slices: number }> {
  let [position, sql, count, slices]: [Params<'db.rows'>, string, number, number] = [rows(table), '', 0, 0]
  for (;;) {
    const { result } = await readRows(deps, connection, position)
    sql += result.sql.toString()
    count += result.rows
    slices++
    if (result.done) return { sql, count, slices }
    position = rows(table, { after: result.after, offset: result.offset })
  }
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof SiteError, `a SiteError, not ${String(error)}`)
  return error.reason
}

describe('a site that behaves', () => {
  test('tells its inventory with what can be updated', async () => {
    const { result } = await call(deps, connection, { verb: 'inventory', params: { refresh: true } })
    const outdated = result.items.filter(({ update }) => update).map(({ file, version, update }) => [file, version, update?.version])
    assert.deepEqual(outdated, [
      ['core', '6.8.1', '6.8.2'],
      ['garden/garden.php', '1.0.0', '1.1.0'],
    ])
  })

  test('gives the tables of a large network in as many answers as it takes, and never without end', async () => {
    const { result: whole } = await call(deps, connection, { verb: 'db.tables', params: { max_items: 10, budget_ms: 1_000 } })
    const [table] = whole.tables
    assert.ok(table && whole.done)
    const names = Array.from({ length: 7_000 }, (_, n) => `wp_${String(n).padStart(5, '0')}`)
    const asked: string[] = []
    const answer = async ({ after = '', max_items }: Params<'db.tables'>): Promise<Result<'db.tables'>> => {
      asked.push(after)
      const rest = names.filter((name) => name > after)
      const tables = rest.slice(0, max_items).map((name) => ({ ...table, name }))
      return { ...whole, tables, done: tables.length === rest.length, ...(after === '' && { beside: ['wp_b_'] }) }
    }
    const { tables, beside, done } = await listTables(answer)
    assert.deepEqual([tables.map(({ name }) => name), beside, done], [names, ['wp_b_'], true])
    assert.deepEqual([asked.length, asked[1]], [7, 'wp_00999'])
    assert.equal(await reasonOf(listTables(async () => ({ ...whole, tables: [table], done: false }))), 'malformed')
    assert.equal(await reasonOf(listTables(async () => ({ ...whole, tables: [], done: false }))), 'malformed')
  })

  test('gives all rows of keyed and keyless tables in slices, none twice', async () => {
    const { result } = await call(deps, connection, { verb: 'db.tables', params: { max_items: 10, budget_ms: 1_000 } })
    assert.deepEqual(
      result.tables.map(({ name, rows, key }) => [name, rows, key.length]),
      [
        ['wp_options', 120, 1],
        ['wp_blobs', 2, 1],
        ['wp_keyless', 25, 0],
      ],
    )
    const options = await allRows('wp_options')
    assert.equal(options.count, 120)
    assert.ok(options.slices > 5)
    const ids = [...options.sql.matchAll(/\((\d+),'option_/g)].map(([, id]) => Number(id))
    assert.deepEqual(
      ids,
      Array.from({ length: 120 }, (_, i) => i + 1),
    )
    assert.match((await allRows('wp_blobs')).sql, /\(0x00ff,0x00275cff\),\(0x01,NULL\);\n$/)
    assert.equal((await allRows('wp_keyless')).count, 25)
  })

  test('lists its files in walk order and gives their bytes in pieces', async () => {
    const entries: Result<'files.list'>['entries'] = []
    for (let after: Params<'files.list'>['after'] = null, done = false; !done; ) {
      const { result } = await listFiles(deps, connection, { root: 'abspath', after, max_items: 4, budget_ms: 1_000 })
      entries.push(...result.entries)
      after = result.after
      done = result.done
    }
    const files = entries.filter(({ t }) => t === 'f')
    assert.deepEqual(files.map(({ p }) => pathBytes(p).toString()).sort(), [...site.state.files.keys()].sort())
    const asked = files.map(({ p }) => ({ p, o: 0, n: 100_000 }))
    const { result } = await readFiles(deps, connection, { root: 'abspath', items: asked, max_bytes: 1_000_000, budget_ms: 1_000 })
    for (const [i, { p }] of asked.entries())
      assert.ok(result.items[i]?.bytes.equals(site.state.files.get(pathBytes(p).toString())?.bytes ?? Buffer.of(1)))
    assert.ok(result.done)
  })

  test('tells a missing file from an empty one, and reads from an offset', async () => {
    putFile(site.state, 'numbers.txt', '0123456789')
    const items = [
      { p: 'numbers.txt', o: 3, n: 4 },
      { p: 'nowhere.txt', o: 0, n: 4 },
      { p: 'wp-content/uploads/empty.txt', o: 0, n: 4 },
    ]
    const { result } = await readFiles(deps, connection, { root: 'abspath', items, max_bytes: 1_000, budget_ms: 1_000 })
    assert.deepEqual(
      result.items.map(({ status, bytes }) => [status, bytes.toString()]),
      [
        ['ok', '3456'],
        ['missing', ''],
        ['ok', ''],
      ],
    )
  })

  test('lets one person in with one ticket, once', async () => {
    const ticket = 't'.repeat(43)
    const ticket_sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(ticket))).toString('hex')
    const { result } = await call(deps, connection, { verb: 'login.issue', params: { ticket_sha256, requester: 'Ann', ttl: 60 } })
    assert.equal(result.user_login, 'admin')
    const redeem = () =>
      fetch(result.login_url + ticket, { method: 'POST', body: new URLSearchParams({ svc_connector_ticket: ticket }), redirect: 'manual' })
    assert.equal((await fetch(result.login_url + ticket)).status, 200)
    const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await redeem()).status))
    assert.deepEqual(statuses.toSorted(), [302, ...Array(15).fill(403)])
    assert.deepEqual(site.state.logins, ['admin'])
  })
})

describe('a hostile site', () => {
  const list = { root: 'abspath', after: null, max_items: 10, budget_ms: 1_000 } as const
  const read: Params<'files.read'> = {
    root: 'abspath',
    items: [{ p: 'index.php', o: 0, n: 1_024 }],
    max_bytes: 1_000_000,
    budget_ms: 1_000,
  }

  test('cannot send a user in circles with a cursor that stands still', async () => {
    site.misbehave('endless')
    assert.equal(await reasonOf(listFiles(deps, connection, { ...list, after: 'b' })), 'malformed')
    assert.equal(await reasonOf(readRows(deps, connection, rows('wp_options', { after: ['MQ=='] }))), 'malformed')
    assert.equal(await reasonOf(readRows(deps, connection, rows('wp_keyless', { offset: 7 }))), 'malformed')
    site.misbehave()
  })

  test('cannot unpack more than was asked for', async () => {
    site.misbehave('gzip_bomb')
    assert.equal(await reasonOf(readFiles(deps, connection, read)), 'too_large')
    assert.equal(await reasonOf(readRows(deps, connection, rows('wp_options', { max_bytes: 1_000_000 }))), 'too_large')
    site.misbehave()
  })

  test('cannot answer in another shape', async () => {
    site.misbehave('wrong_shape')
    const calls = [
      call(deps, connection, { verb: 'inventory', params: { refresh: false } }),
      call(deps, connection, { verb: 'db.tables', params: { max_items: 10, budget_ms: 1_000 } }),
      listFiles(deps, connection, list),
    ]
    for (const each of calls) assert.equal(await reasonOf(each), 'malformed')
    assert.equal(await reasonOf(readFiles(deps, connection, read)), 'malformed')
    assert.equal(await reasonOf(probe(deps, connection)), 'malformed')
    site.misbehave()
  })

  test('cannot hide or steer anything in its words', async () => {
    const [core, plugin] = site.state.items
    assert.ok(core && plugin)
    const kept = { ...plugin }
    const tags = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
    Object.assign(plugin, {
      name: `\u202eevil\u200b\u001b[31m\n${tags}${'x'.repeat(500)}`,
      uri: 'javascript:alert(1)',
      author: `a\u0000b\ud800`,
    })
    const { result } = await call(deps, connection, { verb: 'inventory', params: { refresh: false } })
    const seen = result.items[1]
    assert.match(seen?.name ?? '', /^evil\[31m x+…$/)
    assert.deepEqual([seen?.name.length, seen?.uri, seen?.author], [200, '', 'ab'])
    plugin.file = 'garden/\u202ephp.nedrag'
    assert.equal(await reasonOf(call(deps, connection, { verb: 'inventory', params: { refresh: false } })), 'malformed')
    Object.assign(plugin, kept)
  })

  test('cannot name files outside its root', async () => {
    const paths = ['../x', 'a/../../x', '/etc/passwd', 'a//b', './a', 'a\0b', '']
    for (const path of paths) {
      const fresh = await startFakeSite()
      fresh.state.files.clear()
      putFile(fresh.state, path, 'x')
      assert.equal(await reasonOf(listFiles(deps, fresh.pair(), list)), 'malformed', path)
      await fresh.stop()
    }
  })
})
