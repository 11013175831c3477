import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('key rotation', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())
  const keysOf = async (id: string) =>
    (
      await sql<{
        keyid: string
        sealed: string
        next: unknown
      }>`SELECT keyid, sealed_service_key AS sealed, next_key AS next FROM sites WHERE id = ${id}`.execute(here.world.db)
    ).rows[0]
  const ping = async (id: string) => (await here.call('sites.ping', { site_id: id })).ok

  test('the new key works, and the old one no longer does', async () => {
    const { id } = await here.site()
    const old = await keysOf(id)
    assert.deepEqual(await here.call('pairing.rotate_keys', { site_id: id }), { id, keyid: 'k2' })
    assert.equal(await ping(id), true)
    await sql`UPDATE sites SET keyid = 'k1', sealed_service_key = ${old?.sealed} WHERE id = ${id}`.execute(here.world.db)
    await assert.rejects(ping(id), { code: 'site_refused' })
  })

  test('a rotation whose first call is lost changes nothing and is finished by the next', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('down')
    await assert.rejects(here.call('pairing.rotate_keys', { site_id: id }), { code: 'site_unreachable' })
    fake.misbehave(undefined)
    assert.equal((await keysOf(id))?.keyid, 'k1')
    assert.equal(await ping(id), true)
    assert.deepEqual(await here.call('pairing.rotate_keys', { site_id: id }), { id, keyid: 'k2' })
    assert.equal((await keysOf(id))?.next, null)
  })

  test('a rotation that the site finished and we did not is found and finished', async () => {
    const { id } = await here.site()
    const before = await keysOf(id)
    await here.call('pairing.rotate_keys', { site_id: id })
    const done = await keysOf(id)
    const next = { keyid: 'k2', public: 'x', sealed: done?.sealed }
    await sql`UPDATE sites SET keyid = 'k1', sealed_service_key = ${before?.sealed}, next_key = ${JSON.stringify(next)}::jsonb WHERE id = ${id}`.execute(
      here.world.db,
    )
    assert.deepEqual(await here.call('pairing.rotate_keys', { site_id: id }), { id, keyid: 'k2' })
    assert.equal(await ping(id), true)
  })
})
