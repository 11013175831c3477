import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { pruneWorkspace } from './prune.ts'
import { verifyById } from './service.ts'

const dayMs = 86_400_000

describe('pruning the store of a workspace', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const stored = async () => {
    let bytes = 0
    for await (const object of here.world.storage.list(`w/${here.workspaceId}/p/`)) bytes += object.size
    return bytes
  }
  const prunedFor = async (days: number) => {
    const all = []
    for (let day = 0; day < days; day++) {
      here.clock.add(dayMs + 1000)
      all.push(await pruneWorkspace(here.world, here.workspaceId))
    }
    return all
  }

  test('what only a deleted backup held is gone after some days, what others share stays whole, and half-empty packs are closed up', async () => {
    const { id, fake } = await here.site()
    const photo = (n: number) => `wp-content/uploads/${n}.jpg`
    for (let n = 0; n < 20; n++) putFile(fake.state, photo(n), randomBytes(200_000))
    const backUp = async () => {
      const { job_id, backup_id } = await here.call('backups.create', { site_id: id })
      assert.equal((await here.job(String(job_id))).status, 'completed')
      return String(backup_id)
    }
    const first = await backUp()
    for (let n = 0; n < 15; n++) putFile(fake.state, photo(n), randomBytes(200_000), 1_760_000_500)
    const second = await backUp()
    const full = await stored()
    assert.ok(full > 7_000_000)
    await prunedFor(3)
    assert.equal(await stored(), full, 'nothing goes while both are there')
    assert.ok((await verifyById(here.world, first)).ok)

    await here.call('backups.delete', { site_id: id, backup_id: first })
    const [day1, ...later] = await prunedFor(4)
    assert.ok((day1?.repacked ?? 0) >= 5, 'the five photos that did not change lie in a pack that is mostly dead')
    assert.ok(later.some(({ deleted }) => deleted > 0))
    const left = await stored()
    assert.ok(left > 4_000_000 && left < 4_400_000, `${left} bytes of ${full}`)
    const verified = await verifyById(here.world, second)
    assert.deepEqual([verified.ok, verified.damage, verified.files], [true, [], 28])

    await here.call('backups.delete', { site_id: id, backup_id: second })
    await prunedFor(3)
    assert.equal(await stored(), 0)
    for (const table of ['packs', 'blobs', 'pack_holds', 'loose_objects'])
      assert.equal((await sql`SELECT 1 FROM ${sql.table(table)}`.execute(here.world.db)).rows.length, 0, table)
  })

  test('a backup whose manifest cannot be read stops pruning, and nothing is deleted', async () => {
    const { id } = { id: 'site_gone' }
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      VALUES (${here.workspaceId}, ${id}, 's', 'https://s.example', 'https://s.example', 'disconnected', '', '', '', '', now(), now())`.execute(
      here.world.db,
    )
    await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, manifest, created_at)
      VALUES (${here.workspaceId}, 'backup_x', ${id}, 'none', 'files', 'completed', 'manual', '{}', ${randomBytes(32).toString('base64url')}, now())`.execute(
      here.world.db,
    )
    await assert.rejects(pruneWorkspace(here.world, here.workspaceId), /is not in the store/)
  })
})
