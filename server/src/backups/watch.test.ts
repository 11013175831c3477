import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { storeCommands } from '../admin/store-commands.ts'
import { packKey } from './engine/pack.ts'
import { verifyById } from './service.ts'
import { checkStore, readBack } from './watch.ts'

/** In the photo, which is most of its pack; where the lists lie beside it is a matter of luck. */
function flipped(whole: Buffer): Buffer {
  const middle = whole.length >> 1
  return Buffer.from(whole).fill((whole[middle] ?? 0) ^ 1, middle, middle + 1)
}

describe('watching over the store', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld()
    site = await here.site()
    putFile(site.fake.state, 'wp-content/uploads/photo.jpg', randomBytes(300_000))
  })
  after(() => here.close())

  const backUp = async (type: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site.id, type })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    return String(backup_id)
  }
  const levelOf = async (id: string) => {
    const { backups } = (await here.call('backups.list', { site_id: site.id })) as unknown as {
      backups: { id: string; verification: string | null; verified_at: string | null }[]
    }
    const row = backups.find((each) => each.id === id)
    return [row?.verification, row?.verified_at !== null]
  }
  const packs = async () => {
    const { rows } = await sql<{ hash: string; bytes: number; read: boolean; damage: string | null }>`SELECT encode(id, 'hex') AS hash,
      bytes::int, read_at IS NOT NULL AS read, damage FROM packs ORDER BY bytes DESC`.execute(here.world.db)
    return rows
  }

  test('each day one pack in twenty-eight is read back, the one whose turn it is; what is there is called present', async () => {
    const files = await backUp('files')
    const db = await backUp('db')
    assert.deepEqual(await levelOf(files), [null, false])
    const all = (await packs()).length
    assert.deepEqual(await checkStore(here.world, here.workspaceId), { packs: all, absent: 0, damaged: 0 })
    assert.deepEqual(await levelOf(files), ['present', true])
    await verifyById(here.world, db)
    await checkStore(here.world, here.workspaceId)
    assert.deepEqual(await levelOf(db), ['content', true], 'more is known of this one')
    for (const expected of [1, 2]) {
      assert.deepEqual(await readBack(here.world, here.workspaceId), { read: 1, damaged: 0 })
      assert.equal((await packs()).filter(({ read }) => read).length, expected)
    }
  })

  test('a pack that lost a byte, or is gone, damages the backups that need it and no others; the next backup stores anew what was lost', async () => {
    const [files, db] = [await backUp('files'), await backUp('db')]
    const [largest] = await packs()
    assert.ok(largest)
    const key = packKey(here.workspaceId, largest.hash)
    await here.world.storage.put(key, flipped(await here.world.storage.get(key)))
    assert.equal((await checkStore(here.world, here.workspaceId)).absent, 0, 'its size is right')
    await sql`UPDATE packs SET read_at = CASE WHEN bytes = ${largest.bytes} THEN NULL ELSE now() END`.execute(here.world.db)
    assert.deepEqual(await readBack(here.world, here.workspaceId), { read: 1, damaged: 1 })
    assert.deepEqual([await levelOf(files), (await levelOf(db))[0]], [['damaged', true], 'present'])
    const { activity } = (await here.call('activity.list', { site_id: site.id })) as { activity: { summary: string; notes: string }[] }
    assert.ok(activity.some(({ summary, notes }) => /damaged/.test(summary) && notes === files))

    const healed = await backUp('files')
    assert.ok((await verifyById(here.world, healed)).ok, 'nothing was taken over from the damaged pack')
    await here.world.storage.delete(packKey(here.workspaceId, (await packs())[0]?.hash ?? ''))
    assert.equal((await checkStore(here.world, here.workspaceId)).absent, 1)
    const again = await backUp('files')
    assert.ok((await verifyById(here.world, again)).ok)
  })

  for (const [how, spoil] of [
    ['is gone', undefined],
    ['is cut off', (bytes: Buffer) => bytes.subarray(1)],
    ['lost a byte', flipped],
  ] as const)
    test(`where a check by the operator finds that a pack ${how}, the backups that need it are marked, and the next one stores it anew`, async () => {
      const [files, db] = [await backUp('files'), await backUp('db')]
      const { hash = '' } = (await packs()).find(({ damage }) => damage === null) ?? {}
      const key = packKey(here.workspaceId, hash)
      if (spoil) await here.world.storage.put(key, spoil(await here.world.storage.get(key)))
      else await here.world.storage.delete(key)
      const check = storeCommands.find(({ name }) => name === 'storage check')
      assert.equal((await check?.run(here.world, { deep: '' }, []))?.failed, true)
      assert.deepEqual([(await levelOf(files))[0], (await levelOf(db))[0]], ['damaged', null])
      assert.ok((await verifyById(here.world, await backUp('files'))).ok)
    })
})
