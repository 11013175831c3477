import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MemoryDatabase } from '../../../test/memory-database.ts'
import { collect, MemoryStore } from '../../../test/memory-store.ts'
import type { Rows } from '../../connector/call.ts'
import { SiteError } from '../../connector/site-error.ts'
import { type DatabasePart, type Manifest, readTables, type TableEntry, type TableRange } from './manifest.ts'
import { type PreviousDatabase, type PullDatabase, pullDatabase, type SiteDatabase } from './pull-database.ts'

const MiB = 1024 * 1024
const POSTS = { name: 'wp_posts', rows: 40_000, keyed: true }
const LOG = { name: 'wp_log', rows: 30_000, keyed: false }
const EMPTY = { name: 'wp_empty', rows: 0, keyed: true }
const some = (rows: number) => ({ ...POSTS, rows })

async function pull(store: MemoryStore, site: SiteDatabase, more: Partial<PullDatabase> = {}) {
  const packer = store.openPacker()
  const signal = new AbortController().signal
  const quiet = { report: () => undefined, checkpoint: () => undefined, resumeFrom: null, options: 'wp_options', readBlob: store.readBlob }
  const request: PullDatabase = { site, packer, signal, now: () => new Date(0), sliceBytes: MiB, ...quiet, ...more }
  return pullDatabase(request).finally(() => packer.close())
}

const entriesOf = (store: MemoryStore, part: DatabasePart) => readTables({ database: part } as Manifest, store.readBlob)

async function tablesOf(store: MemoryStore, part: DatabasePart) {
  const tables = new Map<string, { sql: string; consistency: string; ranges: TableRange[] }>()
  for (const { name, ranges, consistency } of await collect(entriesOf(store, part))) {
    const sql = Buffer.concat(await Promise.all(ranges.flatMap((range) => range.blobs).map((id) => store.readBlob(id)))).toString()
    const before = tables.get(name)
    tables.set(name, { sql: (before?.sql ?? '') + sql, consistency, ranges: [...(before?.ranges ?? []), ...ranges] })
  }
  return tables
}

async function sameAs(site: MemoryDatabase, store: MemoryStore, part: DatabasePart): Promise<void> {
  const tables = await tablesOf(store, part)
  for (const { name } of site.made) assert.ok(tables.get(name)?.sql === site.text(name), name)
}

/** Backups one after the other, each built on the one before; `told`: bytes of rows that travelled. */
class History {
  readonly store = new MemoryStore()
  readonly site: MemoryDatabase
  entries: ((entries: AsyncIterable<TableEntry>) => AsyncIterable<TableEntry>) | undefined
  #last: DatabasePart | undefined

  constructor(site: MemoryDatabase) {
    this.site = site
  }

  async next(increment = ((this.#last?.increment ?? -1) + 1) % 7) {
    const before = this.#last && entriesOf(this.store, this.#last)
    const previous: PreviousDatabase | undefined = before && { id: 'backup_1', entries: this.entries?.(before) ?? before, increment }
    const [told, requests] = [this.site.told, this.site.requests]
    const { part } = await pull(this.store, this.site, previous ? { previous } : {})
    this.#last = part
    return { part, told: this.site.told - told, requests: this.site.requests - requests, tables: await tablesOf(this.store, part) }
  }

  async isHeld(part: DatabasePart) {
    await sameAs(this.site, this.store, part)
  }
}

test('every row of every table is held, keyed or not, in ranges of about half a MiB, and is read once', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG, EMPTY])]
  const { part } = await pull(store, site)
  await sameAs(site, store, part)
  const tables = await tablesOf(store, part)
  assert.deepEqual([...tables.keys()], ['wp_view', 'wp_posts', 'wp_log', 'wp_empty'])
  assert.ok((tables.get('wp_posts')?.ranges.length ?? 0) >= 5)
  const bytes = Buffer.byteLength(site.text('wp_posts') + site.text('wp_log'))
  assert.deepEqual([part.tables, part.rows, part.bytes], [4, 70_000, bytes])
  assert.deepEqual([part.read, part.consistency, part.fuzzy_tables], [{ rows: 70_000, bytes }, 'settled', []])
  assert.deepEqual([part.whole_tables, part.parent, part.increment], [['wp_log'], null, 0])
  for (const { ranges } of tables.values()) for (const { digest } of ranges) assert.match(digest ?? '', /^[0-9a-f]{32}$/)
})

test('nothing travels of a database that is as it was', async () => {
  const history = new History(new MemoryDatabase([POSTS, LOG, EMPTY]))
  const first = await history.next()
  const second = await history.next()
  assert.deepEqual([second.told, second.requests, second.part.read], [0, 0, { rows: 0, bytes: 0 }])
  assert.deepEqual([second.part.consistency, second.part.parent, second.part.increment], ['settled', 'backup_1', 1])
  assert.deepEqual(second.tables, first.tables)
})

test('a request of digests stays below 64 KB, also in an envelope, and all tables are seen', async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({ name: `wp_${String(n).padStart(4, '0')}${'t'.repeat(50)}`, rows: 3, keyed: true }))
  const site = new MemoryDatabase([some(75_000), ...many])
  site.keyCharacters = 3_000
  const history = new History(site)
  await history.next()
  let largest = 0
  site.beforeDigests = (params) => {
    largest = Math.max(largest, JSON.stringify(params).length)
  }
  const { part, told } = await history.next()
  assert.deepEqual([part.tables, told], [302, 0])
  assert.ok(largest > 20_000 && (largest * 4) / 3 < 64 * 1024, `${largest} bytes`)
})

test('a table that the database cannot read is left out by name, among hundreds; without the options there is no backup', async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({ name: `wp_${n + 1000}`, rows: 3, keyed: true }))
  const [store, site] = [new MemoryStore(), new MemoryDatabase([some(100), ...many, LOG])]
  const broken = ['wp_1123', 'wp_1250', 'wp_log']
  const refuse = (asked: string[]) => {
    if (asked.some((name) => broken.includes(name))) throw new SiteError('error:failed', 'It is marked as crashed.')
  }
  site.beforeRows = ({ table }) => refuse([table])
  site.beforeDigests = ({ tables }) => refuse(tables.map(({ table }) => table))
  const { part } = await pull(store, site)
  assert.deepEqual(
    part.omitted,
    broken.map((table) => ({ table, why: 'the site’s database cannot read it' })),
  )
  const tables = await tablesOf(store, part)
  for (const { name } of site.made) assert.equal(tables.get(name)?.sql, broken.includes(name) ? undefined : site.text(name), name)
  assert.equal(part.consistency, 'settled')
  assert.ok(site.digested < 160, `${site.digested} requests`)
  for (const options of broken) await assert.rejects(pull(new MemoryStore(), site, { options }), /marked as crashed/, options)
})

test('what a site fails once, or a table that goes meanwhile, leaves nothing out', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([some(100), { ...LOG, rows: 50 }, { ...POSTS, name: 'wp_gone', rows: 5 }])]
  const asked = new Set<string>()
  const lose = (names: string[]) => {
    if (!names.includes('wp_gone')) return
    site.made = site.made.filter(({ name }) => name !== 'wp_gone')
    throw new SiteError('error:bad_request', 'There is no such table on this site.')
  }
  site.beforeDigests = ({ tables }) => {
    lose(tables.map(({ table }) => table))
    if (!asked.has('digests')) fail('digests')
  }
  site.beforeRows = ({ table }) => {
    if (!asked.has(table)) fail(table)
  }
  const fail = (what: string) => {
    asked.add(what)
    throw new SiteError('error:failed', 'Deadlock found.')
  }
  const { part } = await pull(store, site)
  await sameAs(site, store, part)
  assert.deepEqual([part.omitted, [...asked].toSorted()], [[], ['digests', 'wp_log', 'wp_posts']])
})

test('a table that WordPress has in another database is left out by name', async () => {
  const site = new MemoryDatabase([some(3)])
  const tables = await site.tables()
  site.tables = async () => ({ ...tables, elsewhere: ['wp_2_options'], unnamed: { beside: 0, elsewhere: 16 } })
  const { part } = await pull(new MemoryStore(), site)
  assert.equal(part.unnamed, 16, 'and those that the site only counted')
  assert.deepEqual(part.omitted, [{ table: 'wp_2_options', why: 'it is not among the tables of the site in its database' }])
})

test('of a changed row only its range travels, of rows at the end only they', async () => {
  const site = new MemoryDatabase([some(40_000)])
  const history = new History(site)
  const { tables } = await history.next()
  const range = tables.get('wp_posts')?.ranges[2]
  site.version = (_, row) => (row === 20_000 ? 1 : 0)
  const changed = await history.next()
  assert.ok(changed.told > 0 && changed.told <= (range?.bytes ?? 0) * 1.1, `${changed.told} bytes`)
  await history.isHeld(changed.part)
  site.made[0] = some(40_010)
  const grown = await history.next()
  assert.equal(grown.told, site.text('wp_posts').length - changed.part.bytes + 40_000)
  assert.equal(grown.part.read?.rows, 10)
  await history.isHeld(grown.part)
})

test('rows that came every night are one range again when everything is read', async () => {
  const site = new MemoryDatabase([some(5_000)])
  const history = new History(site)
  const counts: (number | undefined)[] = []
  for (let night = 0; night < 8; night++) {
    const { part, tables } = await history.next()
    counts.push(tables.get('wp_posts')?.ranges.length)
    await history.isHeld(part)
    site.made[0] = some(5_010 + 10 * night)
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 7, 1])
})

test('rows that came in between or went away leave the other ranges as they are', async () => {
  const site = new MemoryDatabase([some(40_000)])
  site.gone = (_, row) => row >= 10_000 && row < 30_000
  const history = new History(site)
  const few = await history.next()
  site.gone = () => false
  const all = await history.next()
  await history.isHeld(all.part)
  assert.ok(all.told < all.part.bytes * 0.75, 'the beginning and the end did not travel')
  for (const { bytes } of all.tables.get('wp_posts')?.ranges ?? []) assert.ok(bytes < 1.5 * MiB, `${bytes} bytes`)
  site.gone = (_, row) => row >= 10_000 && row < 30_000
  const again = await history.next()
  await history.isHeld(again.part)
  assert.deepEqual([again.part.rows, few.part.rows], [20_000, 20_000])
  assert.ok(again.told < again.part.bytes * 0.4, `${again.told} of ${again.part.bytes}`)
  site.gone = () => true
  const none = await history.next()
  assert.deepEqual([none.part.rows, none.told, none.tables.get('wp_posts')?.ranges], [0, 0, []])
})

test('a row that is too large is left out and named, keyed or not; the next backup reads nothing and still names it', async () => {
  const site = new MemoryDatabase([some(40_000), { ...LOG, rows: 300 }])
  site.heavy = (table, row) => row === (table === LOG.name ? 7 : 20_000)
  const history = new History(site)
  const first = await history.next()
  const lacking = (tables: typeof first.tables) =>
    [...tables.values()].flatMap(({ ranges }) => ranges.flatMap(({ skipped = [] }) => skipped))
  assert.deepEqual(first.part.skipped, {
    count: 2,
    tables: ['wp_posts', 'wp_log'],
    sample: ['wp_posts: the row with key 20001 (40.0 MiB)', 'wp_log: row number 8 (40.0 MiB)'],
  })
  assert.deepEqual([first.part.consistency, first.part.rows], ['settled', 40_298])
  await history.isHeld(first.part)
  for (const { ranges } of first.tables.values()) for (const { digest } of ranges) assert.match(digest ?? '', /^[0-9a-f]{32}$/)
  const second = await history.next()
  assert.deepEqual([second.told, second.requests, second.part.consistency, second.part.increment], [0, 0, 'settled', 1])
  assert.deepEqual([second.part.skipped, lacking(second.tables)], [first.part.skipped, lacking(first.tables)])
  site.heavy = (_, row) => row === 20_000 || row === 20_001
  const third = await history.next()
  assert.deepEqual(
    lacking(third.tables).map(({ key }) => key?.map((value) => Buffer.from(value, 'base64').toString())),
    [['20001'], ['20002']],
    'one more in the one table, none in the other',
  )
  assert.ok(third.told < MiB, 'only the ranges they are in were read')
  await history.isHeld(third.part)
  site.heavy = () => false
  const whole = await history.next()
  assert.deepEqual([whole.part.skipped, lacking(whole.tables), whole.part.rows], [null, [], 40_300])
  await history.isHeld(whole.part)
})

test('a range of nothing but rows that are too large is kept as such, and a table read whole tells of them too', async () => {
  const site = new MemoryDatabase([some(3), { ...LOG, rows: 30_000 }])
  site.heavy = (table, row) => table === POSTS.name || row === 29_000
  const { digests: _, ...without } = { tables: () => site.tables(), rows: site.rows, digests: site.digests }
  for (const asked of [site, without]) {
    const store = new MemoryStore()
    const { part } = await pull(store, asked)
    assert.deepEqual([part.skipped?.count, part.rows, part.consistency], [4, 29_999, 'settled'])
    await sameAs(site, store, part)
  }
})

test('a change that no digest shows is found by the run that reads everything', async () => {
  const site = new MemoryDatabase([some(20_000)])
  const history = new History(site)
  await history.next()
  site.version = (_, row) => (row === 7 ? 1 : 0)
  site.digestText = (name, row) => site.line(name, row).replace('v1', 'v0')
  const silent = await history.next()
  assert.equal(silent.told, 0)
  await assert.rejects(history.isHeld(silent.part), { code: 'ERR_ASSERTION', message: 'wp_posts' })
  const found = await history.next(0)
  await history.isHeld(found.part)
  assert.equal(found.told, found.part.bytes - 20_000, 'all of it travelled')
})

test('a table with another definition is read whole', async () => {
  const site = new MemoryDatabase([some(20_000)])
  const history = new History(site)
  await history.next()
  history.entries = async function* (entries) {
    for await (const entry of entries) yield { ...entry, create: entry.create.replace('longtext', 'text') }
  }
  const { part } = await history.next()
  assert.equal(part.read?.rows, 20_000)
  history.entries = async function* (entries) {
    for await (const entry of entries) yield { ...entry, create: `${entry.create} AUTO_INCREMENT=4711` }
  }
  assert.equal((await history.next()).told, 0, 'but not for its counter')
})

test('a site that has no time left behind each range is asked again, and of a table without a key once', async () => {
  const site = new MemoryDatabase([some(20_000), LOG])
  const history = new History(site)
  await history.next()
  site.hurried = true
  const { part } = await history.next()
  assert.deepEqual([part.read?.rows, part.omitted], [0, []])
})

test('ranges of an older service, whose last keys were not kept, are read once more', async () => {
  const site = new MemoryDatabase([some(20_000), LOG])
  const history = new History(site)
  await history.next()
  history.entries = async function* (entries) {
    for await (const entry of entries) yield { ...entry, ranges: entry.ranges.map((range) => ({ ...range, until: null, digest: null })) }
  }
  const { part } = await history.next()
  assert.equal(part.read?.rows, 50_000)
  history.entries = undefined
  assert.equal((await history.next()).told, 0)
})

test('what the store has lost is read again', async () => {
  const site = new MemoryDatabase([some(40_000)])
  const history = new History(site)
  const { tables } = await history.next()
  const lost = tables.get('wp_posts')?.ranges[1]
  for (const id of lost?.blobs ?? []) history.store.places.delete(id)
  const { part, told } = await history.next()
  assert.ok(told > 0 && told <= (lost?.bytes ?? 0))
  await history.isHeld(part)
})

test('a table that grows while it is read is settled, and all its rows are held', async () => {
  const site = new MemoryDatabase([some(40_000), LOG])
  const history = new History(site)
  site.beforeRows = ({ table }) => {
    if (table === 'wp_posts' && site.requests < 8) site.made[0] = some((site.made[0]?.rows ?? 0) + 100)
  }
  const { part } = await history.next()
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['settled', []])
  assert.ok(part.rows > 70_000)
  await history.isHeld(part)
})

test('a table that never holds still makes the backup fuzzy, is named, and is looked at again by the next one', async () => {
  const site = new MemoryDatabase([some(20_000), { ...POSTS, name: 'wp_counter' }])
  const history = new History(site)
  site.version = (name, row) => (name === 'wp_counter' && row === 5 ? site.digested : 0)
  const { part, tables } = await history.next()
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['fuzzy', ['wp_counter']])
  assert.deepEqual([tables.get('wp_counter')?.consistency, tables.get('wp_posts')?.consistency], ['fuzzy', 'settled'])
  assert.equal(tables.get('wp_counter')?.ranges[0]?.digest, null)
  const still = site.digested
  site.version = (name, row) => (name === 'wp_counter' && row === 5 ? still : 0)
  const next = await history.next()
  assert.equal(next.part.consistency, 'settled')
  assert.ok(next.told < MiB)
  await history.isHeld(next.part)
})

test('a row that comes between each digest and the reading after it, and goes again, is not taken for settled', async () => {
  const site = new MemoryDatabase([some(1_000)])
  const history = new History(site)
  site.gone = (_, row) => row === 500
  site.beforeRows = () => {
    site.gone = () => false
  }
  site.beforeDigests = () => {
    site.gone = (_, row) => row === 500
  }
  const { part } = await history.next()
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['fuzzy', ['wp_posts']])
  site.beforeRows = () => undefined
  const calm = await history.next()
  await history.isHeld(calm.part)
  assert.equal(calm.part.rows, 999)
})

const older = (site: MemoryDatabase): SiteDatabase => ({
  tables: () => site.tables(),
  rows: site.rows,
  digests: () => Promise.reject(new SiteError('error:unknown_verb', 'no such verb')),
})

test('a site that knows no digests is read twice, and settled when both were the same', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG, EMPTY])]
  const { part } = await pull(store, older(site))
  await sameAs(site, store, part)
  assert.deepEqual([part.consistency, part.whole_tables], ['settled', ['wp_posts', 'wp_log', 'wp_empty']])
  site.version = (name, row) => (name === 'wp_log' && row === 5 ? site.requests : 0)
  const moving = await pull(store, older(site))
  assert.deepEqual([moving.part.consistency, moving.part.fuzzy_tables], ['fuzzy', ['wp_log']])
})

test('without digests a database too large to be read twice is called fuzzy', async () => {
  const [store, site] = [new MemoryStore(), new MemoryDatabase([POSTS, LOG, EMPTY])]
  const { part } = await pull(store, older(site), { settleBytes: 2 * MiB })
  assert.deepEqual([part.consistency, part.fuzzy_tables], ['fuzzy', ['wp_log']])
  assert.equal((await tablesOf(store, part)).get('wp_log')?.sql, site.text('wp_log'))
})

// Bytes that may be read twice for each kill: a twentieth and one slice; without digests a slice more, because nothing is smaller.
for (const [name, speaks, slices] of [
  ['', (site: MemoryDatabase) => site, 1],
  [' without digests', older, 2],
] as const) {
  test(`killed in the middle${name}, it goes on inside the table, and what was read is not read again`, async (t) => {
    const [store, site] = [new MemoryStore(), new MemoryDatabase([{ ...LOG, rows: 50_000 }, some(100_000), EMPTY])]
    let [state, kills] = ['null', 0]
    for (let part: DatabasePart | undefined; !part; ) {
      let clock = 0
      const until = site.requests + 6
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
      part = await pull(store, speaks(site), options).then(
        (done) => done.part,
        () => undefined,
      )
      kills += part ? 0 : 1
      if (!part) continue
      await sameAs(site, store, part)
      assert.deepEqual([part.tables, part.rows], [4, 150_000])
      const twice = site.told - part.bytes + 150_000
      t.diagnostic(`${kills} kills, ${((100 * twice) / part.bytes).toFixed(1)} % of ${part.bytes} bytes read twice`)
      assert.ok(twice <= kills * (0.05 * part.bytes + slices * MiB), `${twice} bytes`)
    }
    assert.ok(kills >= 2, `${kills} kills`)
  })
}

test('whatever happens between backups and during them, a settled one holds what the site held', async () => {
  const row = fc.integer({ min: 0, max: 6_000 })
  const change = fc.record({
    kind: fc.constantFrom('alter', 'delete', 'restore', 'grow', 'shrink'),
    from: row,
    many: fc.integer({ min: 1, max: 2_500 }),
  })
  const night = fc.record({ changes: fc.array(change, { maxLength: 4 }), during: fc.option(change), at: fc.integer({ min: 1, max: 6 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: 9 }), async (nights) => {
      const site = new MemoryDatabase([some(3_000), { ...LOG, rows: 300 }])
      const [versions, gone] = [new Map<number, number>(), new Set<number>()]
      site.version = (name, i) => (name === 'wp_posts' ? (versions.get(i) ?? 0) : 0)
      site.gone = (name, i) => name === 'wp_posts' && gone.has(i)
      // Long lines, so that the table is several ranges.
      const line = site.line.bind(site)
      site.line = (name, i) => line(name, i).replace(' é', ` ${'x'.repeat(900)}`)
      const apply = ({ kind, from, many }: { kind: string; from: number; many: number }) => {
        for (let i = from; i < from + many; i++) {
          if (kind === 'alter') versions.set(i, (versions.get(i) ?? 0) + 1)
          if (kind === 'delete') gone.add(i)
          if (kind === 'restore') gone.delete(i)
        }
        const rows = site.made[0]?.rows ?? 0
        if (kind === 'grow') site.made[0] = some(rows + many)
        if (kind === 'shrink') site.made[0] = some(Math.max(0, rows - many))
      }
      const history = new History(site)
      for (const { changes, during, at } of nights) {
        changes.forEach(apply)
        let calls = 0
        const strike = () => {
          calls += 1
          if (calls === at && during) apply(during)
        }
        site.beforeRows = strike
        site.beforeDigests = strike
        const { part } = await history.next()
        assert.equal(part.consistency, 'settled')
        await history.isHeld(part)
      }
    }),
    { numRuns: Number(process.env.DATABASE_RUNS ?? 4) },
  )
})

const ROW = Buffer.from("INSERT INTO `wp_posts` (`id`,`text`) VALUES (1,'x');\n")
const answer = (rows: Partial<Rows>): Rows => {
  return { rows: 1, after: ['MQ=='], offset: 0, done: false, encoding: 'identity', skipped: [], sql: ROW, ...rows }
}
const hostile: [string, Partial<Rows>][] = [
  ['repeats the same key for ever', {}],
  ['brings no rows and does not end', { rows: 0, sql: Buffer.alloc(0) }],
  ['counts its offset wrongly', { after: null, offset: 0 }],
  ['leaves out the same row for ever', { rows: 0, sql: Buffer.alloc(0), skipped: [{ key: ['MQ=='], offset: 0, bytes: 1 }] }],
  ['brings bytes without rows', { rows: 0, done: true }],
]
for (const [name, rows] of hostile) {
  test(`a site that ${name} is refused`, async () => {
    const site = new MemoryDatabase([POSTS])
    const bad: SiteDatabase = { tables: () => site.tables(), rows: async () => answer(rows), digests: site.digests }
    await assert.rejects(pull(new MemoryStore(), bad), /do not (move on|fit their number)/)
  })
}

const range = { until: ['MQ=='], rows: 1, bytes: 1, digest: null }
const liars: [string, { ranges: (typeof range)[]; done: boolean }[]][] = [
  ['digests the same range for ever', [{ ranges: [range], done: false }]],
  ['digests nothing and does not end', [{ ranges: [], done: false }]],
  ['answers no table', []],
  ['answers tables that nobody asked for', Array(9).fill({ ranges: [], done: true })],
]
for (const [name, tables] of liars) {
  test(`a site that ${name} is refused`, async () => {
    const site = new MemoryDatabase([some(10)])
    const bad: SiteDatabase = { tables: () => site.tables(), rows: site.rows, digests: async () => ({ tables }) }
    await assert.rejects(pull(new MemoryStore(), bad), /do not (move on|fit what was asked)/)
  })
}
