import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { sql } from 'kysely'
import { aPlugin } from '../../test/fake-items.ts'
import { grown } from '../../test/grown.ts'
import { behaviours } from '../../test/hostile-behaviours.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { recordChanges } from '../inventory/changes.ts'
import { FetchError } from '../platform/fetch-error.ts'
import { createGuardedFetch, type GuardedFetch } from '../platform/guarded-fetch.ts'
import { tokens } from '../projections/mcp-tools.ts'
import { NoPage, probePage } from './probe.ts'
import type { Sample, SitePerformance, Trend } from './schema.ts'
import { movedOf } from './trend.ts'

const day = 86_400_000
const html = `<link rel="stylesheet" href="/style.css"><script src="/app.js"></script><link rel="canonical" href="/"><link rel="preconnect" href="//cdn.example">
  <img src="/a.png"><img src="/a.png#again"><a href="/another-page">x</a><div style="background:url(/b.png)"></div><script src="/gone.js"></script>`
const assets: Record<string, Buffer> = {
  '/style.css': Buffer.alloc(3000),
  '/app.js': Buffer.alloc(20_000),
  '/a.png': Buffer.alloc(50_000),
  '/b.png': Buffer.alloc(700),
}

describe('performance', () => {
  let here: TestWorld
  let site: { id: string }
  let behaviour: RequestListener | undefined
  let headers: Record<string, string> = {}
  let body: Buffer = Buffer.from(html)
  let asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (behaviour) return behaviour(request, response)
    const asset = assets[request.url ?? '']
    if (request.url === '/') return response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
    if (!asset) return response.writeHead(404).end('nothing')
    // One that does not say by HEAD how much it is.
    if (request.url === '/a.png' && request.method === 'HEAD') return response.writeHead(405).end()
    return response.writeHead(200, { 'content-length': asset.length }).end(request.method === 'HEAD' ? undefined : asset)
  }).on('clientError', (_, socket) => socket.destroy())
  const guarded = createGuardedFetch({ allowPrivate: true })
  const { signal } = new AbortController()
  let home = ''
  /** What misbehaves is waited for briefly; the rest takes as long as a busy machine takes. */
  const patience = () => (behaviour ? 300 : 30_000)
  const probe = () => probePage({ fetch: (request) => guarded.fetch({ ...request, timeoutMs: patience() }), signal }, home)
  before(async () => {
    here = await aWorld()
    site = await here.site()
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    home = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await sql`UPDATE sites SET home = ${home} WHERE id = ${site.id}`.execute(here.world.db)
    here.world.fleet.forget(here.workspaceId, [site.id])
  })
  after(async () => {
    await guarded.close()
    server.closeAllConnections()
    server.close()
    await here.close()
  })
  const read = async (filter = {}) =>
    (await here.call('performance.list', { site_id: site.id, ...filter })) as unknown as {
      sites: SitePerformance[]
      trends: Trend[]
      points: object[]
    }

  test('a page weighs what it and everything it names weigh, each once', async () => {
    asked = []
    const { requests, page_bytes, html_bytes, compression, cache_status, tls_ms } = await probe()
    assert.deepEqual([requests, page_bytes, html_bytes], [6, html.length + 73_700, html.length])
    assert.deepEqual([compression, cache_status, tls_ms], [null, null, null])
    assert.ok(!asked.some((each) => /another-page|cdn/.test(each)))
    assert.equal(asked.filter((each) => each === 'GET /').length, 3)
  })

  test('a way to the front page that leads past TLS and back is followed', async () => {
    const ways: Record<string, string> = {
      'https://example.com/': 'http://example.com/en',
      'http://example.com/en': 'https://example.com/en/',
    }
    const address = '203.0.113.1'
    const fetch: GuardedFetch = async ({ url, plain = false }) => {
      if (url.startsWith('http:') && !plain) throw new FetchError('blocked_address', 'The address must begin with https://.')
      const location = ways[url]
      const headers: Record<string, string> = location === undefined ? {} : { location }
      return {
        ...{ status: location === undefined ? 200 : 301, headers, body: Buffer.from('Flowers') },
        ...{ address, addresses: [address], latencyMs: 1, bodyMs: 0 },
      }
    }
    const { url, html_bytes } = await probePage({ fetch, signal }, 'https://example.com/')
    assert.deepEqual([url, html_bytes], ['https://example.com/en/', 7])
  })

  test('compression and caches are told, and what is packed is read all the same', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      headers = { 'content-encoding': encoding, 'cf-cache-status': encoding === 'br' ? 'HIT' : 'DYNAMIC' }
      body = pack(html)
      const probed = await probe()
      assert.deepEqual(
        [probed.compression, probed.requests, probed.html_bytes, probed.cache_status],
        [encoding, 6, body.length, encoding === 'br' ? 'hit' : 'miss'],
      )
    }
    headers = {}
    body = Buffer.from(html)
  })

  test('a bomb does not go off, and what would not say its weight leaves the sum unknown', async () => {
    headers = { 'content-encoding': 'gzip' }
    body = gzipSync(Buffer.alloc(60_000_000))
    await assert.rejects(probe(), NoPage)
    headers = {}
    body = Buffer.from(`${html}<img src="http://169.254.169.254/x.png">`)
    assert.equal((await probe()).page_bytes, null)
    body = Buffer.from(html)
  })

  for (const [what, how] of Object.entries(behaviours))
    test(`${what}: a sample, or a named error`, async () => {
      behaviour = how
      await probe().catch((error: unknown) => assert.ok(error instanceof FetchError || error instanceof NoPage))
      behaviour = undefined
    })

  test('measuring again and again what never ends, or swells, takes less than 64 MiB', async () => {
    const more = await grown(20, async () => {
      for (const what of [
        'a page without end',
        'a gzip bomb nobody asked for',
        'a brotli bomb',
        'a header without end',
        'headers of 64 KiB',
      ]) {
        behaviour = behaviours[what] ?? assert.fail(what)
        await assert.rejects(probe(), what)
      }
    })
    behaviour = undefined
    assert.ok(more < 64, `${more} MiB`)
  })

  test('nobody looked is not fast; a job measures, and the site tells it', async () => {
    const before = await read()
    assert.deepEqual([before.sites[0]?.collected_at, [...new Set(before.trends.map(({ direction }) => direction))]], [null, ['unknown']])
    const { job_id } = await here.call('performance.measure', { site_id: site.id })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    const [{ sample } = assert.fail()] = (await read()).sites
    assert.partialDeepStrictEqual(sample, { source: 'probe', requests: 6, page_bytes: html.length + 73_700 })
    const { performance } = (await here.call('sites.get', { site_id: site.id })) as { performance: Partial<Sample> }
    assert.equal(performance.page_bytes, html.length + 73_700)
    behaviour = (_, response) => void response.writeHead(500).end()
    const failed = await here.call('performance.measure', { site_id: site.id })
    assert.equal((await here.job(String(failed.job_id))).status, 'failed')
    assert.equal((await read()).points.length, 1, 'a page that fails is no sample')
    behaviour = undefined
  })

  test('a regression is told after what was done to the site, and because of it only where that is one thing', async () => {
    await sql`DELETE FROM performance_samples`.execute(here.world.db)
    const start = here.world.now().getTime() - 12 * day
    const at = (n: number) => new Date(start + n * day)
    for (const [n, ms] of [180, 210, 190, 205, 195, 200, 900, 950].entries())
      await sql`INSERT INTO performance_samples (workspace_id, id, site_id, url, source, collected_at, ttfb_ms, total_ms, html_bytes, page_bytes, requests)
        VALUES (${here.workspaceId}, ${`sample_${n}`}, ${site.id}, ${home}, 'probe', ${at(n)}, ${ms}, ${ms}, 1, 1000, 1)`.execute(
        here.world.db,
      )
    const job = (id: string, n: number, type = 'update') =>
      sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at, completed_at, summary)
      VALUES (${here.workspaceId}, ${id}, ${type}, ${site.id}, 'completed', '{"type":"user","id":"u","name":"T"}', '{}', ${at(n)}, ${at(n)}, 'Updated slow 1.0 to 2.0.')`.execute(
        here.world.db,
      )
    await job('job_before', 4)
    await job('job_looks', 5.4, 'backup')
    const trend = async () => (await read()).trends[0] ?? assert.fail()
    assert.partialDeepStrictEqual(await trend(), {
      direction: 'worse',
      before: 198,
      now: 925,
      since: at(6).toISOString(),
      after: [],
      because: null,
    })
    await job('job_slow', 5.5)
    const told = await trend()
    assert.deepEqual(
      [told.because, told.after.map(({ job_id, summary }) => [job_id, summary])],
      ['job_slow', [['job_slow', 'Updated slow 1.0 to 2.0.']]],
    )
    await job('job_tweak', 5.6, 'tweak')
    const both = await trend()
    assert.deepEqual([both.because, both.after.length], [null, 2])

    // What failed may have changed something all the same, unless it never began; what was taken back has not.
    const become = (status: string, outcome: string | null, started: number | null) =>
      sql`UPDATE jobs SET status = ${status}, outcome = ${outcome}, started_at = ${started === null ? null : at(started)} WHERE id = 'job_tweak'`.execute(
        here.world.db,
      )
    await become('failed', 'failed', 5.6)
    assert.equal((await trend()).after.length, 2)
    await become('completed', 'taken_back', 5.6)
    assert.deepEqual([(await trend()).because, (await trend()).after.length], ['job_slow', 1])
    await become('failed', 'failed', null)
    assert.equal((await trend()).because, 'job_slow', 'it never began')
  })

  test('what people did counts too: what they told, and what two looks at the site saw, which lies somewhere between them', async () => {
    const start = here.world.now().getTime() - 12 * day
    await sql`DELETE FROM jobs WHERE id IN ('job_before', 'job_looks', 'job_slow', 'job_tweak')`.execute(here.world.db)
    const { rows } = await sql<{ at: Date }>`SELECT collected_at AS at FROM performance_samples ORDER BY 1 OFFSET 5 LIMIT 2`.execute(
      here.world.db,
    )
    const [last, first] = rows.map((row) => row.at.getTime())
    assert.ok(last && first && last > start - day)
    const share = (part: number) => new Date(last + part * (first - last))
    const trend = async (more?: object) =>
      ((await here.call('performance.list', { site_id: site.id }, more)) as unknown as { trends: Trend[] }).trends[0] ?? assert.fail()
    const { id: told } = await here.call('activity.log', {
      site_id: site.id,
      summary: 'Moved to another host',
      performed_at: share(0.5).toISOString(),
    })
    assert.partialDeepStrictEqual(await trend(), {
      because: told,
      after: [{ job_id: null, activity_id: told, type: 'maintenance', summary: 'Moved to another host', seen_after: null }],
    })
    const seen = async (n: number, from: number, to: number) => {
      const now = () => share(to)
      const change = { kind: 'on', words: `the plugin slow-${n} was switched on` } as const
      await recordChanges({ ...here.world, workspaceId: here.workspaceId, now }, site.id, share(from), [change])
    }
    await seen(1, 0.2, 0.8)
    const both = await trend()
    assert.deepEqual([both.because, both.after.length], [null, 2])
    await sql`DELETE FROM activity WHERE kind = 'maintenance' OR summary LIKE '%slow-%'`.execute(here.world.db)
    await seen(2, 0.2, 0.8)
    const one = await trend()
    assert.deepEqual([one.because, one.after[0]?.summary], [one.after[0]?.activity_id, 'The plugin slow-2 was switched on'])
    assert.deepEqual([one.after[0]?.seen_after, one.after[0]?.job_id], [share(0.2).toISOString(), null])
    const guest = await trend({ caller: here.caller({ sees: { site_ids: [site.id] } }) })
    assert.deepEqual([guest.because, guest.after[0]?.summary, guest.after[0]?.type], [null, null, 'seen'], 'it is for colleagues')
    await sql`DELETE FROM activity WHERE summary LIKE '%slow-%'`.execute(here.world.db)
    await seen(3, 0.5, 1.5)
    const perhaps = await trend()
    assert.deepEqual([perhaps.because, perhaps.after.length], [null, 1], 'it may have been done after it was slow already')
    await sql`DELETE FROM activity WHERE summary LIKE '%slow-%'`.execute(here.world.db)
    await seen(4, 1.1, 1.5)
    assert.deepEqual((await trend()).after, [])
  })

  test('what somebody switched on just before a page became heavy is told with the sample that shows it, and not a day later', async () => {
    const { id: site_id, fake } = await here.site()
    let weight = 1000
    fake.state.page = (_, path) => (path === '/' ? { status: 200, body: 'x'.repeat(weight) } : undefined)
    fake.state.items = [aPlugin('slider', { active: false })]
    const measure = async () => {
      const { job_id } = await here.call('performance.measure', { site_id })
      assert.equal((await here.job(String(job_id))).status, 'completed')
      here.clock.add(1000)
    }
    const seen = async () => {
      const { trends } = (await here.call('performance.list', { site_id })) as unknown as { trends: Trend[] }
      const { direction, after } = trends.find(({ metric }) => metric === 'page_bytes') ?? assert.fail()
      return [direction, after.map(({ type, summary }) => `${type}: ${summary}`)]
    }
    await here.call('inventory.get', { site_id })
    const looked = async () => {
      const { rows } = await sql<{ at: Date }>`SELECT inventory_at AS at FROM sites WHERE id = ${site_id}`.execute(here.world.db)
      return rows[0]?.at.getTime()
    }
    const first = await looked()
    for (let n = 0; n < 4; n++) await measure()
    assert.deepEqual([await seen(), await looked()], [['steady', []], first], 'a site is asked only where something has moved')
    fake.state.items = [aPlugin('slider', { active: true })]
    weight = 500_000
    await measure()
    assert.deepEqual(await seen(), ['worse', ['seen: The plugin “slider” was switched on']])
    const last = await looked()
    await measure()
    assert.equal(await looked(), last, 'and once')
  })

  test('an agent is told of 300 sites within 1,500 tokens, the slowest first', async () => {
    const { workspaceId } = here
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Garden of the people of street number ' || n, 'https://' || n || '.example', 'https://' || n || '.example',
        'disconnected', '', '', '', '', now(), now() FROM generate_series(1, 300) n`.execute(here.world.db)
    await sql`INSERT INTO performance_samples (workspace_id, id, site_id, url, source, collected_at, ttfb_ms, total_ms, html_bytes, page_bytes, requests)
      SELECT ${workspaceId}, 'sample_of_' || n, 'site_' || lpad(n::text, 26, '0'), '', 'probe', ${here.world.now()}, 1000 + n, 2000, 1, 1234567, 77
      FROM generate_series(1, 300) n`.execute(here.world.db)
    const agent = agentOf(here, (await here.token('read')).token)
    const { structuredContent } = await agent.call('get_performance', {})
    const { sites } = structuredContent as { sites: SitePerformance[] }
    assert.ok(tokens(structuredContent) <= 1500, `${tokens(structuredContent)}`)
    assert.deepEqual([sites[0]?.ttfb_ms, sites.length], [1300, 12])
  })
})

test('a figure that moves as it always does is steady, one odd sample is no regression, a lasting one is', () => {
  const of = (...values: number[]) => movedOf('ttfb_ms', values).direction
  assert.equal(of(100, 900, 100), 'unknown')
  assert.equal(of(100, 900, 150, 800, 120, 950, 130, 900), 'steady')
  assert.equal(of(200, 210, 190, 200, 2000, 205, 195, 200), 'steady')
  assert.equal(of(200, 210, 190, 200, 205, 600, 610), 'worse')
  assert.equal(of(900, 910, 905, 900, 300, 310), 'better')
  assert.equal(of(20, 21, 20, 22, 90, 95), 'steady', 'so little is nothing that somebody notices')
  assert.equal(movedOf('page_bytes', [1e6, 1e6, 1e6, 1e6, 1.5e6]).direction, 'worse')
})

test('in every series the figures are of it, and a move has a beginning', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 40 }), (values) => {
      const { direction, from, before, now } = movedOf('ttfb_ms', values)
      assert.equal(from !== null, direction === 'worse' || direction === 'better')
      assert.equal(direction === 'unknown', values.length < 4)
      if (direction === 'worse') assert.ok((now ?? 0) > (before ?? 0))
      if (direction === 'better') assert.ok((now ?? 0) < (before ?? 0))
    }),
  )
})
