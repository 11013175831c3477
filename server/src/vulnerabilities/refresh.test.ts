import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { copyrights, type FeedHost, startFeedHost, wordfenceFeed, wordfenceRecord } from '../../test/fake-feed.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { matchInventory } from './match.ts'
import { type FeedWorld, followSetting, type Outcome, refreshFeed } from './refresh.ts'
import type { FeedStatus } from './schema.ts'
import { readVersion } from './store.ts'

const hourMs = 3_600_000
const key = 'wf-KEY-0123456789abcdefghij'
const garden = { type: 'plugin', slug: 'garden', version: '1.0.0' }

describe('the vulnerability feed', () => {
  let here: TestWorld
  let host: FeedHost
  before(async () => {
    ;[here, host] = await Promise.all([aWorld(), startFeedHost()])
  })
  after(async () => {
    host.close()
    await here.close()
  })

  /** The world with this setting; what the service itself would do each minute is done by hand. */
  const withFeed = (...addresses: { kind: 'url' | 'file'; address: string }[]): FeedWorld => ({
    ...here.world,
    config: { ...here.world.config, vulnerabilityFeed: { sources: addresses, header: { name: 'Authorization', value: `Bearer ${key}` } } },
  })
  const fromHost = (query = '') => withFeed({ kind: 'url', address: `${host.url}production${query}` })
  const status = async () => (await here.call('vulnerabilities.feed')) as unknown as FeedStatus
  const only = async (outcomes: Promise<Outcome[]>) => {
    const [outcome, ...more] = await outcomes
    assert.deepEqual(more, [])
    assert.ok(outcome)
    return outcome
  }
  const found = async () => (await matchInventory(here.world, [garden]))[0]?.map(({ id }) => id)
  const serve = (body: string | Buffer, headers: Record<string, string> = {}) =>
    host.answers((_, response) => void response.writeHead(200, headers).end(body))
  /** Begins anew: no source, nothing known. */
  const forget = () => followSetting(withFeed())

  test('without one, that is said clearly, and nothing is known to be vulnerable', async () => {
    const told = await status()
    assert.deepEqual([told.configured, told.records, told.sources, told.refreshed_at], [false, 0, [], null])
    assert.match(told.message, /^No vulnerability feed is configured/)
    assert.deepEqual(await found(), [])
  })

  test('it is fetched with the key, read, and told with whose it is', async () => {
    serve(wordfenceFeed(wordfenceRecord('one')), { etag: '"v1"', 'last-modified': 'Mon, 01 Jun 2026 00:00:00 GMT' })
    const outcome = await only(refreshFeed(fromHost()))
    assert.deepEqual(outcome, { kind: 'url', status: 'changed', records: 1, changed: 1, message: null })
    assert.equal(host.asked.at(-1)?.headers.authorization, `Bearer ${key}`)
    const told = await status()
    assert.deepEqual([told.configured, told.records, told.sources[0]?.format, told.sources[0]?.error], [true, 1, 'wordfence', null])
    assert.deepEqual(told.notices, [copyrights.defiant, copyrights.mitre])
    const next = new Date(told.sources[0]?.next_at ?? '').getTime() - here.world.now().getTime()
    assert.ok(next > 5.9 * hourMs && next < 12 * hourMs, `${next}`)
    assert.deepEqual(await found(), ['one'])
  })

  test('it is asked for again when it is due, by what it was last known by, and the same is not read twice', async () => {
    const before = await readVersion(here.world.db)
    const asked = host.asked.length
    assert.deepEqual(await refreshFeed(fromHost()), [])
    assert.equal(host.asked.length, asked, 'it is not due')
    here.clock.add(12 * hourMs)
    host.answers((_, response) => void response.writeHead(304).end())
    assert.equal((await only(refreshFeed(fromHost()))).status, 'unchanged')
    const headers = host.asked.at(-1)?.headers
    assert.deepEqual([headers?.['if-none-match'], headers?.['if-modified-since']], ['"v1"', 'Mon, 01 Jun 2026 00:00:00 GMT'])
    assert.deepEqual([await found(), await readVersion(here.world.db)], [['one'], before])
  })

  test('a newer one takes the place of the older, packed or not; the version goes up only when something changed', async () => {
    const refresh = () => only(refreshFeed(fromHost(), { force: true }))
    const second = wordfenceRecord('two', { cve: 'CVE-2026-2' })
    serve(gzipSync(wordfenceFeed(wordfenceRecord('one'), second)), { 'content-encoding': 'gzip' })
    assert.deepEqual([(await refresh()).changed, await found()], [1, ['one', 'two']])
    const version = await readVersion(here.world.db)
    assert.deepEqual([(await refresh()).changed, await readVersion(here.world.db)], [0, version])
    const better = wordfenceRecord('two', { cve: 'CVE-2026-2' }, { affected_versions: {} })
    serve(wordfenceFeed(wordfenceRecord('one'), better))
    assert.deepEqual([(await refresh()).changed, await found(), await readVersion(here.world.db)], [1, ['one'], version + 1])
  })

  const endless = (response: ServerResponse) => {
    response.write('{"a":"')
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 0x61)));
    }
    response.on('drain', more)
    more()
  }
  const troubles: [string, (response: ServerResponse) => void, RegExp][] = [
    [
      'refuses the key',
      (response) => void response.writeHead(401).end(`no such key: ${key}`),
      /refused us \(401\).*SERVICE_VULNERABILITY_FEED_HEADER/,
    ],
    ['wants to be left alone', (response) => void response.writeHead(429, { 'retry-after': '7200' }).end(), /less often/],
    ['has moved', (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(), /moved \(302\)/],
    ['is down', (response) => void response.writeHead(503).end(), /status 503/],
    ['answers 304 out of nowhere to who never had it', (response) => void response.writeHead(304).end(), /status 304/],
    ['sends a web page', (response) => void response.end('<html>'), /web page/],
    ['sends something else', (response) => void response.end('{"error":{"message":"x"}}'), /neither as/],
    ['sends half of it', (response) => void response.end(wordfenceFeed(wordfenceRecord('x')).slice(0, 300)), /not complete|not proper/],
    [
      'breaks off',
      (response) => void response.writeHead(200, { 'content-length': '5000' }).write('{', () => response.destroy()),
      /broke off/,
    ],
    ['has no records', (response) => void response.end('{}'), /empty/],
    [
      'sends a gzip bomb',
      (response) => void response.end(gzipSync(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(2 ** 26, 97)]))),
      /larger than any/,
    ],
  ]
  for (const [what, answer, says] of troubles)
    test(`a host that ${what}: the reason is kept, what was known stays, and nothing secret is said`, async () => {
      await forget()
      serve(wordfenceFeed(wordfenceRecord('one')))
      await refreshFeed(fromHost('?key=SECRETQUERY'))
      host.answers((_, response) => answer(response))
      const outcome = await only(refreshFeed(fromHost('?key=SECRETQUERY'), { force: true }))
      assert.deepEqual([outcome.status, outcome.records], ['failed', 1])
      assert.match(outcome.message ?? '', says)
      const told = await status()
      assert.match(told.sources[0]?.error?.message ?? '', says)
      assert.match(told.message, /stays in force/)
      assert.deepEqual([await found(), told.records], [['one'], 1])
      const { rows } = await sql<{ t: string }>`SELECT s::text AS t FROM feed_sources s`.execute(here.world.db)
      assert.doesNotMatch(
        [...here.logs, ...rows.map(({ t }) => t), JSON.stringify(told)].join('\n'),
        /SECRETQUERY|wf-KEY|127\.0\.0\.1:\d+\/production/,
      )
      const { rows: staged } = await sql`SELECT 1 FROM feed_staging`.execute(here.world.db)
      assert.deepEqual([staged, readdirSync(here.dataDir).filter((name) => name.endsWith('.part'))], [[], []])
    })

  test('after a failure it is asked later and later, and not before it wants to be', async () => {
    await forget()
    const pauses: number[] = []
    host.answers((_, response) => void response.writeHead(500).end())
    for (let i = 0; i < 7; i++) {
      await refreshFeed(fromHost(), { force: true })
      const { sources } = await status()
      pauses.push(Math.round((new Date(sources[0]?.next_at ?? '').getTime() - here.world.now().getTime()) / 60_000))
    }
    assert.deepEqual(pauses, [30, 60, 120, 240, 480, 720, 720])
    await forget()
    host.answers((_, response) => void response.writeHead(429, { 'retry-after': '7200' }).end())
    await refreshFeed(fromHost())
    const { sources } = await status()
    assert.equal(Math.round((new Date(sources[0]?.next_at ?? '').getTime() - here.world.now().getTime()) / 60_000), 120)
    assert.match((await status()).message, /could not be read yet/)
  })

  test('a feed that has lost more than half is not believed, unless the operator says so', async () => {
    await forget()
    const records = Array.from({ length: 9 }, (_, i) => wordfenceRecord(`r${i}`, { cve: null }))
    serve(wordfenceFeed(...records))
    await refreshFeed(fromHost())
    serve(wordfenceFeed(...records.slice(0, 4)))
    assert.match((await only(refreshFeed(fromHost(), { force: true }))).message ?? '', /had 9; it is not believed/)
    assert.equal((await found())?.length, 9)
    assert.equal((await only(refreshFeed(fromHost(), { force: true, acceptSmaller: true }))).status, 'changed')
    assert.equal((await found())?.length, 4)
  })

  test('a feed of which much cannot be read is not used; a little is left out and counted', async () => {
    await forget()
    const good = Array.from({ length: 300 }, (_, i) => wordfenceRecord(`r${i}`))
    const bad = Array.from({ length: 20 }, (_, i) => ({ ...wordfenceRecord(`b${i}`), software: 'garden' }))
    serve(wordfenceFeed(...good, ...bad))
    assert.match((await only(refreshFeed(fromHost()))).message ?? '', /20 records of the feed are not/)
    serve(wordfenceFeed(...good, ...bad.slice(0, 9)))
    assert.deepEqual(
      [(await only(refreshFeed(fromHost(), { force: true }))).status, (await status()).sources[0]?.unreadable],
      ['changed', 9],
    )
  })

  test('a file is read when it is another one than before, and one that is not there says so', async () => {
    await forget()
    const address = path.join(here.dataDir, 'plugins.json')
    const world = withFeed({ kind: 'file', address })
    assert.match((await only(refreshFeed(world))).message ?? '', /cannot be read \(ENOENT\)/)
    writeFileSync(address, wordfenceFeed(wordfenceRecord('one')))
    assert.equal((await only(refreshFeed(world, { force: true }))).status, 'changed')
    assert.equal((await only(refreshFeed(world, { force: true }))).status, 'unchanged')
    writeFileSync(address, wordfenceFeed(wordfenceRecord('one'), wordfenceRecord('two', { cve: null })))
    here.clock.add(hourMs)
    assert.deepEqual([(await only(refreshFeed(world))).changed, await found()], [1, ['one', 'two']])
    assert.ok(existsSync(address))
  })

  test('several sources stand side by side, and one that is no longer set goes with all it told', async () => {
    await forget()
    const two = { kind: 'file', address: path.join(here.dataDir, 'themes.json') } as const
    writeFileSync(two.address, JSON.stringify({ meadow: { vulnerabilities: [{ id: 1, title: 'Meadow', fixed_in: '9' }] } }))
    serve(wordfenceFeed(wordfenceRecord('one')))
    const one = { kind: 'url', address: host.url } as const
    const both = withFeed(one, two)
    await followSetting(both)
    assert.deepEqual(
      (await refreshFeed(both)).map(({ records }) => records),
      [1, 1],
    )
    const themes = () => matchInventory(here.world, [{ type: 'theme', slug: 'meadow', version: '2.3' }])
    assert.deepEqual([(await status()).records, (await themes())[0]?.[0]?.title, await found()], [2, 'Meadow', ['one']])
    const version = await readVersion(here.world.db)
    await followSetting(withFeed(one))
    assert.deepEqual([(await status()).records, await themes(), await found()], [1, [[]], ['one']])
    assert.equal(await readVersion(here.world.db), version + 1)
  })

  test('two that read it at once: one does, the other is told so', async () => {
    await forget()
    serve(wordfenceFeed(wordfenceRecord('one')))
    const outcomes = await Promise.all([1, 2, 3].map(() => only(refreshFeed(fromHost(), { force: true }))))
    assert.equal(outcomes.filter(({ status: each }) => each === 'changed').length, 1)
    assert.equal(outcomes.filter(({ status: each }) => each === 'failed').length, 0)
  })

  test('one that is killed in the middle leaves what was known, and the next reads it after its lease', async () => {
    await forget()
    serve(wordfenceFeed(wordfenceRecord('one')))
    await refreshFeed(fromHost())
    await sql`UPDATE feed_sources SET load = 'load_dead', load_until = ${new Date(here.world.now().getTime() + hourMs)}, next_at = '-infinity'`.execute(
      here.world.db,
    )
    await sql`INSERT INTO feed_staging VALUES ('load_dead', 'half', '{}', '[]')`.execute(here.world.db)
    assert.equal((await only(refreshFeed(fromHost(), { force: true }))).status, 'busy')
    assert.deepEqual(await found(), ['one'])
    here.clock.add(hourMs + 1000)
    serve(wordfenceFeed(wordfenceRecord('one'), wordfenceRecord('two', { cve: null })))
    assert.equal((await only(refreshFeed(fromHost()))).status, 'changed')
    const { rows } = await sql`SELECT 1 FROM feed_staging`.execute(here.world.db)
    assert.deepEqual([await found(), rows], [['one', 'two'], []])
  })

  test('a service that stops gives an endless feed up at once and leaves it due', async () => {
    await forget()
    host.answers((_, response) => endless(response))
    const stopping = new AbortController()
    const asked = host.asked.length
    const running = refreshFeed({ ...fromHost(), stopping: stopping.signal })
    await until(() => host.asked.length > asked)
    stopping.abort(new Error('stopping'))
    assert.equal((await only(running)).status, 'failed', 'an endless one ends in no other way')
    const { sources } = await status()
    assert.deepEqual([sources[0]?.error, new Date(sources[0]?.next_at ?? '') <= here.world.now()], [null, true])
  })

  test('a private address is not asked where sites may not be private', async () => {
    await forget()
    const strict = await aWorld({ SERVICE_ALLOW_PRIVATE_SITES: 'false' })
    const asked = host.asked.length
    const setting = { sources: [{ kind: 'url' as const, address: host.url.replace('http:', 'https:') }], header: undefined }
    const outcome = await only(refreshFeed({ ...strict.world, config: { ...strict.world.config, vulnerabilityFeed: setting } }))
    assert.match(outcome.message ?? '', /could not be fetched/)
    assert.equal(host.asked.length, asked)
    await strict.close()
  })
})

test('the service itself reads the feed of its setting as soon as it starts', async () => {
  const host = await startFeedHost()
  host.answers((_, response) => void response.end(wordfenceFeed(wordfenceRecord('one'))))
  const here = await aWorld({ SERVICE_VULNERABILITY_FEED: host.url, SERVICE_VULNERABILITY_FEED_HEADER: `X-Key: ${key}` })
  const token = (await here.token('read')).token
  await until(async () => Number((await here.rest('GET', '/api/v1/vulnerability-feed', { token })).json.records) === 1)
  assert.equal(host.asked[0]?.headers['x-key'], key)
  host.close()
  await here.close()
})
