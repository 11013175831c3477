// The keys with which the service speaks to a site and knows its answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { connectionOf } from './talk.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

test('keys of a site are read once, and again when its row has others', async () => {
  const { world, workspaceId } = here
  const keysOf = async (id: string) => {
    const { servicePrivateKey, siteKeys } = await connectionOf({ ...world, workspaceId }, { id })
    return [servicePrivateKey, siteKeys[0]?.key]
  }
  const [one, other] = [(await here.site()).id, (await here.site()).id]
  const [first, others] = [await keysOf(one), await keysOf(other)]
  for (const [n, key] of (await keysOf(one)).entries()) assert.equal(key, first[n])
  assert.notEqual(first[0], others[0])

  const sealedOf = async (id: string) =>
    (await sql<{ sealed: string }>`SELECT sealed_service_key AS sealed FROM sites WHERE id = ${id}`.execute(world.db)).rows[0]?.sealed
  const [own, foreign] = [await sealedOf(one), await sealedOf(other)]
  await sql`UPDATE sites SET sealed_service_key = ${foreign} WHERE id = ${one}`.execute(world.db)
  await assert.rejects(keysOf(one), /unable to authenticate/, 'what was sealed for another site is not opened')
  await sql`UPDATE sites SET sealed_service_key = ${own},
    site_public = (SELECT site_public FROM sites WHERE id = ${other}) WHERE id = ${one}`.execute(world.db)
  const [service, site] = await keysOf(one)
  assert.deepEqual([service?.equals(first[0] as never), site?.equals(others[1] as never)], [true, true])
})
