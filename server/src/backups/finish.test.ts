import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Backup } from './schema.ts'
import { type Completed, completeBackup } from './store.ts'

describe('the end of a backup', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const backUp = async (site_id: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id, type: 'db' })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    const { backups } = (await here.call('backups.list', { site_id })) as unknown as { backups: Backup[] }
    return { job: String(job_id), row: backups.find(({ id }) => id === backup_id) ?? assert.fail() }
  }

  test('what another site holds makes no backup suspect, and hides none that is', async () => {
    const [large, small] = [await here.site(), await here.site()]
    const [table] = small.fake.state.tables
    assert.ok(table)
    table.rows = table.rows.slice(0, 10)
    await backUp(large.id)
    assert.equal((await backUp(small.id)).row.suspect, false, 'the one before is of a larger site')
    const [emptied] = large.fake.state.tables
    assert.ok(emptied)
    emptied.rows = emptied.rows.slice(0, 10)
    assert.equal((await backUp(large.id)).row.suspect, true, 'the one before is of a smaller site')
  })

  test('only the current attempt of its job completes a backup', async () => {
    const { job, row } = await backUp((await here.site()).id)
    const { db, now } = here.world
    const { rows } = await sql<Completed>`SELECT * FROM backups WHERE id = ${row.id}`.execute(db)
    await sql`UPDATE backups SET status = 'running', completed_at = NULL WHERE id = ${row.id}`.execute(db)
    await sql`UPDATE jobs SET status = 'running', fence = 2 WHERE id = ${job}`.execute(db)
    const complete = (of: { id: string; fence: number }) =>
      completeBackup({ db, now, workspaceId: here.workspaceId }, row.id, of, rows[0] ?? assert.fail())
    const status = async () => (await sql<Backup>`SELECT status FROM backups WHERE id = ${row.id}`.execute(db)).rows[0]?.status
    for (const other of [
      { id: job, fence: 1 },
      { id: job, fence: 3 },
      { id: 'job_other', fence: 2 },
    ])
      assert.deepEqual([await complete(other), await status()], [false, 'running'])
    assert.deepEqual([await complete({ id: job, fence: 2 }), await status()], [true, 'completed'])
    assert.equal(await complete({ id: job, fence: 2 }), false, 'once')
  })
})
