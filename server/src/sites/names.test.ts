import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('a hacked site that takes a name', () => {
  let here: TestWorld
  let good: { id: string; fake: RunningFakeSite; domain: string }
  let hacked: { id: string; fake: RunningFakeSite }
  let channel: unknown
  before(async () => {
    here = await aWorld()
    const site = await here.site()
    good = { ...site, domain: 'shop.example' }
    hacked = await here.site()
    channel = (await here.call('notifications.add_channel', { name: 'Hook', type: 'webhook', url: 'http://127.0.0.1:9/' })).id
    await sql`UPDATE sites SET url = 'https://shop.example', home = 'https://shop.example', name = 'Shop' WHERE id = ${good.id}`.execute(
      here.world.db,
    )
  })
  after(() => here.close())

  const takes = async (name: string) => {
    await sql`UPDATE sites SET name = ${name} WHERE id = ${hacked.id}`.execute(here.world.db)
    await until(async () => (await here.call('sites.get', { site_id: hacked.id }))['name'] === name)
  }
  const idOf = async (named: string) => (await here.call('sites.get', { site_id: named }))['id']
  const changing: [string, (site: string) => object][] = [
    ['login.create', (site_id) => ({ site_id })],
    ['backups.create', (site_id) => ({ site_id, type: 'db' })],
    ['updates.apply', (site_id) => ({ site_id, core: true })],
    ['activity.log', (site_id) => ({ site_id, summary: 'Oiled' })],
    ['security.check', (site_id) => ({ site_id })],
    ['tweaks.apply', (site_id) => ({ site_ids: [site_id], tweak_ids: ['xmlrpc_off'] })],
    ['rollouts.start', (site_id) => ({ site_ids: [site_id], dry_run: true })],
    ['pairing.create_code', (site_id) => ({ site_id })],
    ['updates.set_rule', (site_id) => ({ site_id, type: 'plugin', allow: 'never' })],
    ['policies.set', (site_id) => ({ site_id, effect: 'backups', decision: 'never' })],
    ['notifications.add_rule', (site_id) => ({ site_id, channel_id: channel })],
    ['sites.remove', (site_id) => ({ site_id })],
  ]

  test('gets no call that is meant for the domain, and stands in nobody’s way', async () => {
    for (const name of ['shop.example', 'SHOP.example', 'https://shop.example', 'https://shop.example/']) {
      await takes(name)
      assert.equal(await idOf('shop.example'), good.id, name)
      assert.equal(await idOf('https://shop.example'), good.id, name)
    }
  })

  for (const [name, input] of changing)
    test(`gets no ${name} by www. before a domain that is registered without, nor by its name`, async () => {
      hacked.fake.requests.length = 0
      for (const taken of ['www.shop.example', 'Our Shop']) {
        await takes(taken)
        await assert.rejects(here.call(name, input(taken)), { code: 'not_found' }, taken)
      }
      assert.deepEqual(hacked.fake.requests, [])
    })

  test('is not even read under www. before another’s domain, and is told which domain there is', async () => {
    await takes('www.shop.example')
    await assert.rejects(idOf('www.shop.example'), { code: 'not_found', message: /shop\.example/ })
  })

  test('is read by a name that is like no domain', async () => {
    await takes('Our Shop')
    assert.equal(await idOf('Our Shop'), hacked.id)
    await takes('Shop')
    await assert.rejects(idOf('Shop'), { code: 'conflict' })
  })
})
