import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rows } from '../../connector/call.ts'
import { type DatabasePart, type Manifest, readTables } from './manifest.ts'
import { MemoryDatabase } from './memory-site.ts'
import { collect, MemoryStore } from './memory-store.ts'
import { type PullDatabase, pullDatabase, type SiteDatabase } from './pull-database.ts'

const MiB = 1024 * 1024
const POSTS = { name: 'wp_posts', rows: 40_000, keyed: true }
const LOG = { name: 'wp_log', rows: 30_000, keyed: false }
const EMPTY = { name: 'wp_empty', rows: 0, keyed: true }

async function pull(store: MemoryStore, site: SiteDatabase, more: Partial<PullDatabase> = {}) {
  const packer = store.openPacker()
  const signal = new AbortController().signal
  const quiet = { report: () => undefined, checkpoint: () => undefined, resumeFrom: null }
  const request: PullDatabase = { site, packer, signal, now: () => new Date(0), sliceBytes: MiB, ...quiet, ...more }
  return pullDatabase(request).finally(() => packer.close())
}

async function tablesOf(
  store: MemoryStore,
  part: DatabasePart,
): Promise<Map<string, { sql: string; consistency: string; ranges: number }>> {
  const tables = new Map<string, { sql: string; consistency: string; ranges: number }>()
  for (const { name, ranges, consistency } of await collect(readTables({ database: part } as Manifest, store.readBlob))) {
    const sql = Buffer.concat(await Promise.all(ranges.flatMap((range) => range.blobs).map((id) => store.readBlob(id)))).toString()
    const before = tables.get(name)
    tables.set(name, { sql: (before?.sql ?? '') + sql, consistency, ranges: (before?.ranges ?? 0) + ranges.length })
  }
  return tables
}

test('every row of every table is held, keyed or not, in ranges of about a MiB', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG, EMPTY])]
  const { part } = await pull(store, site)
  const tables = await tablesOf(store, part)
  for (const { name } of site.made) assert.equal(tables.get(name)?.sql, site.text(name), name)
  assert.deepEqual([...tables.keys()], ['wp_view', 'wp_posts', 'wp_log', 'wp_empty'])
  assert.ok((tables.get('wp_posts')?.ranges ?? 0) >= 3)
  assert.deepEqual([part.tables, part.rows, part.bytes], [4, 70_000, Buffer.byteLength(site.text('wp_posts') + site.text('wp_log'))])
})

test('a database that held still is settled, because a second pass found the same', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG])]
  const { part } = await pull(store, site)
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['settled', []])
})

test('a database that arrived in one answer is a snapshot', async () => {
  const site = new MemoryDatabase([{ name: 'wp_posts', rows: 10, keyed: true }])
  const { part } = await pull(new MemoryStore(), site)
  assert.deepEqual([part.consistency, site.requests], ['snapshot', 1])
})

test('a table that changed during the first pass is read again, and the new rows are held', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG])]
  site.version = (name, row) => (name === 'wp_posts' && row === 0 && site.requests > 2 ? 1 : 0)
  const { part } = await pull(store, site)
  assert.equal(part.consistency, 'settled')
  assert.equal((await tablesOf(store, part)).get('wp_posts')?.sql, site.text('wp_posts'))
})

test('a table that never holds still makes the backup fuzzy, and is named', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG])]
  site.version = (name, row) => (name === 'wp_log' && row === 5 ? site.requests : 0)
  const { part } = await pull(store, site)
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['fuzzy', ['wp_log']])
  const tables = await tablesOf(store, part)
  assert.equal(tables.get('wp_log')?.consistency, 'fuzzy')
})

test('a database too large to be read twice is called fuzzy', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG, EMPTY])]
  const { part } = await pull(store, site, { settleBytes: MiB })
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['fuzzy', ['wp_posts', 'wp_log']])
  const tables = await tablesOf(store, part)
  assert.deepEqual([tables.get('wp_posts')?.consistency, tables.get('wp_empty')?.consistency], ['fuzzy', 'snapshot'])
  assert.equal(tables.get('wp_log')?.sql, site.text('wp_log'))
})

test('killed in the middle, it goes on inside the table and no row is held twice', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, { ...LOG, rows: 100_000 }, EMPTY])]
  let [state, kills] = ['null', 0]
  for (let part: DatabasePart | undefined; !part; ) {
    let clock = 0
    const until = site.requests + 3
    site.beforeRows = () => {
      if (site.requests > until) throw new Error('killed')
    }
    const now = () => {
      clock += 10_000
      return new Date(clock)
    }
    const save = (next: unknown) => {
      state = JSON.stringify(next)
    }
    const options = { resumeFrom: JSON.parse(state), checkpoint: save, now, settleBytes: 0 }
    part = await pull(store, site, options).then(
      (done) => done.part,
      () => undefined,
    )
    kills += part ? 0 : 1
    if (!part) continue
    const tables = await tablesOf(store, part)
    for (const { name } of site.made) assert.equal(tables.get(name)?.sql, site.text(name), name)
    assert.deepEqual([part.tables, part.rows], [4, 140_000])
  }
  assert.ok(kills >= 2, `${kills} kills`)
})

const answer = (rows: Partial<Rows>): Rows => {
  return { rows: 1, after: ['MQ=='], offset: 0, done: false, encoding: 'identity', sql: Buffer.from('INSERT'), ...rows }
}
const hostile: [string, Partial<Rows>][] = [
  ['repeats the same key for ever', {}],
  ['brings no rows and does not end', { rows: 0, sql: Buffer.alloc(0) }],
  ['counts its offset wrongly', { after: null, offset: 0 }],
  ['brings bytes without rows', { rows: 0, done: true }],
]
for (const [name, rows] of hostile) {
  test(`a site that ${name} is refused`, async () => {
    const site = new MemoryDatabase([POSTS])
    const bad: SiteDatabase = { tables: () => site.tables(), rows: async () => answer(rows) }
    await assert.rejects(pull(new MemoryStore(), bad), /do not (move on|fit their number)/)
  })
}
