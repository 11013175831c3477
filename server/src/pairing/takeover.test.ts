import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import { verbsOf, watchSites } from '../../test/site-watch.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

const statuses = ['connected', 'unreachable', 'pending', 'disconnected', 'clone_detected', 'paused'] as const

describe('whoever has a code', () => {
  let here: TestWorld
  /** On a host of its own. */
  let evil: RunningFakeSite
  const fakes: RunningFakeSite[] = []
  before(async () => {
    here = await aWorld()
    evil = await aFake('127.0.0.2')
  })
  after(async () => {
    await Promise.all(fakes.map((fake) => fake.stop()))
    await here.close()
  })

  const aFake = async (host?: string) => {
    const fake = await startFakeSite({ host })
    fakes.push(fake)
    return fake
  }
  const code = async (input = {}) => String((await here.call('pairing.create_code', input)).code)
  const { connected, refusedHello, setStatus } = watchSites(() => here)
  const keysOf = async (id: string) =>
    (
      await sql<{ of: string }>`SELECT concat_ws(' ', url, home, site_public, service_public) AS of FROM sites WHERE id = ${id}`.execute(
        here.world.db,
      )
    ).rows[0]?.of
  const notesOf = async (id: string) => {
    const { activity } = (await here.call('activity.list', { site_id: id })) as { activity: { summary: string; notes: string | null }[] }
    return activity.map(({ summary, notes }) => `${summary}. ${notes ?? ''}`)
  }

  describe('does not get a known site', () => {
    let victim: { id: string; fake: RunningFakeSite }
    before(async () => {
      victim = await here.site()
    })
    for (const status of statuses)
      test(`that is ${status}, whether it answers or not`, async () => {
        const { id, fake } = victim
        const before = await keysOf(id)
        await setStatus(id, status)
        for (const trouble of [undefined, 'down'] as const) {
          fake.misbehave(trouble)
          const bound = trouble ? {} : { host: new URL(fake.url).host }
          const claim = evil.enrol(here.url, await code(bound), { url: fake.url, home: evil.url })
          await assert.rejects(claim, /409 conflict .*site code --workspace W --site/)
        }
        assert.equal(await keysOf(id), before)
        assert.deepEqual(verbsOf(evil), [])
      })
  })

  test('does not get it under another way to write its address, and learns of five addresses at most', async () => {
    const { fake } = await here.site()
    const once = await code()
    const spelled = [
      `${fake.url}/`,
      fake.url.replace('http:', 'https:'),
      `${fake.url}?x=1#y`,
      fake.url.replace('http://', 'http://a@'),
      `${fake.url}//`,
    ]
    for (const url of spelled) await assert.rejects(evil.enrol(here.url, once, { url, home: evil.url }), /409 conflict/, url)
    await assert.rejects(evil.enrol(here.url, once, { url: fake.url, home: evil.url }), /404 not_found/)
    await assert.rejects(evil.enrol(here.url, once), /404 not_found/)
  })

  test('cannot claim an address that somebody else answers at, and the claim is in nobody’s way', async () => {
    const victim = await aFake()
    evil.state.home = evil.url
    const { siteId } = await evil.enrol(here.url, await code(), { url: victim.url, home: evil.url })
    const claimed = await refusedHello(siteId)
    assert.deepEqual([claimed.status, claimed.home], ['pending', victim.url])
    // Not even where the row says so.
    await sql`UPDATE sites SET home = ${evil.url} WHERE id = ${siteId}`.execute(here.world.db)
    await assert.rejects(here.call('sites.ping', { site_id: siteId }), { code: 'site_refused' })
    for (const [name, input] of [
      ['login.create', {}],
      ['pairing.rotate_keys', {}],
    ] as const)
      await assert.rejects(here.call(name, { site_id: siteId, ...input }), { code: 'conflict' })
    await assert.rejects(here.call('security.check', { site_id: siteId }), { code: 'conflict' })
    assert.deepEqual(verbsOf(evil), [], 'nothing that is signed went to the intruder')
    const { siteId: real } = await victim.enrol(here.url, await code())
    assert.equal((await connected(real)).home, victim.url)
    assert.equal((await here.call('sites.list', { q: new URL(victim.url).host }))['total'], 1)
    assert.ok(String((await here.call('login.create', { site_id: real })).url).startsWith(victim.url))
    await assert.rejects(evil.enrol(here.url, await code(), { url: victim.url, home: evil.url }), /409/)
  })

  test('made for this site pairs it anew, keeps its history, and tells so', async () => {
    const { id, fake } = await here.site()
    await here.call('activity.log', { site_id: id, summary: 'Before' })
    await fake.leave(here.url)
    const { siteId } = await fake.enrol(here.url, await code({ site_id: id }))
    assert.equal(siteId, id)
    await connected(id)
    const told = (await notesOf(id)).join('\n')
    assert.match(told, /Before/)
    assert.match(told, new RegExp(`paired anew with a code made for it.*Address: ${fake.url}, visitors: ${fake.url}.*user_test`))
    assert.match(told, new RegExp(`The site was connected. It answered at ${fake.url}`))
  })

  test('made for one site is of no use to another, nor for sending its answers elsewhere', async () => {
    const { id, fake } = await here.site()
    const before = await keysOf(id)
    evil.requests.length = 0
    const mine = async () => code({ site_id: id })
    await assert.rejects(evil.enrol(here.url, await mine()), /409 conflict .*--site SITE --host HOST/)
    await assert.rejects(evil.enrol(here.url, await code({ site_id: id, host: 'example.com' }), { url: fake.url }), /404/)
    assert.equal(await keysOf(id), before)
    evil.state.home = evil.url
    await evil.enrol(here.url, await mine(), { url: fake.url, home: evil.url })
    const row = await refusedHello(id)
    assert.deepEqual([row.status, row.home], ['pending', fake.url])
    assert.deepEqual(verbsOf(evil), [])
    await fake.enrol(here.url, await mine())
    await connected(id)
  })

  test('can bring a site that moved, when the code names both; both addresses are told', async () => {
    const { id, fake } = await here.site()
    const moved = await aFake('127.0.0.3')
    const other = await here.site()
    const to = (url: string) => code({ site_id: id, host: new URL(url).host })
    await assert.rejects(other.fake.enrol(here.url, await to(other.fake.url)), /409 conflict .*Remove that one first/)
    // A claim of the new address that nobody ever answered for gives way.
    const { siteId: claim } = await evil.enrol(here.url, await code(), { url: moved.url, home: evil.url })
    await moved.enrol(here.url, await to(moved.url))
    const row = await connected(id)
    assert.deepEqual([row.url, row.home], [moved.url, moved.url])
    await assert.rejects(here.call('sites.get', { site_id: claim }), { code: 'not_found' })
    assert.ok((await notesOf(id)).some((told) => told.includes(`Before: ${fake.url}`)))
    assert.equal((await here.call('sites.ping', { site_id: id })).ok, true)
  })

  test('for a site that was removed is gone with it, and then any code pairs the address', async () => {
    const { id, fake } = await here.site()
    const bound = await code({ site_id: id })
    await here.call('sites.remove', { site_id: id })
    await assert.rejects(fake.enrol(here.url, bound), /404/)
    const { siteId } = await fake.enrol(here.url, await code())
    assert.notEqual(siteId, id)
    await connected(siteId)
  })
})
