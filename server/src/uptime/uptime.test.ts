import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { selfSigned } from '../../test/self-signed.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { deliver } from '../notifications/deliver.ts'
import { gather } from '../notifications/gather.ts'
import { clientConfig } from '../platform/database.ts'
import { FetchError } from '../platform/fetch-error.ts'
import { createGuardedFetch, type GuardedFetchOptions } from '../platform/guarded-fetch.ts'
import type { Signals } from '../platform/signals.ts'
import { tokens } from '../projections/mcp-tools.ts'
import { openFleet } from '../sites/fleet.ts'
import { record } from './judge.ts'
import { openHour } from './samples.ts'
import { summary } from './summary.ts'
import { Sweep, watchSites } from './sweep.ts'
import { claimDue } from './sweep-store.ts'

const minute = 60_000
const page: RequestListener = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Flowers</html>')

interface Row {
  state: string
  app_up: boolean | null
  connector_silent: boolean | null
  problem: string | null
  app_checked_at: string | null
  checked_at: string | null
  ratio_24h: number | null
  ratios: Record<string, number | null>
  response_ms: number | null
}
interface Incident {
  kind: string
  cause: string
  message: string
  started_at: string
  ended_at: string | null
  ended_by_pause: boolean
  duration_s: number
}

interface Point {
  at: string
  checks: number
  ratio: number | null
  excluded: number
}

interface Looked extends Record<string, unknown> {
  error: { kind: string; message: string | null } | null
}

describe('uptime', () => {
  let here: TestWorld
  let site: { id: string }
  let sweep: Sweep
  let answer: RequestListener = page
  let asked: string[] = []
  /** A cache answers whatever is asked by GET. */
  let isCached = false
  const fakes: RunningFakeSite[] = []
  /** What stands in front of a site: it gives the front page itself, and everything else is for WordPress. */
  const front = (fake: () => RunningFakeSite) =>
    createServer((request, response) => {
      if (isCached && request.method === 'GET') return void response.setHeader('x-cache', 'HIT').end('<p>A page</p>')
      if (request.url !== '/') return void fake().handle(request, response)
      asked.push(request.url)
      answer(request, response)
    })
  const server = front(() => fakes[0] ?? assert.fail())
  const other = front(() => fakes[1] ?? assert.fail())
  /** A site behind such a server. */
  async function behind(listener: Server): Promise<{ id: string }> {
    const { id, fake } = await here.site()
    fakes.push(fake)
    await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready))
    const home = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    await sql`UPDATE sites SET home = ${home}, url = ${home} WHERE id = ${id}`.execute(here.world.db)
    return { id }
  }
  before(async () => {
    here = await aWorld()
    site = await behind(server)
    // Its first turn.
    await new Sweep(here.world).pass()
  })
  beforeEach(() => {
    answer = page
    sweep = new Sweep(here.world, [0, 0])
  })
  after(async () => {
    for (const each of [server, other]) {
      each.closeAllConnections()
      each.close()
    }
    await here.close()
  })

  /** A minute later everything that is due is looked at, and written down. */
  async function look(by = sweep, later = minute): Promise<string[]> {
    here.clock.add(later)
    asked = []
    await by.pass()
    await by.finish()
    return asked
  }
  let jobs = 0
  /** A job of ours begins to change a site; how it ends, long ago. */
  async function work(siteId: string): Promise<() => Promise<unknown>> {
    const job = { id: `job_01k000000000000000000work${++jobs}`, by: { type: 'system', id: 'x', name: 'x' } }
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${here.workspaceId}, ${job.id}, 'update', ${siteId}, 'running', ${JSON.stringify(job.by)}::jsonb, '{}', ${here.world.now()})`.execute(
      here.world.db,
    )
    return () => sql`UPDATE jobs SET status = 'completed', completed_at = ${new Date(0)} WHERE id = ${job.id}`.execute(here.world.db)
  }
  const row = async () => ((await here.call('uptime.list', { site_id: site.id })) as unknown as { sites: Row[] }).sites[0] ?? assert.fail()
  const incidents = async (filter = {}) =>
    ((await here.call('uptime.incidents', { site_id: site.id, ...filter })) as unknown as { incidents: Incident[] }).incidents
  const history = async (step: string, time_zone?: string, until?: string) =>
    ((await here.call('uptime.history', { site_id: site.id, step, time_zone, until })) as unknown as { points: Point[] }).points
  const allOf = (points: Point[]) => points.reduce((sum, { checks: n }) => sum + n, 0)
  const checks = async () => ((await here.call('uptime.list', { site_id: site.id })) as unknown as { checks: Looked[] }).checks

  test('nobody looked is not the same as up or down', async () => {
    const { state, ratio_24h, app_up } = await row()
    assert.deepEqual([state, ratio_24h, app_up], ['unknown', null, null])
    assert.equal((await here.call('sites.get', { site_id: site.id })).uptime, null)
  })

  test('a site that answers is up, WordPress behind it too, and each check is kept with what its parts took', async () => {
    assert.deepEqual(await look(), ['/'])
    const { state, app_up, connector_silent, ratio_24h, response_ms } = await row()
    assert.deepEqual([state, app_up, connector_silent, ratio_24h, typeof response_ms], ['up', true, false, 1, 'number'])
    const [check] = await checks()
    const { timings, ...rest } = check as unknown as { timings: Record<string, number | null>; up: boolean }
    assert.partialDeepStrictEqual(rest, {
      up: true,
      app_up: true,
      excluded: false,
      http_status: 200,
      error: null,
      tls_expires_at: null,
      site_id: site.id,
    })
    assert.deepEqual([timings.tls_ms, typeof timings.connect_ms, typeof timings.total_ms], [null, 'number', 'number'])
    const { uptime } = (await here.call('sites.get', { site_id: site.id })) as { uptime: { state: string } }
    assert.equal(uptime.state, 'up')
  })

  test('a site tells its figures up to a check, and of the hours that are over; who remembers sites reads them anew after minutes', async (t) => {
    const { db, workspaceId } = { ...here.world, workspaceId: here.workspaceId }
    const fleet = openFleet(db, { on: () => undefined, fresh: () => true } as unknown as Signals, summary)
    const told = async () =>
      ((await fleet.all(workspaceId))[0] as unknown as { uptime: { ratio_30d: number | null; checked_at: string } }).uptime
    const first = await row()
    assert.partialDeepStrictEqual(await told(), { ratio_30d: null, response_ms: first.response_ms, checked_at: first.checked_at })
    await look(sweep, 60 * minute)
    assert.equal((await told()).checked_at, first.checked_at)
    const now = performance.now()
    t.mock.method(performance, 'now', () => now + 11 * minute)
    const later = await row()
    assert.partialDeepStrictEqual(await told(), { ratio_30d: 1, response_ms: later.response_ms, checked_at: later.checked_at })
  })

  test('a check that finds nothing new writes no row of sites and tells nobody', async (t) => {
    const versions = () => sql`SELECT xmin, ctid FROM sites UNION ALL SELECT xmin, ctid FROM uptime_states`.execute(here.world.db)
    const ear = new pg.Client(clientConfig(here.address))
    await ear.connect()
    t.after(() => ear.end())
    let told = 0
    ear.on('notification', () => told++)
    await ear.query('LISTEN svc_sites')
    const before = (await versions()).rows
    for (let n = 0; n < 5; n++) assert.equal((await look()).length, 1)
    await ear.query('SELECT 1')
    assert.deepEqual([(await versions()).rows, told], [before, 0])
  })

  test('each check tells the certificate that was shown to it', async () => {
    const ends = ['2027-01-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z']
    for (const end of ends) {
      await look(sweep, 0)
      here.clock.add(minute)
      const due = (await claimDue(here.world.db, here.world.now(), 250)).find(({ site_id }) => site_id === site.id) ?? assert.fail()
      const timings = { dnsMs: 1, connectMs: 1, tlsMs: 1, waitMs: 5, totalMs: 9 }
      const seen = { status: 200, error: null, timings, addresses: [], certificateEndsAt: new Date(end), unsent: false }
      await record(here.world, [{ due, at: here.world.now(), failedAt: null, answers: null, probed: seen, app: null }], () => null)
    }
    assert.deepEqual(
      (await checks()).slice(0, 3).map(({ tls_expires_at }) => tls_expires_at),
      [...ends.toReversed(), null],
    )
  })

  test('it is down only when it fails three times in a row, and up again only when it answers for a minute', async () => {
    let failures = 2
    answer = (request, response) => (failures-- > 0 ? response.destroy() : page(request, response))
    assert.equal((await look()).length, 3)
    assert.deepEqual([(await row()).state, await incidents()], ['up', []])

    answer = (_, response) => void response.destroy()
    await look()
    const [open] = await incidents({ open: true })
    assert.partialDeepStrictEqual(open, { kind: 'down', cause: 'connect', ended_at: null })
    const { problem, app_up } = await row()
    assert.deepEqual([problem, app_up], [open?.message, null])
    const words = { kind: 'connect', message: open?.message }
    assert.deepEqual((await checks())[0]?.error, words)

    answer = page
    assert.equal((await look()).length, 1)
    assert.equal((await row()).state, 'down', 'one answer is none')
    assert.deepEqual(
      (await checks()).slice(0, 2).map(({ error }) => error),
      [null, words],
      'each keeps its words',
    )
    const since = here.world.now()
    await look()
    assert.equal((await row()).state, 'up')
    const [over] = await incidents()
    assert.ok(Math.abs(Date.parse(String(over?.ended_at)) - since.getTime()) < 30_000, 'it ended with the first good answer')
    assert.ok((over?.duration_s ?? 0) >= 55 && (over?.duration_s ?? 0) < 120)
    assert.ok(((await row()).ratio_24h ?? 1) < 1)
  })

  test('what a page says and answers is judged: a 500, WordPress’s own words for what is broken, text that is wanted or refused', async () => {
    const says = (status: number, text: string) => {
      answer = (_, response) => void response.writeHead(status).end(text)
    }
    const told = async () => {
      await look()
      const [last] = await checks()
      return last?.error?.kind ?? null
    }
    says(404, 'Nothing here')
    assert.equal(await told(), null, 'a 4xx is an answer')
    says(500, 'Oh')
    assert.equal(await told(), 'http')
    says(200, '<h1>Error establishing a database connection</h1>')
    assert.equal(await told(), 'content')
    says(200, `<p>How to fix: There has been a critical error on this website</p>${'x'.repeat(20_000)}`)
    assert.equal(await told(), null, 'a long page only writes about it')
    await here.call('uptime.set', { site_id: site.id, text_wanted: 'Opening hours', text_refused: 'Casino', statuses: [200] })
    assert.equal(await told(), 'content')
    says(200, 'Opening hours')
    assert.equal(await told(), null)
    says(200, 'Opening hours of the Casino')
    assert.equal(await told(), 'content')
    says(404, 'Opening hours')
    assert.equal(await told(), 'http')
    assert.deepEqual(
      (await checks()).slice(0, 4).map(({ error }) => error?.message ?? null),
      [
        'The site answers with 404.',
        'The page has the text that must not be on it.',
        null,
        'The page does not have the text that is expected on it.',
      ],
      'each keeps its words',
    )
    await here.call('uptime.set', { site_id: site.id, text_wanted: null, text_refused: null, statuses: null })
    answer = page
    await look()
    await look()
  })

  test('a pause ends an incident without calling it a recovery, and one that lasts begins anew behind it', async () => {
    const backs = async () =>
      (
        await sql`SELECT 1 FROM happenings WHERE kind = 'site_back' UNION ALL SELECT 1 FROM notices WHERE kind = 'site_back'`.execute(
          here.world.db,
        )
      ).rows.length
    for (const [name, given] of [
      ['uptime.set', { site_id: site.id }],
      ['uptime.set_default', {}],
    ] as const) {
      answer = (_, response) => void response.destroy()
      await look()
      const before = await backs()
      await here.call(name, { ...given, enabled: false })
      const [ended] = await incidents()
      assert.partialDeepStrictEqual(ended, { kind: 'down', ended_by_pause: true })
      here.clock.add(minute)
      assert.deepEqual([(await incidents())[0]?.duration_s, await backs()], [ended?.duration_s, before])
      await here.call(name, { ...given, enabled: null })
      const { state, connector_silent, app_up } = await row()
      assert.deepEqual([state, connector_silent, app_up], ['unknown', null, null], 'nobody has looked since')
      assert.equal((await look()).length, 3)
      assert.equal((await row()).state, 'down')
      assert.partialDeepStrictEqual((await incidents())[0], { ended_at: null, ended_by_pause: false })
      answer = page
      await look()
      await look()
      assert.deepEqual([(await row()).state, await backs()], ['up', before + 1])
    }
  })

  test('the end of a connection ends what was open of the site, calls it no recovery, and nothing is known until somebody looks again', async () => {
    const connection = async (status: string) => {
      const at = here.world.now()
      await sql`UPDATE sites SET status = ${status}, updated_at = ${at} WHERE id = ${site.id}`.execute(here.world.db)
    }
    const backs = async () => (await sql`SELECT 1 FROM happenings WHERE kind = 'site_back'`.execute(here.world.db)).rows.length
    answer = (_, response) => void response.destroy()
    await look()
    const before = await backs()
    await connection('disconnected')
    const [ended] = await incidents()
    assert.partialDeepStrictEqual(ended, { kind: 'down', ended_by_pause: true })
    assert.deepEqual([await look(), (await row()).state, await backs()], [[], 'unknown', before])
    assert.equal((await incidents())[0]?.duration_s, ended?.duration_s)
    await connection('connected')
    await look()
    assert.deepEqual([(await row()).state, (await incidents())[0]?.ended_at], ['down', null])
    answer = page
    await look()
    await look()
    assert.equal((await row()).state, 'up')
    await connection('disconnected')
    const { state, app_up, connector_silent } = await row()
    assert.deepEqual([state, app_up, connector_silent], ['unknown', null, null], 'what was up is not known to be')
    await connection('connected')
    await look()
    assert.equal((await row()).state, 'up')
  })

  test('in an announced maintenance, a pause and while we are at work on it, nothing is an outage', async () => {
    const before = (await incidents()).length
    answer = (_, response) => void response.destroy()
    const ends_at = new Date(here.world.now().getTime() + 5 * minute).toISOString()
    const window = await here.call('uptime.maintain', { site_id: site.id, ends_at, reason: 'A new disk' })
    await look()
    assert.deepEqual([(await checks())[0]?.excluded, (await row()).state], [true, 'up'])
    await here.call('uptime.end_maintenance', { window_id: window.id })
    const starts_at = new Date(here.world.now().getTime() + 2 * minute).toISOString()
    const later = await here.call('uptime.maintain', { site_id: site.id, starts_at, ends_at, reason: 'Another disk' })
    const windows = async () => (await here.call('uptime.get', { site_id: site.id })).windows
    assert.deepEqual(await windows(), [later])
    await here.call('uptime.end_maintenance', { window_id: later.id })
    assert.deepEqual(await windows(), [], 'one that has not begun is not announced any more')

    await here.call('uptime.set', { site_id: site.id, enabled: false })
    const told = async () => (await here.call('sites.get', { site_id: site.id })).uptime
    assert.deepEqual([await look(), (await row()).state], [[], 'paused'])
    assert.partialDeepStrictEqual(await told(), { state: 'unknown' }, 'nobody looks, so nobody knows')
    await here.call('uptime.set', { site_id: site.id, enabled: null })
    assert.partialDeepStrictEqual(await told(), { state: 'up' })

    const end = await work(site.id)
    await look()
    assert.deepEqual([(await checks())[0]?.excluded, (await row()).state], [true, 'up'])
    await end()
    assert.equal((await incidents()).length, before)
    await look()
    assert.equal((await row()).state, 'down', 'afterwards it is one')
    answer = page
    await look()
    await look()
  })

  test('what was paused, or put under maintenance, while it was looked at is no outage', async () => {
    const [fake] = fakes
    const before = (await incidents()).length
    const meanwhile = (name: string, given: object, then: RequestListener) => {
      let done: Promise<Record<string, unknown>> | undefined
      answer = async (request, response) => {
        done ??= here.call(name, { site_id: site.id, ...given })
        await done
        then(request, response)
      }
      return async () => (await done) ?? assert.fail('nobody looked')
    }
    const fails: RequestListener = (_, response) => void response.destroy()
    const ends_at = new Date(here.world.now().getTime() + 60 * minute).toISOString()
    const began = meanwhile('uptime.maintain', { ends_at, reason: 'A new disk' }, fails)
    await look()
    assert.deepEqual([(await checks())[0]?.excluded, (await row()).state, (await incidents()).length], [true, 'up', before])
    await here.call('uptime.end_maintenance', { window_id: (await began()).id })

    meanwhile('uptime.set', { enabled: false }, fails)
    await look()
    assert.deepEqual([(await checks())[0]?.excluded, (await incidents()).length], [true, before])
    await here.call('uptime.set', { site_id: site.id, enabled: null })

    answer = page
    fake?.misbehave('server_error')
    await look(sweep, 5 * minute)
    meanwhile('uptime.set', { enabled: false }, page)
    await look(sweep, 5 * minute)
    assert.deepEqual([(await checks())[0]?.excluded, (await incidents()).length], [true, before], 'nor is what is behind its pages')
    fake?.misbehave()
    await here.call('uptime.set', { site_id: site.id, enabled: null })
    answer = page
    await look(sweep, 5 * minute)
  })

  test('when the operator’s probe does not answer either, it is our network', async () => {
    const shut = createServer()
    await new Promise<void>((ready) => shut.listen(0, '127.0.0.1', ready))
    const egressProbe = `http://127.0.0.1:${(shut.address() as AddressInfo).port}/`
    await new Promise((closed) => shut.close(closed))
    answer = (_, response) => void response.destroy()
    const cutOff = new Sweep({ ...here.world, config: { ...here.world.config, egressProbe } }, [0, 0])
    await look(cutOff)
    assert.deepEqual([(await checks())[0]?.excluded, (await row()).state], [true, 'up'])
    answer = page
    await look()
  })

  test('a connector that is silent and a WordPress that is broken behind a cache are facts of their own', async () => {
    const { id } = await behind(other)
    const fake = fakes[1] ?? assert.fail()
    const state = async () => ((await here.call('uptime.list', { site_id: id })) as unknown as { sites: Row[] }).sites[0]
    const later = () => look(sweep, 5 * minute)
    await sweep.pass()
    await later()
    assert.partialDeepStrictEqual(await state(), { state: 'up', app_up: true, connector_silent: false })
    // Its pages come out of a cache; what is asked of WordPress itself fails.
    fake.misbehave('server_error')
    const end = await work(id)
    for (let looks = 0; looks < 3; looks++) await later()
    assert.partialDeepStrictEqual(await state(), { state: 'up', app_up: true, connector_silent: false }, 'a job of ours is at work')
    await end()
    await later()
    assert.partialDeepStrictEqual(await state(), { state: 'up', app_up: true, connector_silent: false })
    await later()
    assert.partialDeepStrictEqual(await state(), { state: 'up', app_up: false, connector_silent: true })
    const { incidents: open } = (await here.call('uptime.incidents', { site_id: id, open: true })) as unknown as { incidents: Incident[] }
    assert.deepEqual(open.map(({ kind }) => kind).sort(), ['app_down', 'connector_silent'])
    isCached = true
    await later()
    const behindCache = await state()
    assert.partialDeepStrictEqual(behindCache, { state: 'up', app_up: null, app_checked_at: behindCache?.checked_at })
    assert.partialDeepStrictEqual((await here.call('sites.get', { site_id: id })).uptime, { state: 'up', app_up: null, app_was_down: true })
    const { total } = await here.call('uptime.incidents', { site_id: id, open: true })
    assert.equal(total, 2, 'what could not be told ends no incident')
    isCached = false
    fake.misbehave()
    await later()
    assert.partialDeepStrictEqual(await state(), { state: 'up', app_up: true, connector_silent: false, problem: null })
    assert.partialDeepStrictEqual((await here.call('sites.get', { site_id: id })).uptime, { app_was_down: false })
    await here.call('uptime.set', { site_id: id, enabled: false })
  })

  test('a worker that dies with sites in its hands delays them by one turn, and two workers double none', async () => {
    here.clock.add(minute)
    // At one moment: its next turn may come in the one after it.
    const now = here.world.now()
    const claimed = await claimDue(here.world.db, now, 100)
    assert.ok(claimed.some(({ site_id }) => site_id === site.id))
    assert.deepEqual(await claimDue(here.world.db, now, 100), [], 'nobody else has them too')
    here.clock.add(minute)
    const later = here.world.now()
    const workers = [1, 2].map(() => new Sweep({ ...here.world, now: () => later }, [0, 0]))
    asked = []
    await Promise.all(workers.map((each) => each.pass()))
    await Promise.all(workers.map((each) => each.finish()))
    assert.deepEqual(asked, ['/'])
  })

  test('an hour that is over is put away with what it came to, read again in the history, and counted in the ratios', async () => {
    const before = (await row()).ratios
    await look(sweep, 60 * minute)
    const points = await history('hour')
    const { rows } = await sql<{
      hour: Date
      samples: Buffer
    }>`SELECT hour, samples FROM uptime_samples WHERE site_id = ${site.id}`.execute(here.world.db)
    const kept = rows.reduce((sum, { hour, samples }) => sum + openHour(hour, samples).length, 0)
    const over = points.filter(({ at }) => rows.some(({ hour }) => hour.toISOString() === at))
    const excluded = over.reduce((sum, point) => sum + point.excluded, 0)
    assert.equal(allOf(over) + excluded, kept)
    assert.ok(over.length > 0 && excluded > 0)
    assert.equal(allOf(await history('day')), allOf(points))
    const { ratios } = await row()
    assert.ok((ratios['30d'] ?? 0) >= (before['30d'] ?? 1), 'one good check more')
    assert.ok((ratios['7d'] ?? 1) < 1)
    assert.ok((await checks()).length > 1, 'the checks of the hour before are there')
  })

  test('the hour at work is in the history too, in its hour, its day, and the day of a zone', async () => {
    const told = () => Promise.all([history('hour'), history('day'), history('day', 'Asia/Kolkata')])
    const before = await told()
    answer = (_, response) => void response.destroy()
    await look()
    const hour = new Date(Math.floor(here.world.now().getTime() / (60 * minute)) * 60 * minute).toISOString()
    const { rows } = await sql`SELECT 1 FROM uptime_hours WHERE site_id = ${site.id} AND hour = ${hour}`.execute(here.world.db)
    assert.deepEqual(rows, [], 'it is not put away')
    for (const [n, points] of (await told()).entries()) assert.equal(allOf(points), allOf(before[n] ?? []) + 1)
    assert.partialDeepStrictEqual((await history('hour')).at(-1), { at: hour })
    assert.ok(((await history('hour')).at(-1)?.ratio ?? 1) < 1)
    const until = await history('hour', undefined, hour)
    assert.ok(until.every(({ at }) => at < hour))
  })

  test('days are those of a time zone where one is named', async () => {
    const { id } = await here.site()
    const midnight = Math.floor(here.world.now().getTime() / 86_400_000 - 2) * 86_400_000
    const hour = (hours: number) => new Date(midnight + hours * 60 * minute)
    // In Kolkata 23:30, 0:30 and 4:30 of the next day.
    for (const [hours, ups] of [
      [18, 3],
      [19, 6],
      [23, 9],
    ] as const)
      await sql`INSERT INTO uptime_hours (workspace_id, site_id, location, hour, checks, ups, excluded, ms_sum, ms_histogram)
        SELECT ${here.workspaceId}, ${id}, location, ${hour(hours)}, 10, ${ups}, 1, ${ups * 100}, ms_histogram FROM uptime_hours LIMIT 1`.execute(
        here.world.db,
      )
    const of = async (more: object) =>
      (await here.call('uptime.history', { site_id: id, ...more })) as unknown as {
        points: { at: string; checks: number; ratio: number; excluded: number; mean_ms: number }[]
      }
    const { points } = await of({ time_zone: 'Asia/Kolkata' })
    assert.deepEqual(
      points.map(({ at, checks, ratio, excluded, mean_ms }) => [at, checks, ratio, excluded, mean_ms]),
      [
        [hour(18).toISOString(), 10, 0.3, 1, 100],
        [hour(19).toISOString(), 20, 0.75, 2, 100],
      ],
    )
    await assert.rejects(of({ time_zone: 'Asia/Kolkata', since: hour(-24 * 100).toISOString() }), { code: 'invalid_payload' })
    await assert.rejects(of({ time_zone: 'Mars/Olympus' }), { code: 'invalid_payload' })
  })

  test('a site that is led to other addresses is told; one that turns among those it had is not', async () => {
    const moves = async () =>
      (
        (await here.call('uptime.history', { site_id: site.id })) as unknown as {
          moves: { location: string; before: string[]; after: string[] }[]
        }
      ).moves
    const led = (addresses: string[]) => {
      const { watch } = here.world
      const world = { ...here.world, watch: async (request: Parameters<typeof watch>[0]) => ({ ...(await watch(request)), addresses }) }
      return look(new Sweep(world, [0, 0]))
    }
    await led(['127.0.0.1', '198.51.100.7'])
    await led(['198.51.100.7'])
    await led(['127.0.0.1'])
    assert.deepEqual(await moves(), [])
    await led(['203.0.113.9'])
    const [move] = await moves()
    assert.deepEqual([move?.before.toSorted(), move?.after, move?.location], [['127.0.0.1', '198.51.100.7'], ['203.0.113.9'], 'here'])
  })

  test('what is set holds for all sites or one, null takes it back, and nonsense is refused', async () => {
    await here.call('uptime.set_default', { interval_s: 300 })
    assert.partialDeepStrictEqual(await here.call('uptime.get', { site_id: site.id }), { interval_s: 300, own: [] })
    await here.call('uptime.set', { site_id: site.id, interval_s: 30 })
    assert.partialDeepStrictEqual(await here.call('uptime.get', { site_id: site.id }), { interval_s: 30, own: ['interval_s'] })
    await here.call('uptime.set', { site_id: site.id, interval_s: null })
    await here.call('uptime.set_default', { interval_s: null })
    assert.partialDeepStrictEqual(await here.call('uptime.get', { site_id: site.id }), { interval_s: 60, own: [] })
    for (const wrong of [
      { interval_s: 1 },
      { path: 'shop' },
      { path: '/a b' },
      { statuses: [] },
      { statuses: [99] },
      { text_wanted: 'a\nb' },
    ])
      await assert.rejects(here.call('uptime.set', { site_id: site.id, ...wrong }), { code: 'invalid_payload' }, JSON.stringify(wrong))
    const ends_at = new Date(here.world.now().getTime() - minute).toISOString()
    await assert.rejects(here.call('uptime.maintain', { site_id: site.id, ends_at, reason: 'Too late' }), { code: 'invalid_payload' })
  })

  test('a site that says nothing itself is looked at as the workspace has it', async () => {
    const said = { path: '/shop/', statuses: [204], text_wanted: 'Roses', text_refused: 'Casino', recovery_s: 0 }
    await here.call('uptime.set_default', { interval_s: 300, ...said })
    await look()
    here.clock.add(minute)
    const due = (await claimDue(here.world.db, here.world.now(), 250)).find(({ site_id }) => site_id === site.id) ?? assert.fail()
    assert.partialDeepStrictEqual(due, said)
    const { rows } = await sql<{ due_at: Date }>`SELECT due_at FROM turns WHERE kind = 'uptime' AND site_id = ${site.id}`.execute(
      here.world.db,
    )
    assert.equal(Number(rows[0]?.due_at) - due.due_at.getTime(), 300_000)
    const usual = { path: null, statuses: null, text_wanted: null, text_refused: null, recovery_s: null }
    await here.call('uptime.set_default', { interval_s: null, ...usual })
    await look()
  })

  test('a shorter interval holds at once, and not when the longer one is over', async () => {
    await here.call('uptime.set', { site_id: site.id, interval_s: 3600 })
    await look()
    await look()
    assert.deepEqual(await look(), [])
    await here.call('uptime.set', { site_id: site.id, interval_s: null })
    await look()
    assert.deepEqual(await look(), ['/'])
  })

  test('WordPress is asked over the connection over which its page came, and over another one where that has ended', async (t) => {
    const connections = new Map<Socket, string[]>()
    const count = (socket: Socket) => void connections.set(socket, [])
    const note = ({ socket, method, url }: IncomingMessage) => void connections.get(socket)?.push(`${method} ${url}`)
    server.on('connection', count).on('request', note)
    t.after(() => server.off('connection', count).off('request', note))
    await look(sweep, 5 * minute)
    const wordPress = [...connections.values()][0]?.[1] ?? ''
    assert.match(wordPress, /^POST /)
    assert.deepEqual([...connections.values()], [['GET /', wordPress]])
    answer = (request, response) => response.once('finish', () => request.socket.destroy()).end('<html>Flowers</html>')
    await look(sweep, 5 * minute)
    assert.deepEqual([...connections.values()].slice(1), [['GET /'], [wordPress]])
    const { app_up, connector_silent } = await row()
    assert.deepEqual([app_up, connector_silent], [true, false])
  })

  test('who remembers sites in this process is told of those that a look has changed, and of no other', async () => {
    const told: unknown[] = []
    const changed: typeof here.world.changed = (...of) => void told.push(of)
    const by = new Sweep({ ...here.world, changed }, [0, 0])
    await look(by)
    assert.deepEqual(told, [])
    answer = (_, response) => void response.destroy()
    await look(by)
    assert.deepEqual(told, [[here.workspaceId, [site.id]]])
    await look(by)
    assert.equal(told.length, 1, 'it is down as before')
    answer = page
    for (let looks = 0; looks < 3; looks++) await look(by)
    assert.deepEqual([told.length, (await row()).state], [2, 'up'])
    here.world.changed(here.workspaceId)
  })

  test('an agent is told of 300 sites, the worst first, within 1,500 tokens', async () => {
    const { workspaceId } = here
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Garden of the people of street number ' || n, 'https://' || n || '.example', 'https://' || n || '.example',
        'disconnected', '', '', '', '', now(), now() FROM generate_series(1, 300) n`.execute(here.world.db)
    await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, app_up, connector_silent, since)
      SELECT ${workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'here', n % 10 > 0, true, false, now() FROM generate_series(1, 300) n`.execute(
      here.world.db,
    )
    const agent = agentOf(here, (await here.token('read')).token)
    const { structuredContent } = await agent.call('get_uptime', {})
    const told = structuredContent as { sites: Row[]; counts: { down: number }; next_cursor: string }
    assert.ok(tokens(told) <= 1500, `${tokens(told)}`)
    assert.deepEqual([told.counts.down, told.sites[0]?.state], [30, 'down'])
    const { structuredContent: more } = await agent.call('get_uptime', { cursor: told.next_cursor })
    assert.notDeepEqual((more as typeof told).sites, told.sites)
    const { structuredContent: down } = await agent.call('get_uptime', { state: 'down', limit: 100 })
    assert.equal((down as typeof told).sites.length, 30)
  })

  describe('and many sites on a few servers', () => {
    /** What each server listens on; a site is a path of its own there. */
    let servers: Server[] = []
    let isCut = false
    const posts: string[] = []
    const receiver = createServer(async (request, response) => {
      posts.push(await text(request))
      response.end()
    })
    const failed = new FetchError('connect', 'The server did not accept a connection.')
    /** It stands still until the test moves it. */
    let time = 0
    let world: TestWorld['world']
    const watch: TestWorld['world']['watch'] = (request) => (isCut ? Promise.reject(failed) : here.world.watch(request))
    before(async () => {
      time = here.world.now().getTime()
      world = { ...here.world, watch, now: () => new Date(time) }
      await sql`UPDATE sites SET status = 'disconnected'`.execute(here.world.db)
      await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      await gather(world)
      const channel = await here.call('notifications.add_channel', { name: 'hook', type: 'webhook', url })
      await here.call('notifications.add_rule', { channel_id: channel.id, kinds: ['site_down'] })
    })
    beforeEach(() => {
      posts.length = 0
      isCut = false
      sweep = new Sweep(world, [0, 0])
    })
    afterEach(async () => {
      for (const listener of servers) stop(listener)
      await sql`UPDATE sites SET status = 'disconnected'`.execute(here.world.db)
    })
    after(() => stop(receiver))

    function stop(listener: Server | undefined): void {
      listener?.closeAllConnections()
      listener?.close()
    }

    /** So many sites on each, all of them up, with turns at places of their own within the next minute. */
    let fleets = 0
    async function fleet(...sizes: number[]): Promise<void> {
      fleets++
      servers = sizes.map(() => createServer((_, response) => void response.end('<html>Flowers</html>')))
      const plan: { id: string; home: string; address: string }[] = []
      for (const [n, listener] of servers.entries()) {
        const address = `127.0.${fleets}.${n + 1}`
        await new Promise<void>((ready) => listener.listen(0, address, ready))
        const home = `http://${address}:${(listener.address() as AddressInfo).port}`
        for (let site = 0; site < (sizes[n] ?? 0); site++)
          plan.push({ id: `site_${fleets}_${n + 1}_${site}`, home: `${home}/${site}`, address })
      }
      // Neighbours in time are sites of different servers.
      const rows = plan.toSorted((a, b) => Number(a.id.split('_')[3]) - Number(b.id.split('_')[3]))
      const given = sql`jsonb_to_recordset(${JSON.stringify(rows.map((row, n) => ({ ...row, n: n / rows.length })))}::jsonb)
        AS r (id text, home text, address text, n float)`
      const { workspaceId } = here
      await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
        SELECT ${workspaceId}, id, 'Garden ' || id, home, home, 'clone_detected', '', '', '', '', now(), now() FROM ${given}`.execute(
        world.db,
      )
      await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, app_up, connector_silent, since)
        SELECT ${workspaceId}, id, 'here', true, true, false, ${world.now()} FROM ${given}`.execute(world.db)
      await sql`INSERT INTO uptime_monitors (workspace_id, site_id, location, checked_at, hour, addresses)
        SELECT ${workspaceId}, id, 'here', ${world.now()}, date_trunc('hour', ${world.now()}::timestamptz, 'UTC'), jsonb_build_object(address, ${world.now()}::timestamptz)
        FROM ${given}`.execute(world.db)
      await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at)
        SELECT ${workspaceId}, id, 'uptime', ${world.now()}::timestamptz + n * interval '1 minute' FROM ${given}`.execute(world.db)
    }

    /** All of them are looked at, each in its turn. */
    async function round(): Promise<void> {
      time += minute
      await sweep.pass()
      await sweep.finish()
    }
    /** Two seconds at a time, as the duties do it. */
    async function seconds(many: number): Promise<void> {
      for (let n = 0; n < many; n += 2) {
        time += 2000
        await sweep.pass()
        await sweep.finish()
        await gather(world)
        await deliver(world)
      }
    }
    /** How many sites of each server of this fleet are told to be down. */
    const down = async () => {
      const { rows } = await sql<{ server: string; sites: number }>`SELECT split_part(site_id, '_', 3) AS server, count(*)::integer AS sites
        FROM uptime_incidents WHERE site_id LIKE ${`site_${fleets}_%`} GROUP BY 1`.execute(here.world.db)
      return Object.fromEntries(rows.map(({ server, sites }) => [server, sites]))
    }
    const told = () => posts.map((body) => (JSON.parse(body) as { data: { notices: unknown[] } }).data.notices.length)

    test('a server that dies with forty sites is one message, and each site keeps its turn', async () => {
      await fleet(40, 5)
      const places = async () => {
        const { rows } = await sql<{ due_at: Date }>`SELECT due_at FROM turns WHERE kind = 'uptime'`.execute(here.world.db)
        return rows.map(({ due_at }) => due_at.getTime() % minute).toSorted((a, b) => a - b)
      }
      await round()
      const before = await places()
      stop(servers[0])
      await seconds(12)
      assert.deepEqual(await down(), { 1: 40 }, 'and found as one, not in the course of a minute')
      await seconds(78)
      assert.deepEqual([await down(), told(), await places()], [{ 1: 40 }, [40], before])
    })

    test('a single broken site has a few others of its server looked at, and no more', async () => {
      await fleet(40)
      await round()
      let looks = 0
      let broken = ''
      servers[0]?.prependListener('request', ({ url = '' }, response) => {
        looks++
        broken ||= url
        if (url === broken) response.writeHead(500)
      })
      await seconds(60)
      assert.deepEqual([await down(), looks], [{ 1: 1 }, 40 + 2 + 16])
    })

    test('our own network gone in the midst of a round is no outage of anybody; one server of ten gone is one of exactly its sites', async () => {
      await fleet(...Array(10).fill(20))
      await round()
      await seconds(20)
      isCut = true
      await seconds(30)
      isCut = false
      await seconds(10)
      await round()
      assert.deepEqual([await down(), told()], [{}, []])
      stop(servers[3])
      await seconds(60)
      assert.deepEqual(await down(), { 4: 20 })
      await seconds(20)
      assert.deepEqual(told(), [20])
    })

    test('where few servers are watched, others are asked as soon as one does not answer', async () => {
      await fleet(2, 2)
      await round()
      isCut = true
      await seconds(120)
      isCut = false
      await round()
      assert.deepEqual(await down(), {})
      stop(servers[1])
      await seconds(60)
      assert.deepEqual(await down(), { 2: 2 })
    })

    test('after seven minutes of our own trouble nobody is told that sites are up, and people are told once', async () => {
      await fleet(...Array(10).fill(1))
      await round()
      const first = 'Lilies'
      await sql`UPDATE sites SET name = ${first} WHERE id = ${`site_${fleets}_1_0`}`.execute(world.db)
      const known = async () => {
        here.world.changed(here.workspaceId)
        const { sites } = (await here.call('uptime.list', { site_id: first })) as unknown as { sites: (Row & { since: string })[] }
        const { state, since, problem } = sites[0] ?? assert.fail()
        const { watch_troubled_since } = (await here.call('uptime.list', { limit: 1 })) as { watch_troubled_since: string | null }
        const fleet = (await here.call('fleet.list')) as { watch_troubled_since: string | null; not_known: { down: number } }
        const { uptime } = (await here.call('sites.get', { site_id: first })) as { uptime: { state: string; since: string } }
        assert.deepEqual([fleet.watch_troubled_since, uptime.state], [watch_troubled_since, state])
        if (watch_troubled_since !== null) assert.deepEqual([since, uptime.since], [watch_troubled_since, watch_troubled_since])
        return [state, problem, watch_troubled_since] as const
      }
      const told = async () => {
        await gather(world)
        const { total, notices } = (await here.call('notifications.list', { kind: 'watch_troubled' })) as unknown as {
          total: number
          notices: { message: string; site_id: null }[]
        }
        return [total, notices[0]?.message] as const
      }
      const warnings = () => here.logs.filter((line) => line.includes('checks have told nothing')).length
      for (let episodes = 1; episodes <= 2; episodes++) {
        isCut = true
        const cutAt = new Date(time + minute).toISOString()
        for (let minutes = 0; minutes < 7; minutes++) await round()
        assert.deepEqual([await known(), (await told())[0]], [['up', null, null], episodes - 1])
        await round()
        const [state, problem, since] = await known()
        assert.deepEqual([state, since], ['unknown', cutAt])
        assert.match(problem ?? '', /^Since then it does not answer/)
        const [total, message] = await told()
        assert.deepEqual([total, warnings()], [episodes, episodes])
        assert.match(message ?? '', new RegExp(`^Since ${cutAt.slice(0, 10)} ${cutAt.slice(11, 16)} UTC sites that were up do not answer`))
        isCut = false
        await round()
        assert.deepEqual([await known(), await down()], [['up', null, null], {}])
      }
    })

    /** What is kept and told of a site of this fleet while our own trouble may be why it does not answer. */
    const doubtOf = async (server: number) => {
      const id = `site_${fleets}_${server}_0`
      here.world.changed(here.workspaceId)
      const { rows } = await sql<{
        up: boolean | null
        told: Date | null
        since: Date | null
      }>`SELECT st.up, st.unproven_since AS told, m.unproven_since AS since
        FROM uptime_states st JOIN uptime_monitors m USING (workspace_id, site_id, location) WHERE site_id = ${id}`.execute(world.db)
      const { sites } = (await here.call('uptime.list', { site_id: `Garden ${id}` })) as unknown as { sites: Row[] }
      const { watch_troubled_since } = (await here.call('fleet.list')) as { watch_troubled_since: string | null }
      return { ...rows[0], state: sites[0]?.state, isTroubled: watch_troubled_since !== null }
    }
    const notLooked = { up: null, told: null, since: null, state: 'unknown', isTroubled: false }

    /** All of them are unknown, and the trouble goes on. */
    async function inDoubt(): Promise<void> {
      await fleet(1, 1)
      await round()
      isCut = true
      for (let minutes = 0; minutes < 8; minutes++) await round()
      assert.partialDeepStrictEqual(await doubtOf(1), { up: true, state: 'unknown', isTroubled: true })
    }

    test('a pause, the end of a connection or of all watching ends what our own trouble left unknown, and who looks again begins anew', async () => {
      const id = () => `site_${fleets}_1_0`
      const other = () => sql`UPDATE sites SET status = 'disconnected' WHERE id = ${`site_${fleets}_2_0`}`.execute(world.db)
      await inDoubt()
      await other()
      await here.call('uptime.set_default', { enabled: false })
      assert.deepEqual(await doubtOf(1), { ...notLooked, state: 'paused' })
      await here.call('uptime.set_default', { enabled: null })
      assert.deepEqual(await doubtOf(1), notLooked)
      await sql`UPDATE sites SET status = 'disconnected'`.execute(world.db)

      await inDoubt()
      await other()
      await sql`UPDATE sites SET status = 'disconnected' WHERE id = ${id()}`.execute(world.db)
      assert.deepEqual(await doubtOf(1), notLooked)
      await sql`UPDATE sites SET status = 'clone_detected' WHERE id = ${id()}`.execute(world.db)
      sweep = new Sweep({ ...world, watch, config: { ...world.config, egressProbe: 'http://127.0.0.1:1/' } }, [0, 0])
      await round()
      assert.deepEqual(await doubtOf(1), notLooked, 'nobody has seen it answer')
      isCut = false
      await round()
      assert.partialDeepStrictEqual(await doubtOf(1), { up: true, state: 'up' })
      await sql`UPDATE sites SET status = 'disconnected'`.execute(world.db)

      await inDoubt()
      await watchSites({ ...world, config: { ...world.config, uptimeChecks: 'off' } })
      for (const server of [1, 2]) assert.deepEqual(await doubtOf(server), notLooked)
    })

    test('what was not known to be told yet is forgotten with a pause', async () => {
      await fleet(1, 1)
      await round()
      isCut = true
      await round()
      assert.ok((await doubtOf(1)).since)
      await here.call('uptime.set_default', { enabled: false })
      assert.equal((await doubtOf(1)).since, null)
      await here.call('uptime.set_default', { enabled: null })
    })

    test('a maintenance that begins amid our own trouble is none of it', async () => {
      await fleet(1, 1)
      await round()
      isCut = true
      await round()
      const ends_at = new Date(time + 60 * minute).toISOString()
      const window = await here.call('uptime.maintain_all', { ends_at, reason: 'A new disk' })
      for (let minutes = 0; minutes < 8; minutes++) await round()
      assert.deepEqual(await doubtOf(1), { up: true, told: null, since: null, state: 'up', isTroubled: false })
      await here.call('uptime.end_maintenance', { window_id: window.id })
    })

    test('WordPress of a site that is not known is not known either, in its figures and in what needs somebody, and its incident is told', async () => {
      await fleet(1, 1)
      await round()
      const id = `site_${fleets}_1_0`
      await sql`UPDATE uptime_states SET app_up = false WHERE site_id = ${id}`.execute(world.db)
      const message = 'WordPress itself answers with an error.'
      await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, started_at)
        VALUES (${here.workspaceId}, ${`incident_${fleets}`}, ${id}, 'here', 'app_down', 'http', ${message}, ${world.now()})`.execute(
        world.db,
      )
      const facts = async () => {
        here.world.changed(here.workspaceId)
        const fleet = (await here.call('fleet.list', { q: id })) as unknown as { sites: { uptime: object; needs: string[] }[] }
        const { uptime, needs } = fleet.sites[0] ?? assert.fail()
        const { sites } = (await here.call('uptime.list', { site_id: `Garden ${id}` })) as unknown as { sites: Row[] }
        return { needs: needs.includes('down'), uptime, listed: sites[0] }
      }
      assert.partialDeepStrictEqual(await facts(), { needs: true, uptime: { state: 'up', app_up: false }, listed: { app_up: false } })
      isCut = true
      for (let minutes = 0; minutes < 8; minutes++) await round()
      const { listed, ...told } = await facts()
      assert.partialDeepStrictEqual(told, { needs: false, uptime: { state: 'unknown', app_up: null, app_was_down: true } })
      assert.deepEqual([listed?.state, listed?.app_up], ['unknown', null])
      assert.match(
        listed?.problem ?? '',
        /^Since then it does not answer.* What was not well before: WordPress itself answers with an error\.$/,
      )
    })

    test('an outage of more than a quarter of all servers is told, and nothing else before it, where the probe answers and a site was down already', async () => {
      await fleet(1, 1, 1, 1, 1, 1, 1)
      const egressProbe = 'http://127.0.0.1:1/'
      const answers: typeof watch = async (request) =>
        request.url === egressProbe ? ({ status: 204 } as Awaited<ReturnType<typeof watch>>) : here.world.watch(request)
      sweep = new Sweep({ ...world, watch: answers, config: { ...world.config, egressProbe } }, [0, 0])
      await round()
      const troubles = async () => (await here.call('notifications.list', { kind: 'watch_troubled' })).total
      await gather(world)
      const before = await troubles()
      await sql`UPDATE uptime_states SET up = false WHERE site_id = ${`site_${fleets}_7_0`}`.execute(world.db)
      for (const n of [0, 1, 2, 3, 6]) stop(servers[n])
      await seconds(240)
      assert.deepEqual(await down(), {})
      await seconds(180)
      assert.deepEqual([await down(), await troubles()], [{ 1: 1, 2: 1, 3: 1, 4: 1 }, before])
    })

    test('while many are begun, whatever else waits in this process has its turn in between', async () => {
      await sql`DELETE FROM turns WHERE kind = 'uptime'`.execute(world.db)
      await fleet(40)
      time += minute
      let begun = 0
      sweep = new Sweep(world, [0, 0], () => void begun++)
      const passing = sweep.pass().then(() => true)
      const seen = [0]
      while (!(await Promise.race([passing, turn(false)]))) seen.push(begun)
      await sweep.finish()
      const steps = seen.map((n, i) => n - (seen[i - 1] ?? 0))
      assert.equal(begun, 40)
      assert.ok(Math.max(...steps) <= 16 && seen.filter((n) => n > 0).length >= 3, `begun at each turn: ${steps.filter(Boolean)}`)
    })

    /** The only site of a fleet, led to what listens there by DNS. */
    async function named(t: TestContext, listener: Server, options: GuardedFetchOptions): Promise<Sweep> {
      await fleet(1)
      servers.push(listener)
      await new Promise<void>((ready) => listener.listen(0, ready))
      const scheme = options.ca === undefined ? 'http' : 'https'
      const home = `${scheme}://garden.example:${(listener.address() as AddressInfo).port}`
      await sql`UPDATE sites SET home = ${home}, url = ${home} WHERE id = ${`site_${fleets}_1_0`}`.execute(world.db)
      await sql`UPDATE uptime_monitors SET addresses = NULL`.execute(world.db)
      const guarded = createGuardedFetch({ allowPrivate: true, ...options })
      t.after(() => guarded.close())
      return new Sweep({ ...world, watch: guarded.fetch }, [0, 0])
    }

    test('a pool that DNS turns is no move, one to a server that is dead is told, and what DNS says while our network is gone is not', async (t) => {
      const pool = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `127.1.0.${n}`)
      let given = pool
      const listener = createServer((_, response) => void response.end('Flowers'))
      sweep = await named(t, listener, { resolve: async () => given })
      const moves = async () =>
        (await sql<{ after: string[] }>`SELECT after FROM uptime_moves WHERE site_id LIKE ${`site_${fleets}_%`}`.execute(world.db)).rows
      for (let turns = 0; turns < 4; turns++) {
        await round()
        given = [...given.slice(2), ...given.slice(0, 2)]
      }
      assert.deepEqual(await moves(), [])
      const captive = Object.assign(new FetchError('connect', failed.message), { addresses: ['127.1.0.98'] })
      const config = { ...world.config, egressProbe: 'http://127.0.0.1:1/' }
      const ours = sweep
      sweep = new Sweep({ ...world, watch: () => Promise.reject(captive), config }, [0, 0])
      await round()
      assert.deepEqual(await moves(), [])
      stop(listener)
      given = ['127.1.0.99']
      sweep = ours
      await round()
      assert.deepEqual([await moves(), await down()], [[{ after: ['127.1.0.99'] }], { 1: 1 }])
    })

    test('a check over TLS keeps the end of the certificate that the server showed', async (t) => {
      const pair = selfSigned('garden.example')
      const listener = createTlsServer(pair, (_, response) => void response.end('Flowers'))
      sweep = await named(t, listener, { resolve: async () => ['127.0.0.1'], ca: pair.cert })
      await round()
      const { rows } = await sql<{ ends: Date }>`SELECT certificate_ends_at AS ends FROM uptime_monitors
        WHERE site_id = ${`site_${fleets}_1_0`}`.execute(world.db)
      assert.deepEqual(rows[0]?.ends, new Date(new X509Certificate(pair.cert).validTo))
    })

    test('the operator’s probe is asked as soon as a try fails, once for all that fail then', async () => {
      await fleet(12)
      await round()
      const egressProbe = 'http://127.0.0.1:1/'
      let [tries, probes] = [0, 0]
      // It answers again before anybody is sure that the sites do not.
      const gone: typeof watch = async (request) => {
        if (request.url !== egressProbe && ++tries) throw failed
        probes++
        if (tries <= 12) throw failed
        return { status: 204 } as Awaited<ReturnType<typeof watch>>
      }
      sweep = new Sweep({ ...world, watch: gone, config: { ...world.config, egressProbe } }, [0, 0])
      await round()
      assert.deepEqual([await down(), tries, probes < 12], [{}, 36, true])
    })
  })
})
