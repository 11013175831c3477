import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { untilLocked } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { lastLink } from './chain.ts'
import { checkPacks } from './check.ts'
import { pruneWorkspace } from './prune.ts'
import { rebuildWorkspace } from './rebuild.ts'

describe('database and store of one time', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld()
    site = await here.site()
  })
  after(() => here.close())

  let n = 0
  const backUp = async (type = 'db') => {
    n += 1
    putFile(site.fake.state, 'wp-content/changing.txt', `version ${n} ${'x'.repeat(n)}`)
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site.id, type })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    return String(backup_id)
  }
  const within = () => ({ ...here.world, workspaceId: here.workspaceId })
  const check = () => checkPacks(here.world, here.workspaceId)
  const objects = () => path.join(here.dataDir, 'objects', 'w', here.workspaceId)
  const numbers = async () => {
    const { rows } = await sql<{ chain: string }>`SELECT chain FROM backups WHERE status = 'completed' ORDER BY id`.execute(here.world.db)
    return rows.map(({ chain }) => Number(chain))
  }

  test('each backup has the next number, in the database, in its list and in the store; a few links are kept', async () => {
    for (let times = 0; times < 5; times++) await backUp()
    assert.deepEqual(await numbers(), [1, 2, 3, 4, 5])
    assert.equal(await lastLink(within()), 5)
    assert.equal(fs.readdirSync(path.join(objects(), 'chain')).length, 3)
    const found = await check()
    assert.deepEqual([found.ok, found.older], [true, []])
  })

  test('an older store under a newer database is found', async () => {
    const copy = path.join(here.dataDir, 'copy')
    fs.cpSync(objects(), copy, { recursive: true })
    await backUp('files')
    fs.cpSync(objects(), `${copy}.newer`, { recursive: true })
    fs.rmSync(objects(), { recursive: true })
    fs.cpSync(copy, objects(), { recursive: true })
    const found = await check()
    assert.equal(found.ok, false)
    assert.match(found.older.join(), /knows backup number 6, the store none after 5: the store is of an older time/)
    fs.rmSync(objects(), { recursive: true })
    fs.cpSync(`${copy}.newer`, objects(), { recursive: true })
    assert.equal((await check()).ok, true)
  })

  test('an older database over a newer store is found, and a rebuild brings it up to date', async () => {
    const latest = await backUp('files')
    await sql`DELETE FROM backups WHERE id = ${latest}`.execute(here.world.db)
    await sql`UPDATE workspaces SET chain = chain - 1 WHERE id = ${here.workspaceId}`.execute(here.world.db)
    const found = await check()
    assert.match(found.older.join(), /The store knows backup number 7, the database none after 6: the database is of an older time/)
    const { backups_added } = await rebuildWorkspace(within(), () => undefined)
    assert.deepEqual(backups_added, [latest])
    assert.deepEqual((await check()).older, [])
    await backUp()
    assert.equal((await numbers()).at(-1), 8, 'no number is given twice')
  })

  test('database and store of the same older time are found by what this machine has seen', async () => {
    const newest = await backUp('files')
    const [before] = (await numbers()).toReversed()
    await sql`DELETE FROM backups WHERE id = ${newest}`.execute(here.world.db)
    await sql`UPDATE workspaces SET chain = chain - 1 WHERE id = ${here.workspaceId}`.execute(here.world.db)
    fs.rmSync(path.join(objects(), 'chain', String(before).padStart(12, '0')))
    const { ok, older } = await check()
    assert.equal(ok, false)
    assert.match(older.join(), /This machine has seen backup number 9; database and store know none after 8: both are of an older time/)
    await rebuildWorkspace(within(), () => undefined)
    assert.deepEqual((await check()).older, [], 'the operator has looked')
  })

  test('a backup that is given the list of an older one is named', async () => {
    const [older, newer] = [await backUp('files'), await backUp('files')]
    const { rows } = await sql<{
      id: string
      manifest: string
    }>`SELECT id, manifest FROM backups WHERE id = ANY(${[older, newer]})`.execute(here.world.db)
    const manifestOf = (id: string) => rows.find((row) => row.id === id)?.manifest ?? ''
    const set = (manifest: string) => sql`UPDATE backups SET manifest = ${manifest} WHERE id = ${newer}`.execute(here.world.db)
    await set(manifestOf(older))
    const { ok, older: said } = await check()
    assert.deepEqual([ok, said.length], [false, 1])
    assert.match(said[0] ?? '', new RegExp(`The list of ${newer} \\(number 11\\) is that of ${older} .*\\(number 10\\)`))
    await set(manifestOf(newer))
    await sql`UPDATE backups SET chain = 10 WHERE id = ${newer}`.execute(here.world.db)
    assert.equal((await check()).ok, false)
    await sql`UPDATE backups SET chain = 11 WHERE id = ${newer}`.execute(here.world.db)
    assert.equal((await check()).ok, true)
  })

  test('a link that was written without the key is none', async () => {
    await here.world.storage.put(`w/${here.workspaceId}/chain/000000000999`, Buffer.from('a hundred bytes of nothing '.repeat(4)))
    const genuine = await here.world.storage.get(`w/${here.workspaceId}/chain/000000000011`)
    await here.world.storage.put(`w/${here.workspaceId}/chain/000000000998`, genuine)
    assert.equal(await lastLink(within()), 11)
    assert.equal((await check()).ok, true)
    for (const number of [998, 999]) await here.world.storage.delete(`w/${here.workspaceId}/chain/000000000${number}`)
  })

  test('an index that is made anew while packs are deleted never names one that is gone', async () => {
    const ids = [await backUp('files'), await backUp('full')]
    for (const id of ids) await here.call('backups.delete', { site_id: site.id, backup_id: id })
    const { storage } = here.world
    const remove = storage.delete
    const rebuilds: Promise<unknown>[] = []
    let deleted = 0
    storage.delete = async (key) => {
      deleted += 1
      const rebuilt = rebuildWorkspace(within(), () => undefined)
      rebuilds.push(rebuilt)
      // Without a lock it comes through, and has the pack in the index that goes now.
      await Promise.race([rebuilt, untilLocked(here.world.db, 'pg_advisory_xact_lock|DELETE FROM loose_objects')])
      return remove(key)
    }
    for (let day = 0; day < 4 && deleted === 0; day++) {
      here.clock.add(86_401_000)
      await pruneWorkspace({ ...here.world, db: here.world.db }, here.workspaceId)
    }
    storage.delete = remove
    await Promise.all(rebuilds)
    assert.ok(deleted > 0)
    const found = await check()
    assert.deepEqual([found.missing, found.ok], [[], true])
  })
})
