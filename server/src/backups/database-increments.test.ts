import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import type { FakeTable, FakeValue } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { pruneWorkspace } from './prune.ts'
import type { Backup } from './schema.ts'
import { verifyById } from './service.ts'

const dayMs = 86_400_000

describe('increments of a database', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  type Managed = { id: string; fake: RunningFakeSite }
  const backUp = async ({ id, fake }: Managed, type = 'db') => {
    const seen = fake.requests.length
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type })
    const job = await here.job(String(job_id))
    const { backups } = (await here.call('backups.list', { site_id: id })) as unknown as { backups: Backup[] }
    const row = backups.find((backup) => backup.id === backup_id)
    assert.ok(row?.status === 'completed', JSON.stringify(job))
    const { rows_read, fuzzy_tables } = job.result as Record<string, unknown>
    assert.deepEqual([rows_read, fuzzy_tables], [row.rows_read, row.fuzzy_tables], 'the job tells the same')
    const asked = fake.requests.slice(seen).map(({ verb }) => verb)
    return { row, rowsAsked: asked.filter((verb) => verb === 'db.rows').length }
  }
  const tableOf = ({ fake }: Managed): FakeTable => {
    const [table] = fake.state.tables
    assert.ok(table)
    return table
  }
  const large = async (rows = 12_000): Promise<Managed> => {
    const site = await here.site()
    // Bytes that do not compress, so that what is stored says what travelled.
    tableOf(site).rows = Array.from({ length: rows }, (_, n): FakeValue[] => [n + 1, `option_${n}`, randomBytes(450).toString('base64')])
    return site
  }

  test('a small database is of one moment, and of the next one only what has changed is read; the seventh reads everything', async () => {
    const site = await here.site()
    const first = await backUp(site, 'full')
    assert.deepEqual(
      [first.row.consistency, first.row.rows_read, first.row.fuzzy_tables, first.row.whole_tables],
      ['snapshot', 147, [], ['wp_keyless']],
    )
    const told: [string | null, number | null, number | null][] = []
    for (let n = 1; n < 7; n++) {
      if (n === 2) tableOf(site).rows[3] = [4, 'option_3', 'changed']
      if (n === 3) site.fake.state.digested = (_, row) => String(row[0])
      const { row, rowsAsked } = await backUp(site)
      assert.equal(rowsAsked, 0, 'everything fits the one answer')
      told.push([row.consistency, row.increment, row.rows_read])
      if (n === 3) tableOf(site).rows[5] = [6, 'option_5', 'silently']
    }
    assert.deepEqual(told, [
      ['snapshot', 1, 0],
      ['snapshot', 2, 120],
      ['snapshot', 3, 147],
      ['snapshot', 4, 0],
      ['snapshot', 5, 0],
      ['snapshot', 6, 0],
    ])
    const seventh = await backUp(site)
    assert.deepEqual([seventh.row.increment, seventh.row.rows_read], [0, 147])
    assert.ok(seventh.row.stored_bytes && seventh.row.stored_bytes > 1_000, 'what no digest had shown was found')
  })

  test('of a large one only the range of a changed row travels, and what is stored grows by that', async () => {
    const site = await large()
    const first = await backUp(site)
    assert.deepEqual([first.row.consistency, first.row.parent], ['settled', null])
    assert.ok(first.rowsAsked >= 10 && Number(first.row.stored_bytes) > 4_000_000)
    const same = await backUp(site)
    assert.deepEqual([same.row.rows_read, same.rowsAsked, same.row.parent], [0, 0, first.row.id])
    assert.equal(same.row.rows_count, first.row.rows_count)
    assert.equal(same.row.size_bytes, first.row.size_bytes)
    const row = tableOf(site).rows[6_000]
    assert.ok(row)
    row[2] = 'changed'
    const changed = await backUp(site)
    assert.ok(Number(changed.row.rows_read) > 0 && Number(changed.row.rows_read) < 2_500, `${changed.row.rows_read} rows`)
    assert.ok(Number(changed.row.stored_bytes) < Number(first.row.stored_bytes) / 4, `${changed.row.stored_bytes} bytes`)
    assert.equal(changed.row.consistency, 'snapshot', 'so little fits one answer')
    const verified = await verifyById(here.world, changed.row.id)
    assert.ok(verified.ok, JSON.stringify(verified.damage))
  })

  test('a table that changes whenever it is looked at is named', async () => {
    const site = await large(2_000)
    const { state } = site.fake
    state.snapshots = false
    let count = 0
    state.fault = (verb, moment) => {
      if (moment === 'before' && verb === 'db.digests') tableOf(site).rows[0] = [1, 'counter', `${count++}`]
      return undefined
    }
    const { row } = await backUp(site)
    assert.deepEqual([row.consistency, row.fuzzy_tables], ['fuzzy', ['wp_options']])
    state.fault = undefined
    const next = await backUp(site)
    assert.deepEqual([next.row.consistency, next.row.fuzzy_tables], ['settled', []])
    assert.ok(Number(next.row.rows_read) > 0, 'what was not certain is read again')
  })

  test('a connector that knows no digests is read whole, every time', async () => {
    const site = await large(2_000)
    site.fake.state.fault = (verb, moment) =>
      moment === 'before' && /^db\.(digests|snapshot)$/.test(verb) ? { code: 'unknown_verb', message: 'no such verb' } : undefined
    for (let n = 0; n < 2; n++) {
      const { row } = await backUp(site)
      assert.deepEqual([row.consistency, row.whole_tables], ['settled', ['wp_options', 'wp_blobs', 'wp_keyless']])
      assert.ok(Number(row.rows_read) >= 2_027)
    }
    site.fake.state.fault = undefined
    const able = await backUp(site)
    assert.ok(Number(able.row.rows_read) >= 2_027, 'and once more when it has learned them')
    assert.equal((await backUp(site)).row.rows_read, 0)
  })

  test('files and database each build on the newest backup that holds them', async () => {
    const site = await here.site()
    const files = await backUp(site, 'files')
    const db = await backUp(site, 'db')
    assert.deepEqual([files.row.rows_read, db.row.parent, db.row.increment], [null, null, 0])
    const full = await backUp(site, 'full')
    assert.deepEqual([full.row.parent, full.row.rows_read, full.row.increment], [files.row.id, 0, 1])
  })

  test('rows that a later backup took over outlive the one that read them', async () => {
    const site = await large(4_000)
    const first = await backUp(site)
    tableOf(site).rows[10] = [11, 'option_10', 'changed']
    const second = await backUp(site)
    await here.call('backups.delete', { site_id: site.id, backup_id: first.row.id })
    for (let day = 0; day < 4; day++) {
      here.clock.add(dayMs + 1000)
      await pruneWorkspace(here.world, here.workspaceId)
    }
    const verified = await verifyById(here.world, second.row.id)
    assert.deepEqual([verified.ok, verified.damage], [true, []])
    assert.equal((await backUp(site)).row.rows_read, 0, 'and can be built on')
  })
})
