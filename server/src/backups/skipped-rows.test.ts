import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import type { FakeState } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { commands } from '../admin/commands.ts'
import type { RestorePlan } from '../restores/schema.ts'
import type { Backup } from './schema.ts'
import { verifyById } from './service.ts'

const HUGE = 'x'.repeat(420_000)
const MISSING = {
  count: 2,
  tables: ['wp_options', 'wp_keyless'],
  sample: ['wp_options: the row with key 7 (0.4 MiB)', 'wp_keyless: row number 3 (0.4 MiB)'],
}

describe('rows that are too large for the site to send', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  type Managed = { id: string; fake: RunningFakeSite }
  const tableOf = ({ tables }: FakeState, name: string) => {
    const table = tables.find((one) => one.name === name)
    assert.ok(table, name)
    return table
  }
  const cellOf = (state: FakeState, name: string, row: number) => tableOf(state, name).rows[row]?.at(-1)
  const setCell = (state: FakeState, name: string, row: number, value: string) => tableOf(state, name).rows[row]?.splice(-1, 1, value)
  /** PHP's memory allows rows of 100,000 bytes; two are larger. */
  const heavy = async (): Promise<Managed> => {
    const site = await here.site()
    site.fake.state.mostRow = 100_000
    for (const [name, row] of [['wp_options', 6] as const, ['wp_keyless', 2] as const]) setCell(site.fake.state, name, row, HUGE)
    return site
  }
  const listed = async (site: string, backup: unknown) => {
    const { backups } = (await here.call('backups.list', { site_id: site })) as unknown as { backups: Backup[] }
    const row = backups.find(({ id }) => id === backup)
    assert.ok(row)
    return row
  }
  const backUp = async ({ id }: Managed, type = 'db') => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type })
    const job = await here.job(String(job_id))
    const row = await listed(id, backup_id)
    assert.equal(row.status, 'completed', JSON.stringify(job))
    assert.deepEqual((job['result'] as Backup).skipped_rows, row.skipped_rows, 'the job tells the same')
    return row
  }

  for (const snapshots of [true, false])
    test(`a backup of ${snapshots ? 'one moment' : 'many slices'} goes on without them and names them; the next reads nothing and still does`, async () => {
      const site = await heavy()
      const { state } = site.fake
      state.snapshots = snapshots
      const first = await backUp(site)
      assert.deepEqual(first.skipped_rows, MISSING)
      assert.deepEqual([first.consistency, first.rows_count], [snapshots ? 'snapshot' : 'settled', 145])
      const { activity } = (await here.call('activity.list', { site_id: site.id })) as unknown as { activity: { notes: string | null }[] }
      assert.match(activity[0]?.notes ?? '', /^2 rows were too large .*; skipped_rows of the backup names them\.$/)
      const second = await backUp(site)
      assert.deepEqual([second.skipped_rows, second.rows_read, second.increment, second.suspect], [MISSING, 0, 1, false])
      assert.equal(second.consistency, first.consistency)
      setCell(state, 'wp_options', 6, `${HUGE} and more`)
      assert.deepEqual([(await backUp(site)).rows_read], [0], 'what is in such a row makes no difference')
      setCell(state, 'wp_options', 6, 'small again')
      setCell(state, 'wp_options', 9, HUGE)
      const moved = await backUp(site)
      assert.match(moved.skipped_rows?.sample[0] ?? '', /key 10 /)
      assert.deepEqual([moved.skipped_rows?.count, moved.rows_read], [2, 119])
      const found = await verifyById(here.world, second.id)
      assert.deepEqual([found.ok, found.rows, found.skipped_rows], [true, 145, 2])
    })

  test('a rebuild from the objects alone knows them, and a download says where they are missing', async () => {
    const site = await heavy()
    const { id } = await backUp(site, 'full')
    await sql`DELETE FROM backups WHERE id = ${id}`.execute(here.world.db)
    await commands.find(({ name }) => name === 'storage rebuild')?.run(here.world, {}, [])
    assert.deepEqual((await listed(site.id, id)).skipped_rows, MISSING)
    const { token } = await here.token('write')
    const response = await fetch(`${here.url}/api/v1/sites/${site.id}/backups/${id}/download`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-unpacked-'))
    execFileSync('tar', ['-x', '-f', '-', '-C', folder], { input: Buffer.from(await response.arrayBuffer()) })
    const dump = fs.readFileSync(path.join(folder, 'database.sql'), 'utf8')
    assert.equal(dump.match(/^-- Rows that are missing here, .*: 1\. manifest\.json names them\.$/gm)?.length, 2)
    const told = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8'))
    assert.deepEqual(told.omissions, [
      { kind: 'too_large', table: 'wp_options', row: 'the row with key 7 (0.4 MiB)' },
      { kind: 'too_large', table: 'wp_keyless', row: 'row number 3 (0.4 MiB)' },
    ])
    assert.deepEqual([told.database.tables.wp_options.rows, told.database.tables.wp_options.skipped_rows], [119, 1])
    fs.rmSync(folder, { recursive: true })
  })

  describe('in a restore', () => {
    const start = async (site: Managed, backup_id: string, more: object = {}) =>
      (await here.call('restores.create', { site_id: site.id, backup_id, safety_backup: false, ...more })) as unknown as {
        job_id: string
        plan: RestorePlan
      }
    const changed = async () => {
      const site = await heavy()
      const { id } = await backUp(site)
      for (const name of ['wp_options', 'wp_keyless', 'wp_blobs']) setCell(site.fake.state, name, 0, 'changed')
      return { site, backup: id, state: site.fake.state }
    }

    test('of everything their tables stay as they are, and the plan and the result say so', async () => {
      const { site, backup, state } = await changed()
      const { plan } = await start(site, backup, { dry_run: true })
      assert.deepEqual(
        plan.tables?.map(({ name }) => name),
        ['wp_blobs'],
      )
      const [options, keyless] = plan.warnings
      assert.match(
        options ?? '',
        /^The table wp_options stays as it is on the site, .*: the row with key 7 \(0\.4 MiB\)\. Name table:wp_options/,
      )
      assert.match(keyless ?? '', /^The table wp_keyless stays .*: row number 3 /)
      const job = await here.job((await start(site, backup)).job_id)
      assert.equal(job['status'], 'completed', JSON.stringify(job['error']))
      assert.deepEqual((job['result'] as { warnings: string[] }).warnings, plan.warnings)
      assert.equal(cellOf(state, 'wp_options', 6), HUGE)
      assert.deepEqual(
        ['wp_options', 'wp_keyless', 'wp_blobs'].map((name) => cellOf(state, name, 0) === 'changed'),
        [true, true, false],
      )
    })

    test('a table that is named comes back without them, with a warning; so does one the site has no more', async () => {
      const { site, backup, state } = await changed()
      const { plan } = await start(site, backup, { dry_run: true, include: ['table:options'] })
      assert.match(plan.warnings.join(), /^The table wp_options comes back without .* key 7 .* it goes with this restore\.$/)
      const job = await here.job((await start(site, backup, { include: ['table:options'] })).job_id)
      assert.deepEqual([job['status'], (job['result'] as { warnings: string[] }).warnings], ['completed', plan.warnings])
      assert.equal(tableOf(state, 'wp_options').rows.length, 119)
      assert.ok(!tableOf(state, 'wp_options').rows.some((row) => row.at(-1) === HUGE || row.at(-1) === 'changed'))
      state.tables = state.tables.filter(({ name }) => name !== 'wp_keyless')
      const whole = await start(site, backup, { dry_run: true })
      assert.match(whole.plan.warnings.at(-1) ?? '', /^The table wp_keyless comes back without .*: row number 3 \(0\.4 MiB\)\.$/)
      assert.equal((await here.job((await start(site, backup)).job_id))['status'], 'completed')
      assert.equal(tableOf(state, 'wp_keyless').rows.length, 24)
    })
  })
})
