import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { failureOf } from '../../test/failure.ts'
import { startFakeFleet } from '../../test/fake-fleet.ts'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import type { Trouble } from '../../test/fake-trouble.ts'
import { type FaultProxy, startFaultProxy } from '../../test/fault-proxy.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { type Deps, probe, type SiteConnection, skewOf } from './ask.ts'
import { call } from './call.ts'
import { createKeyPair } from './keys.ts'
import { signRequest } from './sign.ts'
import { SiteError } from './site-error.ts'

const guarded = createGuardedFetch({ allowPrivate: true, limits: { perAddress: 64, together: 64 } })
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

/** A site of this test's own, stopped with it however it ends. */
async function freshSite(t: TestContext, now = deps.now): Promise<RunningFakeSite> {
  const fresh = await startFakeSite({ now })
  t.after(fresh.stop)
  return fresh
}

async function relayTo(t: TestContext, url: string): Promise<FaultProxy> {
  const proxy = await startFaultProxy(Number(new URL(url).port))
  t.after(proxy.stop)
  return proxy
}

describe('doors', () => {
  const found: [Trouble | undefined, door: string, mode: string][] = [
    [undefined, 'front', 'headers'],
    ['strip_headers', 'front', 'envelope'],
    ['dirty_host', 'front', 'envelope'],
    ['only_ajax', 'ajax', 'headers'],
  ]
  for (const [trouble, door, mode] of found) {
    test(`a probe of a site with ${trouble ?? 'nothing wrong'} finds ${door} by ${mode}`, async () => {
      site.misbehave(trouble)
      const result = await probe(deps, connection)
      assert.deepEqual([result.door, result.mode, result.hello.name], [door, mode, 'Fake Garden'])
      site.misbehave()
    })
  }

  test('a blocked door makes a call look for another one, only when it may', async () => {
    site.misbehave('only_ajax')
    assert.equal((await failureOf(SiteError, call(deps, connection, { verb: 'ping', params: {} }))).reason, 'http_status')
    const answer = await call(deps, connection, { verb: 'ping', params: {} }, { probe: true })
    assert.deepEqual([answer.door, answer.mode, answer.result.wp_version], ['ajax', 'headers', '6.8.1'])
    const remembered = { ...connection, door: answer.door, mode: answer.mode }
    const before = site.requests.length
    await call(deps, remembered, { verb: 'ping', params: {} })
    assert.equal(site.requests.length, before + 1)
    site.misbehave()
  })

  test('what a firewall refuses by its words goes in an envelope, and after three such bodies at once', async (t) => {
    const filtered = await freshSite(t)
    const mine = filtered.pair()
    filtered.misbehave('body_filter')
    const read = () => call(deps, mine, { verb: 'files.digest', params: { root: 'abspath', items: ['wp-config.php'], budget_ms: 100 } })
    const counts: number[] = []
    for (let n = 0; n < 5; n++) {
      const before = filtered.requests.length
      await read()
      counts.push(filtered.requests.length - before)
    }
    assert.deepEqual(counts, [2, 2, 2, 1, 1])
  })

  test('a word that stands in the base64 of an envelope by chance is gone when that is written anew', async (t) => {
    const filtered = await freshSite(t)
    const mine = { ...filtered.pair(), mode: 'envelope' as const }
    filtered.misbehave('body_filter')
    const counts: number[] = []
    for (const before of ['', '-', '--']) {
      const asked = filtered.requests.length
      await call(deps, mine, { verb: 'files.digest', params: { root: 'abspath', items: [`${before}chance`], budget_ms: 100 } })
      counts.push(filtered.requests.length - asked)
    }
    assert.deepEqual(counts.toSorted(), [1, 1, 2], 'at one of three places it is such a word')
  })

  test('where the connection breaks at a word, each time, the envelope is tried', async (t) => {
    const filtered = await freshSite(t)
    const mine = filtered.pair()
    filtered.misbehave('body_breaker')
    const params = { root: 'abspath' as const, items: ['wp-config.php'], budget_ms: 100 }
    assert.equal((await call(deps, mine, { verb: 'files.digest', params })).mode, 'envelope')
    assert.equal(filtered.requests.length, 4, 'a broken connection is first taken for an accident')
  })

  test('a door that is asked for by name is tried in both modes too', async (t) => {
    const filtered = await freshSite(t)
    const mine = filtered.pair()
    filtered.misbehave('body_filter')
    const params = { root: 'abspath' as const, items: ['wp-config.php'], budget_ms: 100 }
    assert.equal((await call(deps, mine, { verb: 'files.digest', params }, { door: 'ajax' })).mode, 'envelope')
  })

  test('what is refused in an envelope as well fails as it did at first, after one more request', async () => {
    site.misbehave('security_plugin')
    const before = site.requests.length
    const error = await failureOf(SiteError, call(deps, connection, { verb: 'ping', params: {} }))
    assert.deepEqual([error.reason, site.requests.length - before], ['security_plugin', 2])
    site.misbehave('basic_auth')
    await failureOf(SiteError, call(deps, connection, { verb: 'ping', params: {} }))
    assert.equal(site.requests.length - before, 3, 'a password that is wanted is wanted for any body')
    site.misbehave()
  })

  test('a probe that finds none says what each door said, and names the plainest cause', async () => {
    site.misbehave('security_plugin')
    const error = await failureOf(SiteError, probe(deps, connection))
    assert.equal(error.reason, 'security_plugin')
    assert.equal(error.doors.length, 12)
    assert.match(error.message, /Wordfence/)
    site.misbehave()
  })

  test('a probe of a site that breaks every connection gives up after the second try', async () => {
    const before = site.requests.length
    site.misbehave('down')
    assert.equal((await failureOf(SiteError, probe(deps, connection))).reason, 'connect')
    assert.equal(site.requests.length, before + 2)
    site.misbehave()
  })
})

describe('clocks', () => {
  for (const hours of [-24, -1, 1, 24]) {
    test(`a site ${hours} hours off works after one hello`, async (t) => {
      // Both clocks stand still: a busy machine takes seconds for an answer, and those are no difference between them.
      const at = new Date()
      const still: Deps = { ...deps, now: () => at }
      const fresh = await freshSite(t, still.now)
      const mine = fresh.pair()
      fresh.state.skewSeconds = hours * 3_600
      assert.equal((await failureOf(SiteError, call(still, mine, { verb: 'ping', params: {} }))).reason, 'clock')
      const { skewSeconds } = await probe(still, mine)
      assert.ok(Math.abs(skewSeconds - hours * 3_600) <= 1)
      await call(still, { ...mine, skewSeconds }, { verb: 'ping', params: {} })
      const healed = await call(still, mine, { verb: 'ping', params: {} }, { probe: true })
      assert.ok(Math.abs(healed.skewSeconds - hours * 3_600) <= 1)
    })
  }

  test('what is known about a clock stays as long as it may be true, wherever in a second an answer comes', () => {
    for (let ms = 0; ms < 2_000; ms++)
      for (const took of [0, 7, 900]) {
        const [before, after] = [50_000 + ms, 50_000 + ms + took]
        for (const at of [before, after]) assert.equal(skewOf(0, Math.floor(at / 1000), { before, after }), 0)
        for (const skew of [-3_600, -2, 2, 3_600]) {
          const told = Math.floor(before / 1000) + skew
          assert.equal(skewOf(skew, told, { before, after }), skew)
          assert.ok(Math.abs(skewOf(0, told, { before, after }) - skew) <= 1)
        }
      }
  })

  test('an unsigned hint about the clock moves nothing', async () => {
    site.misbehave('false_clock_hint', { times: 1 })
    assert.equal((await call(deps, connection, { verb: 'ping', params: {} }, { probe: true })).skewSeconds, 0)
    site.misbehave('false_clock_hint')
    assert.equal((await failureOf(SiteError, call(deps, connection, { verb: 'ping', params: {} }, { probe: true }))).reason, 'clock')
    site.misbehave()
  })
})

describe('effects', () => {
  const update = (i: number) => ({ job: `job_${i}`, fence: 1, type: 'plugin', file: `p${i}/p.php` }) as const
  const ticket = (i: number) => ({ ticket_sha256: i.toString(16).padStart(64, '0'), requester: 'Ann', ttl: 60 })
  const plant = (state: RunningFakeSite['state']) => {
    const [, garden] = state.items
    assert.ok(garden)
    state.items = Array.from({ length: 50 }, (_, i) => ({ ...garden, file: `p${i}/p.php` }))
  }

  /** As if it had been guarded. */
  const arm = (state: RunningFakeSite['state'], i: number) => {
    const { job, fence, type, file } = update(i)
    const copy = state.items.find((item) => item.file === file)
    const armed = {
      phase: 'armed',
      echo: '',
      deadline: Number.MAX_SAFE_INTEGER,
      busy: false,
      marks: new Set<string>(),
      copy,
      translations: 0,
    }
    state.update = { id: `${i}`, job, fence, type, file, ...armed }
  }

  test('sixteen copies of one request have one effect', async (t) => {
    const fresh = await freshSite(t)
    const { servicePrivateKey, siteId } = fresh.pair()
    plant(fresh.state)
    for (let round = 0; round < 20; round++) {
      arm(fresh.state, round)
      const body = Buffer.from(JSON.stringify({ method: 'updates.apply', params: update(round) }))
      const created = Math.floor(Date.now() / 1000)
      const signed = { body, siteId, requestId: `req_${round}`, tag: 'svc-connector-v1', created } as const
      const headers = signRequest({ keyid: 'k1', privateKey: servicePrivateKey }, signed)
      const send = () =>
        guarded.fetch({ method: 'POST', url: `${fresh.url}/?svc-connector=1`, headers, body, maxBytes: 10_000, timeoutMs: 60_000 })
      const answers = await Promise.all(Array.from({ length: 16 }, send))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(fresh.state.effects.length, round + 1)
    }
  })

  test('sixteen attempts under one request id have one effect, and all learn of it', async (t) => {
    const fresh = await freshSite(t)
    const mine = fresh.pair()
    plant(fresh.state)
    fresh.state.updateMs = 50
    arm(fresh.state, 1)
    const attempts = Array.from({ length: 16 }, () =>
      call(deps, mine, { verb: 'updates.apply', params: update(1) }, { requestId: 'req_same' }),
    )
    const statuses = (await Promise.all(attempts)).map(({ result }) => result.status)
    assert.deepEqual(new Set(statuses), new Set(['updated']))
    assert.equal(fresh.state.effects.length, 1)
  })

  test('lost replies do not make a write happen twice', async (t) => {
    const fresh = await freshSite(t)
    const proxy = await relayTo(t, fresh.url)
    const mine = { ...fresh.pair(), url: proxy.url, home: proxy.url }
    proxy.set({ loseReply: true })
    const logins = Array.from({ length: 100 }, (_, i) => call(deps, mine, { verb: 'login.issue', params: ticket(i) }))
    while (proxy.seen.struck < 50) await new Promise((next) => setTimeout(next, 5))
    proxy.set({})
    await Promise.all(logins)
    assert.equal(fresh.state.effects.length, 100)
    assert.ok(fresh.requests.length >= 150)
  })

  test('a request that the network sends twice has one effect', async (t) => {
    const fresh = await freshSite(t)
    const proxy = await relayTo(t, fresh.url)
    const mine = { ...fresh.pair(), url: proxy.url, home: proxy.url }
    plant(fresh.state)
    proxy.set({ duplicate: true })
    for (let i = 0; i < 20; i++) {
      arm(fresh.state, i)
      assert.equal((await call(deps, mine, { verb: 'updates.apply', params: update(i) })).result.status, 'updated')
    }
    assert.equal(fresh.state.effects.length, 20)
  })

  test('an inverted byte, a cut and small pieces never make a wrong answer', async (t) => {
    const proxy = await relayTo(t, site.url)
    const mine = { ...connection, url: proxy.url, home: proxy.url }
    const faults = [60, 200, 500, 700].flatMap((at) => [
      { flip: at },
      { cut: { after: at, how: 'close' as const } },
      { cut: { after: at, how: 'reset' as const } },
    ])
    for (const fault of faults.flatMap((down) => [{ down }, { up: down }])) {
      proxy.set(fault)
      const answer = await call(deps, mine, { verb: 'ping', params: {} }, { retries: 0, timeoutMs: 300 }).catch((error: unknown) => error)
      const right = answer instanceof SiteError || (answer as { result: { wp_version: string } }).result.wp_version === '6.8.1'
      assert.ok(right)
    }
    proxy.set({ down: { pieces: 7 }, up: { pieces: 7 } })
    const late = createGuardedFetch({ allowPrivate: true })
    assert.equal((await call({ ...deps, fetch: late.fetch }, mine, { verb: 'ping', params: {} })).result.wp_version, '6.8.1')
    await late.close()
  })

  test('a later fence shuts out an earlier one', async (t) => {
    const fresh = await freshSite(t)
    const mine = fresh.pair()
    plant(fresh.state)
    arm(fresh.state, 1)
    await call(deps, mine, { verb: 'updates.apply', params: { ...update(1), fence: 2 } })
    assert.equal(
      (await failureOf(SiteError, call(deps, mine, { verb: 'updates.apply', params: { ...update(1), fence: 1 } }))).reason,
      'error:fence',
    )
  })
})

test('a rotated key is taken on its first use, and the old one is then refused', async (t) => {
  const fresh = await freshSite(t)
  const old = fresh.pair()
  const next = createKeyPair()
  await call(deps, old, { verb: 'keys.rotate', params: { keyid: 'k2', public: next.public } })
  await call(deps, old, { verb: 'ping', params: {} })
  await call(deps, { ...old, keyid: 'k2', servicePrivateKey: next.privateKey }, { verb: 'ping', params: {} })
  assert.equal((await failureOf(SiteError, call(deps, old, { verb: 'ping', params: {} }))).reason, 'refused:key')
})

test('after a disconnect the site is deaf', async (t) => {
  const fresh = await freshSite(t)
  const mine = fresh.pair()
  assert.equal((await call(deps, mine, { verb: 'disconnect', params: {} })).result.disconnected, true)
  assert.equal((await failureOf(SiteError, call(deps, mine, { verb: 'ping', params: {} }))).reason, 'html_instead_of_json')
})

test('a fleet of 200 sites is asked in one go, each under its own key', async () => {
  const fleet = await startFakeFleet(200, { delayMs: 20 })
  const sites = fleet.sites.map((each, i) => each.pair(`site_${i}`))
  const answers = await Promise.all(sites.map((each) => call(deps, each, { verb: 'ping', params: {} })))
  assert.equal(answers.length, 200)
  assert.equal(new Set(sites.map(({ home }) => new URL(home).hostname)).size, 200)
  const [first, second] = sites
  assert.ok(first && second)
  assert.equal(
    (await failureOf(SiteError, call(deps, { ...first, home: second.home }, { verb: 'ping', params: {} }))).reason,
    'refused:audience',
  )
  await fleet.stop()
})
