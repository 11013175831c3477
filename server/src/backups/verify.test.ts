import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { rewriteBackup } from '../../test/old-backup.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { JobKind } from '../kernel/job.ts'
import type { World } from '../world.ts'
import { packKey } from './engine/pack.ts'
import type { VerificationReport } from './schema.ts'

interface Row {
  id: string
  verification: string | null
  verified_at: string | null
  verification_report: VerificationReport | null
}

describe('trying a backup out', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld()
    site = await here.site()
    const names = ['photo.jpg', 'a\nb', '-rf', 'e\u0301', 'é', `${'x'.repeat(240)}.php`, 'A', 'a']
    for (const name of names) putFile(site.fake.state, `wp-content/uploads/${name}`, randomBytes(3000))
    putFile(site.fake.state, 'wp-content/uploads/empty', '')
    putFile(site.fake.state, 'wp-content/uploads/large.bin', randomBytes(9_000_000))
  })
  after(() => here.close())

  const scratch = () => join(here.dataDir, 'scratch')
  const backUp = async (type = 'full') => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site.id, type })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    return String(backup_id)
  }
  const verify = async (backup_id: string) => {
    const { job_id } = await here.call('backups.verify', { site_id: site.id, backup_id })
    return here.job(String(job_id))
  }
  const rowOf = async (id: string) =>
    ((await here.call('backups.list', { site_id: site.id })) as unknown as { backups: Row[] }).backups.find((row) => row.id === id)
  const told = async () =>
    ((await here.call('activity.list', { site_id: site.id })) as { activity: { summary: string; notes: string }[] }).activity

  const pass = (days: number) => here.clock.add(days * 86_400_000)

  test('every file is written out and read again, every row is counted, and nothing stays', async () => {
    const id = await backUp()
    const before = site.fake.requests.length
    const job = await verify(id)
    const report = job.result as VerificationReport
    const files = [...site.fake.state.files.values()].filter(({ target }) => target === undefined).length
    const rows = site.fake.state.tables.reduce((sum, table) => sum + table.rows.length, 0)
    assert.deepEqual([report.level, report.files, report.rows], ['restored', files, rows])
    assert.deepEqual([report.damage, report.doubts, report.imported], [[], [], null])
    const row = await rowOf(id)
    assert.deepEqual([row?.verification, row?.verification_report?.rows], ['restored', rows])
    assert.ok(row?.verified_at)
    assert.deepEqual(readdirSync(scratch()), [])
    assert.equal(site.fake.requests.length, before, 'the site is not asked')
  })

  test('it waits for no other job of the site', async () => {
    const id = await backUp('db')
    const over = Promise.withResolvers<void>()
    site.fake.misbehave('slow', { until: over.promise })
    const other = await here.call('backups.create', { site_id: site.id, type: 'db' })
    const { job_id } = await here.call('backups.verify', { site_id: site.id, backup_id: id })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    assert.notEqual((await here.call('jobs.get', { job_id: other.job_id })).status, 'completed')
    site.fake.misbehave()
    over.resolve()
    await here.job(String(other.job_id))
  })

  test('rows that are not what was counted, or no rows at all, are told and are not called lost', async () => {
    const id = await backUp('db')
    await rewriteBackup(here, id, { rows: (text, { name }) => (name === 'wp_options' ? 'DROP TABLE `wp_posts`;\n' : text) })
    const report = (await verify(id)).result as VerificationReport
    assert.equal(report.level, 'content')
    assert.match(report.doubts[0] ?? '', /is not an INSERT/)
    assert.ok((await told()).some(({ summary, notes }) => /not all went well/.test(summary) && notes.includes(id)))
    assert.equal((await rowOf(id))?.verification, 'content')
    await here.call('backups.delete', { site_id: site.id, backup_id: id })
  })

  test('a byte that changed in the store is damage, with the file named', async () => {
    putFile(site.fake.state, 'wp-content/uploads/new.jpg', randomBytes(2_000_000))
    const id = await backUp('files')
    const { rows } = await sql<{
      hash: string
    }>`SELECT encode(id, 'hex') AS hash FROM packs WHERE bytes BETWEEN 2000000 AND 2900000`.execute(here.world.db)
    const key = packKey(here.workspaceId, rows[0]?.hash ?? '')
    const whole = await here.world.storage.get(key)
    const broken = Buffer.from(whole)
    broken[500_000] = (broken[500_000] ?? 0) ^ 1
    await here.world.storage.put(key, broken)
    const report = (await verify(id)).result as VerificationReport
    assert.equal(report.level, 'damaged')
    assert.match(report.damage.join('\n'), /new\.jpg/)
    assert.equal((await rowOf(id))?.verification, 'damaged')
    assert.ok((await told()).some(({ summary, notes }) => /is damaged/.test(summary) && notes.startsWith(id)))
    await here.world.storage.put(key, whole)
    assert.equal(((await verify(id)).result as VerificationReport).level, 'restored', 'a store that is whole again is believed')
  })

  test('canceled, it leaves nothing; what a killed process left is taken away', async () => {
    const id = await backUp()
    const { get } = here.world.storage
    let stopped: AbortSignal | undefined
    const kinds = here.world.jobKinds as Map<string, JobKind<World>>
    const kind = kinds.get('verify_backup') as JobKind<World>
    const work: typeof kind.work = (world, job, input) => {
      stopped = job.signal
      return kind.work(world, job, input)
    }
    kinds.set(kind.type, { ...kind, work })
    here.world.storage.get = async (...asked) => {
      await until(() => stopped?.aborted)
      return get(...asked)
    }
    const { job_id } = await here.call('backups.verify', { site_id: site.id, backup_id: id })
    while (!existsSync(join(scratch(), `${job_id}.1`))) await sleep(10)
    mkdirSync(join(scratch(), 'job_00000000000000000000000000.3', 'site'), { recursive: true })
    writeFileSync(join(scratch(), 'job_00000000000000000000000000.3', 'site', 'left'), 'x')
    await here.call('jobs.cancel', { job_id })
    assert.equal((await here.job(String(job_id))).status, 'canceled')
    here.world.storage.get = get
    kinds.set(kind.type, kind)
    while (existsSync(join(scratch(), `${job_id}.1`))) await sleep(10)
    await verify(id)
    assert.deepEqual(readdirSync(scratch()), [])
  })

  test('once in four weeks the latest backup of each site is tried out by itself', async () => {
    const full = await backUp()
    const db = await backUp('db')
    const jobs = async () =>
      (await here.call('jobs.list', { site_id: site.id, type: 'verify_backup' })) as { total: number; jobs: { id: string }[] }
    const before = (await jobs()).total
    await runDue(here.world)
    assert.equal((await jobs()).total, before)
    pass(28)
    await Promise.all([runDue(here.world), runDue(here.world)])
    const started = await jobs()
    assert.equal(started.total, before + 2)
    for (const { id } of started.jobs.slice(0, 2)) await here.job(id)
    assert.deepEqual([(await rowOf(full))?.verification, (await rowOf(db))?.verification], ['restored', 'restored'])
    pass(1)
    await runDue(here.world)
    assert.equal((await jobs()).total, before + 2)
  })

  test('one that is not there, or not complete, is refused', async () => {
    const id = await backUp('db')
    await sql`UPDATE backups SET status = 'failed' WHERE id = ${id}`.execute(here.world.db)
    await assert.rejects(here.call('backups.verify', { site_id: site.id, backup_id: id }), { code: 'conflict' })
    await assert.rejects(here.call('backups.verify', { site_id: site.id, backup_id: `backup_${'0'.repeat(26)}` }), { code: 'not_found' })
  })
})
