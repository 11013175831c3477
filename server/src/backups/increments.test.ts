import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

interface Row {
  id: string
  status: string
  parent: string | null
  increment: number | null
  files_changed: number | null
  stored_bytes: number
}

describe('increments', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld()
    site = await here.site()
  })
  after(() => here.close())

  const backUp = async (type = 'files'): Promise<Row> => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site.id, type })
    const job = await here.job(String(job_id))
    const { backups } = (await here.call('backups.list', { site_id: site.id })) as unknown as { backups: Row[] }
    const row = backups.find(({ id }) => id === backup_id)
    assert.ok(row?.status === 'completed', JSON.stringify(job))
    const { parent, stored_bytes, files_changed } = job.result as Record<string, unknown>
    assert.deepEqual([parent, stored_bytes, files_changed], [row.parent, row.stored_bytes, row.files_changed], 'the job tells the same')
    return row
  }
  const reads = () => site.fake.requests.filter(({ verb }) => verb === 'files.read').length
  /** Files that a backup asks the site for. */
  const readsOf = async (type?: string) => {
    const seen = reads()
    const row = await backUp(type)
    return { row, read: reads() - seen }
  }

  test('an unchanged site is not read and adds next to nothing; a changed file is read alone; a silent change is found by the seventh run', async () => {
    const first = await backUp('full')
    assert.deepEqual([first.parent, first.increment, first.files_changed], [null, 0, null])

    const same = await readsOf()
    assert.equal(same.read, 0)
    assert.deepEqual([same.row.parent, same.row.increment, same.row.files_changed], [first.id, 1, 0])
    assert.ok(same.row.stored_bytes < 3000, `${same.row.stored_bytes} bytes`)

    putFile(site.fake.state, 'wp-content/new.txt', 'new')
    putFile(site.fake.state, 'wp-config.php', '<?php // changed', 1_760_000_100)
    putFile(site.fake.state, 'index.php', site.fake.state.files.get('index.php')?.bytes ?? '', 1_760_000_100)
    const changed = await readsOf()
    assert.ok(changed.read > 0)
    assert.deepEqual([changed.row.parent, changed.row.increment, changed.row.files_changed], [same.row.id, 2, 2], 'touched is not changed')

    const photo = site.fake.state.files.get('wp-content/uploads/2026/11/sunflower.jpg')
    assert.ok(photo)
    photo.bytes = Buffer.alloc(photo.bytes.length, 0x3c)
    const runs: [number | null, number | null, boolean][] = []
    for (let n = 0; n < 5; n++) {
      const { row, read } = await readsOf()
      runs.push([row.increment, row.files_changed, read > 0])
    }
    assert.deepEqual(runs, [
      [3, 0, false],
      [4, 0, false],
      [5, 0, false],
      [6, 0, false],
      [0, 1, true],
    ])
  })

  test('a backup of the database alone builds on the newest that holds a database, and does not move the count of the files', async () => {
    const row = await backUp('db')
    assert.deepEqual([row.increment, row.files_changed], [1, null])
    assert.equal((await backUp()).increment, 1)
  })

  test('a backup that was found damaged is not built on', async () => {
    const rows = await here.call('backups.list', { site_id: site.id })
    const [last] = (rows as unknown as { backups: Row[] }).backups.filter(({ increment }) => increment !== null)
    await sql`UPDATE backups SET verification = 'damaged' WHERE id = ${last?.id}`.execute(here.world.db)
    assert.notEqual((await backUp()).parent, last?.id)
  })
})
