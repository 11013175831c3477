import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import { verbsOf, watchSites } from '../../test/site-watch.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('the first hello', () => {
  let here: TestWorld
  /** On a host of its own, and not paired. */
  let evil: RunningFakeSite
  const fakes: RunningFakeSite[] = []
  before(async () => {
    here = await aWorld()
    evil = await startFakeSite({ host: '127.0.0.2' })
    fakes.push(evil)
  })
  after(async () => {
    await Promise.all(fakes.map((fake) => fake.stop()))
    await here.close()
  })

  const { siteOf, connected, refusedHello, setStatus } = watchSites(() => here)

  const atTwoHosts = async (elsewhere?: string) => {
    const fake = await startFakeSite()
    fakes.push(fake)
    const second = createServer(fake.handle)
    await new Promise<void>((resolve) => second.listen(0, '127.0.0.4', resolve))
    const home = `http://127.0.0.4:${(second.address() as AddressInfo).port}`
    fake.state.home = elsewhere ?? home
    const { siteId } = await fake.enrol(here.url, String((await here.call('pairing.create_code')).code))
    return { fake, home, siteId, stop: () => new Promise((resolve) => second.close(resolve)) }
  }

  test('a site whose visitors come to another host must answer there as well', async () => {
    const both = await atTwoHosts()
    const site = await connected(both.siteId)
    assert.deepEqual([site.url, site.home], [both.fake.url, both.home])
    await both.stop()
    const one = await atTwoHosts('http://127.0.0.5:1')
    const row = await refusedHello(one.siteId)
    assert.equal(row.status, 'pending')
    assert.match(row.connection.last_error?.message ?? '', /another host.*must answer as this site too/)
    await one.stop()
    // As soon as that is mended, a ping connects it.
    delete one.fake.state.home
    assert.equal((await here.call('sites.ping', { site_id: one.siteId })).ok, true)
    assert.equal((await siteOf(one.siteId)).status, 'connected')
  })

  test('a connected site does not lead its calls away by a later hello', async () => {
    const { id, fake } = await here.site()
    const { home } = await siteOf(id)
    await setStatus(id, 'unreachable')
    fake.state.home = evil.url
    evil.requests.length = 0
    await fake.notify(here.url, 'enrolled')
    const row = await refusedHello(id)
    assert.deepEqual([row.home, verbsOf(evil)], [home, []])
    assert.ok(String((await here.call('login.create', { site_id: id })).url).startsWith(fake.url))
  })

  test('an answer to keys that were replaced meanwhile connects nothing', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('slow', { slowMs: 500 })
    fake.requests.length = 0
    const pinging = here.call('sites.ping', { site_id: id })
    while (fake.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await setStatus(id, 'pending')
    await pinging
    assert.equal((await siteOf(id)).status, 'pending')
  })
})
