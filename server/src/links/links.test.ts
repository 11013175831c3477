import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { agentOf } from '../../test/mcp-agent.ts'
import { plantedSite } from '../../test/planted-links.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { newId } from '../kernel/ids.ts'
import type { Running } from '../kernel/job.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { tokens } from '../projections/mcp-tools.ts'
import type { Manners } from './hosts.ts'
import { linkScan } from './jobs.ts'

const quick: Manners = { own: { atOnce: 2, pauseMs: 0 }, others: { atOnce: 2, pauseMs: 0 }, inAll: 8, timeoutMs: 30_000, scanMs: 600_000 }
const never = new AbortController().signal
type Result = Awaited<ReturnType<ReturnType<typeof linkScan>['work']>>
const summarize = linkScan(quick).summarize

interface Shown {
  id: string
  url: string
  source_url: string
  anchor_text: string
  element: string
  status_code: number | null
  reason: string
  confidence: string
  places: number
  first_seen_at: string
  well_since: string | null
}

describe('broken links', () => {
  let here: TestWorld
  let site: { id: string }
  const planted = plantedSite()
  const guarded = createGuardedFetch({
    allowPrivate: true,
    resolve: async (hostname) => {
      throw Object.assign(new Error(hostname), { code: hostname === 'nowhere.invalid' ? 'ENOTFOUND' : 'EAI_AGAIN' })
    },
  })
  const server = createServer((request, response) => planted.handle(request, response))
  /** Another host of the internet. */
  const elsewhere = createServer((request, response) => planted.handleElsewhere(request, response))
  const listen = async (listener: typeof server, host: string) => {
    await new Promise<void>((ready) => listener.listen(0, host, ready))
    return `http://${host}:${(listener.address() as AddressInfo).port}`
  }
  before(async () => {
    here = await aWorld()
    site = await here.site()
    planted.home = await listen(server, '127.0.0.1')
    planted.elsewhere = await listen(elsewhere, '127.0.0.2')
    await sql`UPDATE sites SET home = ${`${planted.home}/`} WHERE id = ${site.id}`.execute(here.world.db)
    here.world.fleet.forget(here.workspaceId, [site.id])
  })
  after(async () => {
    for (const each of [server, elsewhere]) {
      each.closeAllConnections()
      each.close()
    }
    await guarded.close()
    await here.close()
  })

  /** An attempt of a job, without the queue; `stopAfter`: it is killed when it has written so often how far it is; `lateIn`: its time is over as this part begins. */
  async function attempt(
    id: string,
    { stopAfter = Number.POSITIVE_INFINITY, maxPages = 500, lateIn = '', states = new Map<string, unknown>() } = {},
  ) {
    let reports = 0
    const job: Running = {
      ...{ id, type: 'link_scan', siteId: site.id, workspaceId: here.workspaceId, fence: 1, signal: never },
      approvalId: null,
      requestedBy: { type: 'user', id: 'user_test', name: 'Tess' },
      phase: async (part) => {
        if (stopAfter === 0) throw new Error('killed')
        if (part === lateIn) here.clock.add(quick.scanMs + 1)
      },
      async progress() {
        if (++reports >= stopAfter) throw new Error('killed')
      },
      stateOf: async (step) => states.get(step),
      saveState: async (step, state) => void states.set(step, state),
      finishStep: async () => {},
    }
    // Only what never answers is waited for briefly: on a busy machine the rest takes as long as it takes.
    const fetch: typeof guarded.fetch = (request) =>
      guarded.fetch(planted.named(request.url) === '/silent' ? { ...request, timeoutMs: 400 } : request)
    return linkScan(quick).work({ ...here.world, wire: { ...here.world.wire, fetch } }, job, { max_pages: maxPages })
  }
  const newJob = () => newId('job', here.world.now())
  const shown = async (filter = {}) =>
    (await here.call('links.list', { site_id: site.id, limit: 200, ...filter })) as unknown as {
      links: Shown[]
      scan: { pages: number; limit_reached: string | null; unread: object } | null
      counts: Record<string, number>
      gaps: string[]
    }

  const linkTo = async (path: string) => (await shown()).links.find(({ url }) => planted.named(url) === path) ?? assert.fail(path)

  test('nobody looked is not the same as nothing found', async () => {
    const { scan, links, counts, gaps } = await shown()
    assert.deepEqual([scan, links, counts, gaps], [null, [], null, ['Nobody has looked for broken links yet.']])
    const fleet = await here.call('links.list', {})
    assert.deepEqual([fleet.counts, fleet.gaps, fleet.sites_scanned], [null, gaps, 0])
  })

  test('every planted link is classified rightly, and none that works is called broken', async () => {
    await attempt(newJob())
    const { links, scan } = await shown()
    const found = Object.fromEntries(links.map(({ url, confidence, reason }) => [planted.named(url), `${confidence} ${reason}`]))
    assert.deepEqual(found, planted.expected(1))
    assert.ok(planted.count >= 80, `${planted.count} links are planted`)
    assert.equal(scan?.limit_reached, null)
    assert.deepEqual(planted.forbidden, [], 'robots.txt is heeded, and nothing is asked that does something')
  })

  test('what may pass is broken only when it fails in another scan too, and what was mended is gone', async () => {
    planted.mended.add('/gone-1')
    await attempt(newJob())
    const { links } = await shown()
    const found = Object.fromEntries(links.map(({ url, confidence, reason }) => [planted.named(url), `${confidence} ${reason}`]))
    assert.deepEqual(found, planted.expected(2))
  })

  test('it tells where a link stands: page, text and element, once for each page', async () => {
    const link = await linkTo('/gone-2')
    assert.partialDeepStrictEqual(link, { source_url: `${planted.home}/`, anchor_text: 'The lost page', element: 'a[href]', places: 2 })
    const one = (await here.call('links.get', { site_id: site.id, link_id: link.id })) as unknown as { stands: { page: string }[] }
    assert.deepEqual(one.stands.map(({ page }) => page).sort(), [`${planted.home}/`, `${planted.home}/second/`])
  })

  test('what is accepted counts no more, and is asked for still', async () => {
    const link = await linkTo('/gone-2')
    const before = (await shown()).counts.broken ?? 0
    await here.call('links.ignore', { site_id: site.id, link_id: link.id, reason: 'Until May' })
    assert.equal((await shown()).counts.broken, before - 1)
    await attempt(newJob())
    assert.deepEqual(
      (await shown({ ignored: true })).links.map(({ id }) => id),
      [link.id],
    )
    await here.call('links.unignore', { site_id: site.id, link_id: link.id })
    assert.equal((await shown()).counts.broken, before)
  })

  test('an attempt that is killed is gone on with: no page is read twice, and the outcome is the same', async () => {
    const before = (await shown()).links.map(({ url, confidence }) => `${url} ${confidence}`).sort()
    const id = newJob()
    planted.read = []
    await assert.rejects(attempt(id, { stopAfter: 2 }), /killed/)
    const written = await sql<{ url: string }>`SELECT url FROM link_scan_urls WHERE is_page AND is_done`.execute(here.world.db)
    // The others are also what links that failed, or that name a part of a page, lead to: those are asked for again.
    const known = written.rows.map(({ url }) => planted.named(url)).filter((path) => path.startsWith('/crawled/'))
    assert.ok(known.length > 0)
    planted.read = []
    await attempt(id)
    // What was read and not yet written down at that moment is read again, and no more.
    assert.deepEqual(
      planted.read.filter((path) => known.includes(path)),
      [],
    )
    assert.deepEqual((await shown()).links.map(({ url, confidence }) => `${url} ${confidence}`).sort(), before)
    const { rows } = await sql`SELECT 1 FROM link_scan_urls`.execute(here.world.db)
    assert.deepEqual(rows, [], 'nothing of it is left behind')
  })

  test('a scan that was left alone for hours goes on with the time that it had left, and not for ever', async () => {
    const states = new Map<string, unknown>()
    const id = newJob()
    await assert.rejects(attempt(id, { stopAfter: 2, states }), /killed/)
    here.clock.add(10 * quick.scanMs)
    assert.equal(((await attempt(id, { states })) as Result).limit_reached, null)
    const late = newJob()
    states.set('scan', { ms: quick.scanMs + 1 })
    assert.equal(((await attempt(late, { states })) as Result).limit_reached, 'time', 'what attempts before took is counted')
    const dying = newJob()
    states.clear()
    for (let n = 0; n < 3; n++) await assert.rejects(attempt(dying, { stopAfter: 0, states }), /killed/)
    assert.ok(((states.get('scan') ?? {}) as { ms: number }).ms >= 3 * 60_000, 'one that dies at once has its price')
    await sql`DELETE FROM link_scan_urls WHERE job_id = ${dying}`.execute(here.world.db)
  })

  test('a page that is packed although nobody asked for that is read all the same', async () => {
    planted.instead.set('/', {
      status: 200,
      headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
      body: gzipSync('<a href="/packed-and-lost">x</a>'),
    })
    await attempt(newJob(), { maxPages: 1 })
    planted.instead.clear()
    assert.equal((await linkTo('/packed-and-lost')).reason, 'not_found')
  })

  test('a limit of pages is told, and takes nothing away that it did not look at', async () => {
    const before = (await shown()).links.length
    const result = (await attempt(newJob(), { maxPages: 2 })) as { limit_reached: string; pages: number }
    assert.deepEqual([result.limit_reached, result.pages <= 2], ['pages', true])
    assert.equal((await shown()).links.length, before)
  })

  test('what failed once as the time was over is not called broken: nobody asked again', async () => {
    await sql`DELETE FROM broken_links`.execute(here.world.db)
    await attempt(newJob(), { lateIn: 'again' })
    const { links, scan } = await shown()
    const called = (confidence: string) => links.filter((link) => link.confidence === confidence).map(({ reason }) => reason)
    assert.equal(scan?.limit_reached, 'time')
    assert.deepEqual([...new Set(called('broken'))], ['malformed'], 'what is no address needs no asking')
    for (const reason of ['not_found', 'gone', 'dns', 'fragment']) assert.ok(called('suspect').includes(reason), reason)
  })

  test('what did not let us look is asked again in each scan, and gone when it answers', async () => {
    assert.equal((await linkTo('/451')).confidence, 'blocked')
    planted.mended.add('/451')
    await attempt(newJob())
    assert.deepEqual(
      (await shown()).links.filter(({ url }) => planted.named(url) === '/451'),
      [],
    )
  })

  test('as a job it has progress, an outcome in a sentence and a line in the site', async () => {
    const { id: site_id, fake } = await here.site()
    fake.state.page = (_, path) => (path === '/' ? { status: 200, body: '<a href="/lost">x</a>' } : { status: 404, body: 'Nothing' })
    const { job_id } = await here.call('links.scan', { site_id })
    await assert.rejects(here.call('links.scan', { site_id }), /under way/)
    const { status, summary, progress } = (await here.job(String(job_id))) as { status: string; summary: string; progress: object }
    assert.deepEqual([status, summary.split(' on ')[0]], ['completed', '1 broken link'])
    assert.partialDeepStrictEqual(progress, { percent: 100, unit: 'links' })
    const { broken_links } = (await here.call('sites.get', { site_id })) as { broken_links: { broken: number } }
    assert.equal(broken_links.broken, 1)
  })

  test('an agent is told of a fleet within 1,500 tokens', async () => {
    const agent = agentOf(here, (await here.token('read')).token)
    const { structuredContent } = await agent.call('get_broken_links', {})
    const told = structuredContent as { links: (Shown & { site_name?: string })[] }
    assert.deepEqual([...new Set(told.links.map(({ site_name }) => site_name))], ['Fake Garden'])
    assert.ok(told.links.length > 5 && tokens(told) <= 1500, `${told.links.length} links, ${tokens(told)} tokens`)
  })

  test('so it is of 300 sites whose addresses are long, and told how to read on', async () => {
    const workspaceId = await here.workspace('Large')
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Garden ' || n, '', '', 'disconnected', '', '', '', '', now(), now()
      FROM generate_series(1, 300) n`.execute(here.world.db)
    await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, status_code, places, places_count, first_seen_at, last_checked_at)
      SELECT ${workspaceId}, 'link_' || lpad(n::text, 26, '0'), 'site_' || lpad(n::text, 26, '0'), rpad('https://' || n || '.example/', 300, 'x'), false, 'broken', 'not_found', 404,
        jsonb_build_array(jsonb_build_object('page', rpad('https://garden.example/', 300, 'y'), 'element', 'a[href]', 'text', rpad('', 100, 'z'))), n, now(), now()
      FROM generate_series(1, 300) n`.execute(here.world.db)
    const agent = agentOf(here, (await here.token('read', { workspaceId })).token)
    const ask = async (given: object) =>
      (await agent.call('get_broken_links', given)).structuredContent as unknown as {
        links: Shown[]
        total: number
        next_cursor: string
        notice: string
      }
    const told = await ask({})
    assert.ok(tokens(told) <= 1500, `${tokens(told)}`)
    assert.deepEqual([told.links.length, told.total], [3, 300])
    assert.match(told.notice, /pass next_cursor as cursor/)
    const next = await ask({ cursor: told.next_cursor })
    assert.deepEqual([next.links[0]?.places, tokens(next) <= 1500], [297, true], 'it goes on where the page was cut')
    assert.equal((await ask({ limit: 20 })).links.length, 20, 'more is told to who asks for more')
  })

  /** What is known, by address: the id and since when. */
  const known = async (filter = {}) =>
    new Map((await shown(filter)).links.map(({ url, id, first_seen_at }) => [url, `${id} ${first_seen_at}`]))
  const among = (links: ReadonlyMap<string, string>, path: string) => links.get(`${planted.home}${path}`)

  for (const [what, instead] of Object.entries({
    'a sign-in of the server': { status: 401 },
    'a firewall': { status: 403 },
    'a host that is asked too often': { status: 429 },
    'maintenance that says when it is over': { status: 503, headers: { 'retry-after': '3600' } },
    'a way to another site': { status: 302, headers: { location: '@/ok' } },
    'a way to the sign-in of WordPress': { status: 302, headers: { location: '/wp-login.php?redirect_to=x' } },
    'something that is no page': { status: 200, headers: { 'content-type': 'application/json' } },
  }))
    test(`a scan that meets ${what} on the front page fails, and takes nothing away`, async () => {
      const before = await known()
      const accepted = (await shown()).links.find(({ reason }) => reason === 'not_found') ?? assert.fail()
      await here.call('links.ignore', { site_id: site.id, link_id: accepted.id, reason: 'Until May' })
      planted.instead.set('/', instead)
      await assert.rejects(attempt(newJob()), /front page of the site .*, so its links were not looked at/)
      planted.instead.clear()
      await here.call('links.unignore', { site_id: site.id, link_id: accepted.id })
      assert.ok(before.size > 5)
      assert.deepEqual(await known(), before)
    })

  test('what stands on pages that were not read stays as it was, and it is told how many they are and why', async () => {
    const first = await attempt(newJob())
    const before = await known()
    const onSecond = '/deeper/gone-by-base'
    assert.ok(among(before, onSecond))
    here.clock.add(60_000)
    for (const [status, why] of [
      [429, 'blocked'],
      [500, 'failed'],
    ] as const) {
      planted.instead.set('/second/', { status })
      const result = await attempt(newJob())
      assert.equal(result.unread[why], first.unread[why] + 1)
      assert.equal(among(await known(), onSecond), among(before, onSecond), `${status}: it is the one that was known`)
      assert.match(summarize(result).summary, /pages could not be read: .*; what was known of their links stays/)
      assert.deepEqual((await shown()).scan?.unread, result.unread)
    }
    planted.instead.set('/second/', { status: 404 })
    await attempt(newJob())
    assert.equal(among(await known(), onSecond), undefined, 'on a page that is gone stands nothing')
    planted.instead.clear()
    await attempt(newJob())
    assert.ok(among(await known(), onSecond))
  })

  test('a page on which something is broken is read although nothing leads there any more', async () => {
    const before = await known()
    assert.ok(among(before, '/gone-from-sitemap'))
    planted.instead.set('/posts.xml', { status: 404 })
    await attempt(newJob())
    assert.equal(among(await known(), '/gone-from-sitemap'), among(before, '/gone-from-sitemap'))
    planted.instead.clear()
  })

  test('what was accepted stays accepted when it answers once and fails again; it can be taken back at any time', async () => {
    const { id } = await linkTo('/gone-2')
    await here.call('links.ignore', { site_id: site.id, link_id: id, reason: 'It comes and goes' })
    await attempt(newJob())
    const { counts } = await shown()
    planted.mended.add('/gone-2')
    assert.equal((await attempt(newJob())).mended, 0)
    const [well] = (await shown({ ignored: true })).links
    assert.deepEqual([well?.id, typeof well?.well_since], [id, 'string'])
    planted.mended.delete('/gone-2')
    const { found, broken } = await attempt(newJob())
    assert.deepEqual([found, broken], [0, counts.broken], 'it is neither new nor counted')
    assert.deepEqual((await shown()).counts, counts)
    assert.deepEqual(
      (await shown({ ignored: true })).links.map((link) => [link.id, link.well_since]),
      [[id, null]],
    )
    planted.mended.add('/gone-2')
    await attempt(newJob())
    await here.call('links.unignore', { site_id: site.id, link_id: id })
    assert.deepEqual([(await shown({ ignored: true })).links, (await shown()).counts], [[], counts])
    planted.mended.delete('/gone-2')
    await attempt(newJob())
    assert.equal((await shown()).counts.broken, (counts.broken ?? 0) + 1, 'and counts when it fails after that')
  })

  test('what robots.txt shuts is told, and is never called free of broken links', async () => {
    const before = await known()
    const some = await attempt(newJob())
    assert.match(summarize(some).summary, /robots\.txt forbids 1 page, of whose links nothing is known/)
    const { robots } = planted
    planted.robots = 'User-agent: *\nDisallow: /\n'
    planted.taken.add('/gone-unclosed')
    const result = await attempt(newJob())
    planted.robots = robots
    planted.taken.clear()
    assert.deepEqual([result.limit_reached, result.pages, result.unread.robots > 70], ['robots', 1, true])
    const { outcome, summary } = summarize(result)
    assert.equal(outcome, 'partly')
    assert.match(summary, /robots\.txt forbids every page but the front page \(\d+ pages met\), so nothing is known of their links/)
    assert.equal((await shown()).scan?.limit_reached, 'robots')
    const after = await known()
    const deep = [...before].filter(([url]) => url.includes('/deeper/'))
    assert.ok(deep.length > 0)
    for (const [url, as] of deep) assert.equal(after.get(url), as)
    const stood = [before, after].map((links) => among(links, '/gone-unclosed') !== undefined)
    assert.deepEqual(stood, [true, false], 'the front page was read, and has it no more')
  })

  test('a site whose front page does not answer is not called free of broken links', async () => {
    planted.down = true
    await assert.rejects(attempt(newJob()), /front page/)
    planted.down = false
    assert.ok((await shown()).links.length > 0)
  })
})
