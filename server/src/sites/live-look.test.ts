import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { openService, type Service } from '../service.ts'

describe('live looks of tokens', () => {
  let here: TestWorld
  let other: Service
  let otherUrl: string
  let token: string
  before(async () => {
    here = await aWorld()
    token = (await here.token('read')).token
    const { config, log, now } = here.world
    other = await openService({ config: { ...config, role: 'serve' }, log, now, address: here.address })
    otherUrl = (await other.server?.listen({ host: '127.0.0.1', port: 0 })) ?? ''
  })
  after(async () => {
    await other.close()
    await here.close()
  })

  const looks: [what: string, ask: (id: string) => [method: string, path: string, body?: object]][] = [
    ['the inventory', (id) => ['GET', `/sites/${id}/inventory`]],
    ['the inventory with new updates', (id) => ['GET', `/sites/${id}/inventory?refresh=true`]],
    ['the tweaks', (id) => ['GET', `/sites/${id}/tweaks`]],
    ['a ping', (id) => ['POST', `/sites/${id}/actions`, { action: 'ping' }]],
  ]
  const asked = async ([method, path, body]: ReturnType<(typeof looks)[number][1]>, url = here.url) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, ...((await response.json()) as { live?: boolean; live_error?: string | null; detail?: string }) }
  }

  for (const [what, ask] of looks)
    test(`${what}: twenty calls at once on two nodes, and those of the next minute, are one look`, async () => {
      const { id, fake } = await here.site()
      const before = fake.requests.length
      await asked(ask(id))
      const one = fake.requests.length - before
      here.clock.add(60_001)
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => asked(ask(id), n % 2 ? here.url : otherUrl)))
      for (const { status, live, live_error } of answers) assert.deepEqual([status, live ?? true, live_error ?? null], [200, true, null])
      here.clock.add(30_000)
      assert.equal((await asked(ask(id))).status, 200)
      assert.equal(fake.requests.length - before, 2 * one, `${one} requests are one look`)
      here.clock.add(30_001)
      await asked(ask(id))
      assert.equal(fake.requests.length - before, 3 * one, 'after a minute it is asked again')
    })

  test('a site that does not answer is not asked again for each call either, and the reason is told with its time', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('challenge')
    const before = fake.requests.length
    assert.equal((await asked(['POST', `/sites/${id}/actions`, { action: 'ping' }])).status, 502)
    const one = fake.requests.length - before
    here.clock.add(20_000)
    const { status, detail } = await asked(['POST', `/sites/${id}/actions`, { action: 'ping' }], otherUrl)
    assert.equal(status, 502)
    assert.match(detail ?? '', /Cloudflare.*[2-5]\d s ago.*once in 60 s/)
    assert.equal(fake.requests.length - before, one)
  })

  test('people look whenever they want', async () => {
    const { id, fake } = await here.site()
    const before = fake.requests.length
    for (let n = 0; n < 3; n++) await here.call('sites.ping', { site_id: id })
    assert.equal(fake.requests.length - before, 3)
  })
})
