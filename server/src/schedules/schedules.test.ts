import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { aJob } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { newId } from '../kernel/ids.ts'

interface Row {
  id: string
  job_id: string
  trigger: string
  type: string
  status: string
  suspect: boolean
  expires_at: string | null
}
const dayMs = 86_400_000

describe('schedules', () => {
  let here: TestWorld
  /** Paired before the clock is moved. */
  const fresh: { id: string; fake: RunningFakeSite }[] = []
  before(async () => {
    here = await aWorld()
    for (let n = 0; n < 9; n++) fresh.push(await here.site())
  })
  after(() => here.close())

  const backupsOf = async (site_id: string) => ((await here.call('backups.list', { site_id })) as unknown as { backups: Row[] }).backups
  const settled = async (site_id: string) => {
    for (const { job_id } of await backupsOf(site_id)) if (job_id.startsWith('job_')) await here.job(job_id)
    return backupsOf(site_id)
  }
  const aSite = () => fresh.pop() ?? assert.fail('too few sites')
  const tick = (ms: number) => {
    here.clock.add(ms)
    return runDue(here.world)
  }

  test('a site tells when it is backed up by itself, and the list knows those that are not', async () => {
    const { id } = aSite()
    const told = async () => (await here.call('sites.get', { site_id: id })).schedule
    const unscheduled = async () =>
      ((await here.call('sites.list', { scheduled: false })) as unknown as { sites: { id: string }[] }).sites.some((site) => site.id === id)
    assert.deepEqual([await told(), await unscheduled()], [null, true])
    await here.call('schedules.set', { site_id: id, enabled: true, type: 'db', at: '02:00' })
    assert.deepEqual([await told(), await unscheduled()], [{ type: 'db', at: '02:00', inherited: false }, false])
    await here.call('schedules.set', { site_id: id, inherit: true })
    assert.deepEqual([await told(), await unscheduled()], [null, true])
  })

  test('nothing is scheduled until somebody says so; a site follows the workspace unless it has its own', async () => {
    const { id } = aSite()
    const unset = await here.call('schedules.get_default')
    assert.deepEqual([unset.set, unset.enabled, unset.keep_daily, unset.keep_weekly, unset.keep_monthly], [false, false, null, null, null])
    assert.equal((await here.call('schedules.get', { site_id: id })).next_run_at, null)
    await here.call('schedules.set_default', { enabled: true, at: '03:15', spread_minutes: 30 })
    const inherited = await here.call('schedules.get', { site_id: id })
    assert.deepEqual([inherited.inherited, inherited.at, inherited.type], [true, '03:15', 'full'])
    assert.match(String(inherited.next_run_at), /T03:[1-4]\d:/)
    const own = await here.call('schedules.set', { site_id: id, type: 'db', at: '22:00', spread_minutes: 0 })
    assert.deepEqual([own.inherited, own.type, own.enabled], [false, 'db', true])
    assert.match(String(own.next_run_at), /T22:00:00/)
    const again = await here.call('schedules.set', { site_id: id, inherit: true })
    assert.deepEqual([again.inherited, again.at], [true, '03:15'])
    for (const wrong of [{ at: '24:00' }, { keep_daily: 0 }, { spread_minutes: -1 }])
      await assert.rejects(here.call('schedules.set', { site_id: id, ...wrong }), { code: 'invalid_payload' })
    await here.call('schedules.set_default', { enabled: false })
  })

  test('a site is backed up once a day, what was missed is made up for once, and two workers start one backup', async () => {
    const { id } = aSite()
    await here.call('schedules.set', { site_id: id, enabled: true, type: 'db', spread_minutes: 0 })
    await tick(0)
    assert.equal((await backupsOf(id)).length, 0, 'not before its time')
    here.clock.add(dayMs)
    await Promise.all([runDue(here.world), runDue(here.world), runDue(here.world)])
    const [first, ...none] = await settled(id)
    assert.deepEqual([first?.trigger, first?.type, first?.status, none.length], ['schedule', 'db', 'completed', 0])
    await tick(5 * dayMs)
    await tick(1000)
    assert.equal((await settled(id)).length, 2, 'five missed nights are one backup')
    await tick(dayMs)
    assert.equal((await settled(id)).length, 3)
  })

  test('a site that is being backed up is not backed up a second time, and gets its turn soon', async () => {
    const { id, fake } = aSite()
    await here.call('schedules.set', { site_id: id, enabled: true, type: 'db', spread_minutes: 0 })
    await tick(0)
    const answers = Promise.withResolvers<void>()
    fake.misbehave('slow', { until: answers.promise })
    const { job_id } = await here.call('backups.create', { site_id: id, type: 'db' })
    await tick(dayMs)
    assert.equal((await backupsOf(id)).length, 1)
    fake.misbehave()
    answers.resolve()
    await here.job(String(job_id))
    await tick(11 * 60_000)
    assert.equal((await settled(id)).length, 2)
  })

  test('a site that is being restored is not backed up meanwhile, and gets its turn soon', async () => {
    const { id } = aSite()
    await here.call('schedules.set', { site_id: id, enabled: true, type: 'db', spread_minutes: 0 })
    await tick(0)
    const { id: restore } = await aJob(here, 'restore', id, { backup_id: 'bak_of_before', type: 'full', safety_backup: false })
    // The sweep would give the planted job to a worker.
    const turn = async (ms: number) => {
      here.clock.add(ms)
      await runDue(here.world, 'backup')
      return (await backupsOf(id)).length
    }
    assert.equal(await turn(dayMs), 0)
    await sql`UPDATE jobs SET status = 'canceled', completed_at = ${here.world.now()} WHERE id = ${restore}`.execute(here.world.db)
    assert.equal(await turn(11 * 60_000), 1)
    await settled(id)
  })

  test('a site that is disconnected is left alone', async () => {
    const { id } = aSite()
    await here.call('schedules.set', { site_id: id, enabled: true })
    await tick(0)
    await sql`UPDATE sites SET status = 'disconnected' WHERE id = ${id}`.execute(here.world.db)
    await tick(2 * dayMs)
    assert.equal((await backupsOf(id)).length, 0)
  })

  /** A completed backup of so many days ago. */
  const past = async (site: string, days: number, trigger = 'schedule') => {
    const created = new Date(here.world.now().getTime() - days * dayMs)
    await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, created_at, completed_at, rows_count)
      VALUES (${here.workspaceId}, ${newId('backup', created)}, ${site}, 'none', 'db', 'completed', ${trigger}, '{"type":"system","id":"x","name":"x"}',
        ${created}, ${created}, 147)`.execute(here.world.db)
  }

  test('old backups go by the policy, once there is one; safety copies go after fourteen days in any case', async () => {
    const { id } = aSite()
    for (let days = 1; days <= 30; days++) await past(id, days)
    await past(id, 15, 'pre_update')
    await past(id, 3, 'pre_restore')
    await here.world.db.transaction().execute((db) => sql`DELETE FROM schedules`.execute(db))
    await tick(7 * 3_600_000)
    assert.equal((await backupsOf(id)).length, 31)
    await here.call('schedules.set', { site_id: id, keep_daily: 4, keep_weekly: 0, keep_monthly: 0 })
    await tick(31 * 3_600_000)
    const left = await backupsOf(id)
    assert.equal(left.length, 5)
    assert.deepEqual(left.map(({ trigger }) => trigger).sort(), ['pre_restore', 'schedule', 'schedule', 'schedule', 'schedule'])
    assert.ok(left.every(({ expires_at, trigger }) => trigger === 'schedule' || expires_at !== null))
  })

  test('a site that was emptied makes a suspect backup, which is told and freezes retention until it is accepted', async () => {
    const { id, fake } = aSite()
    for (let days = 10; days <= 40; days++) await past(id, days)
    await here.call('schedules.set', { site_id: id, keep_daily: 3, keep_weekly: 0, keep_monthly: 0 })
    const [table] = fake.state.tables
    assert.ok(table)
    table.rows = table.rows.slice(0, 10)
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type: 'db' })
    await here.job(String(job_id))
    const row = (await backupsOf(id)).find((each) => each.id === backup_id)
    assert.equal(row?.suspect, true)
    const { activity } = (await here.call('activity.list', { site_id: id })) as { activity: { summary: string; notes: string }[] }
    assert.ok(
      activity.some(({ summary, notes }) => /less than half/.test(summary) && /37 rows.*147/.test(notes)),
      JSON.stringify(activity),
    )
    assert.equal((await here.call('schedules.get', { site_id: id })).retention_frozen, true)
    await tick(7 * 3_600_000)
    assert.equal((await backupsOf(id)).length, 32, 'frozen')
    await here.call('backups.accept', { site_id: id, backup_id })
    assert.equal((await here.call('schedules.get', { site_id: id })).retention_frozen, false)
    await tick(25 * 3_600_000)
    assert.equal((await backupsOf(id)).length, 3)
  })

  test('the store of each workspace is pruned, looked through and read back once a day, by one of the workers', async () => {
    const looks = () =>
      here.logs
        .filter((line) => line.includes('was looked after'))
        .map((line) => JSON.parse(line) as { kind: string; workspace_id: string })
    await tick(0)
    const before = looks().length
    here.clock.add(dayMs)
    await Promise.all([runDue(here.world), runDue(here.world)])
    const done = looks().slice(before)
    assert.deepEqual(done.map(({ kind }) => kind).sort(), ['check', 'prune', 'read'])
    assert.ok(done.every(({ workspace_id }) => workspace_id === here.workspaceId))
    await tick(1000)
    assert.equal(looks().length, before + 3)
  })

  test('an owner deletes a backup; one that runs is refused, and one that is not there is not found', async () => {
    const { id, fake } = aSite()
    const { job_id, backup_id } = await here.call('backups.create', { site_id: id, type: 'db' })
    await here.job(String(job_id))
    await here.call('backups.delete', { site_id: id, backup_id })
    assert.equal((await backupsOf(id)).length, 0)
    await assert.rejects(here.call('backups.delete', { site_id: id, backup_id }), { code: 'not_found' })
    const answers = Promise.withResolvers<void>()
    fake.misbehave('slow', { until: answers.promise })
    const running = await here.call('backups.create', { site_id: id, type: 'db' })
    await assert.rejects(here.call('backups.delete', { site_id: id, backup_id: running.backup_id }), { code: 'conflict' })
    fake.misbehave()
    answers.resolve()
    await here.job(String(running.job_id))
  })
})
