import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { anOffer, aPlugin, type FakeItem } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { runJob } from '../jobs/worker.ts'

interface Row {
  id: string
  type: string
  trigger: string
  status: string
  job_id: string
}
const hourMs = 3_600_000

describe('the backup before an update', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const plugin = (slug: string, over: Partial<FakeItem> = {}) => aPlugin(slug, { update: anOffer('2.0'), ...over })
  const aSite = async (...items: FakeItem[]) => {
    const { id, fake } = await here.site()
    fake.state.items = items.length > 0 ? items : [plugin('a')]
    return { id, fake }
  }
  const update = async (site_id: string) => here.job(String((await here.call('updates.apply', { site_id })).job_id))
  const backUp = async (site_id: string, type: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id, type })
    await here.job(String(job_id))
    return String(backup_id)
  }
  const backupsOf = async (site_id: string) => ((await here.call('backups.list', { site_id })) as unknown as { backups: Row[] }).backups
  const planned = async (site_id: string) =>
    (await here.call('updates.apply', { site_id, dry_run: true })).backup as { type: string; reused: { id: string } | null } | null
  const versions = ({ state }: RunningFakeSite) => state.items.map(({ version }) => version)

  test('an update backs the database up first, and names the backup in its result', async () => {
    const { id, fake } = await aSite()
    await here.call('inventory.get', { site_id: id })
    const before = await stateOf(here.world)
    assert.deepEqual(await planned(id), { type: 'db', reused: null })
    assert.equal(await stateOf(here.world), before)
    const job = await update(id)
    const result = job.result as { backup_id: string; backup_reused: boolean }
    const [made, ...none] = await backupsOf(id)
    assert.deepEqual(
      [made?.id, made?.type, made?.trigger, made?.status, made?.job_id, none.length, result.backup_reused],
      [result.backup_id, 'db', 'pre_update', 'completed', job.id, 0, false],
    )
    const verbs = fake.requests.map(({ verb }) => verb)
    assert.ok(verbs.lastIndexOf('db.rows') < verbs.indexOf('updates.apply'), 'before the first item')
  })

  test('the policy of a site goes before that of the workspace, field by field said or taken over', async () => {
    const { id } = await aSite()
    const other = await aSite()
    const unset = await here.call('schedules.get', { site_id: id })
    assert.deepEqual([unset.pre_update, unset.reuse_hours, unset.pre_update_inherited], ['db', 0, true])
    const all = await here.call('schedules.set_default', { pre_update: 'full', reuse_hours: 12 })
    assert.deepEqual([all.pre_update, all.reuse_hours, all.set], ['full', 12, false], 'no schedule began, so nothing old is deleted')
    const own = await here.call('schedules.set', { site_id: id, pre_update: 'none' })
    assert.deepEqual([own.pre_update, own.reuse_hours, own.pre_update_inherited, own.inherited], ['none', 12, false, true])
    assert.deepEqual(await planned(id), { type: 'none', reused: null })
    assert.deepEqual(await planned(other.id), { type: 'full', reused: null })
    const again = await here.call('schedules.set', { site_id: id, inherit: true })
    assert.deepEqual([again.pre_update, again.pre_update_inherited], ['full', true])
    await here.call('schedules.set', { site_id: id, pre_update: 'none' })
    const result = (await update(id)).result as { backup_id: string | null }
    assert.deepEqual([result.backup_id, (await backupsOf(id)).length], [null, 0])
    await here.call('schedules.set_default', { pre_update: 'db', reuse_hours: 0 })
    for (const wrong of [{ pre_update: 'all' }, { reuse_hours: -1 }, { reuse_hours: 169 }])
      await assert.rejects(here.call('schedules.set', { site_id: id, ...wrong }), { code: 'invalid_payload' })
  })

  test('a recent backup of the right kind counts; one that is old, damaged, suspect or too small does not', async () => {
    const { id } = await aSite()
    await here.call('schedules.set', { site_id: id, pre_update: 'db', reuse_hours: 2 })
    await backUp(id, 'files')
    assert.equal((await planned(id))?.reused, null)
    const full = await backUp(id, 'full')
    assert.equal((await planned(id))?.reused?.id, full)
    for (const spoil of [sql`verification = 'damaged'`, sql`suspect = true`, sql`status = 'failed'`]) {
      await sql`UPDATE backups SET ${spoil} WHERE id = ${full}`.execute(here.world.db)
      assert.equal((await planned(id))?.reused, null)
      await sql`UPDATE backups SET verification = NULL, suspect = false, status = 'completed' WHERE id = ${full}`.execute(here.world.db)
    }
    here.clock.add(1.9 * hourMs)
    const { result } = (await update(id)) as unknown as { result: { backup_id: string; backup_reused: boolean } }
    assert.deepEqual([result.backup_id, result.backup_reused], [full, true])
    assert.equal((await backupsOf(id)).length, 2)
  })

  test('as long as nobody says otherwise one of five minutes counts, so that what the update breaks can come back from it', async () => {
    const { id } = await aSite()
    const made = await backUp(id, 'db')
    here.clock.add(4.9 * 60_000)
    assert.equal((await planned(id))?.reused?.id, made)
    here.clock.add(0.2 * 60_000)
    assert.deepEqual(await planned(id), { type: 'db', reused: null })
  })

  test('a backup from before another update does not count: it would take that one back too', async () => {
    const { id, fake } = await aSite(plugin('a'))
    await here.call('schedules.set', { site_id: id, reuse_hours: 24 })
    const first = (await update(id)).result as { backup_id: string }
    fake.state.items.push(plugin('b'))
    assert.deepEqual(await planned(id), { type: 'db', reused: null })
    const second = (await update(id)).result as { backup_id: string; backup_reused: boolean }
    assert.notEqual(second.backup_id, first.backup_id)
    assert.equal(second.backup_reused, false)
    here.clock.add(3 * hourMs)
    const after = await backUp(id, 'db')
    here.clock.add(20 * hourMs)
    fake.state.items.push(plugin('c'))
    assert.equal((await planned(id))?.reused?.id, after)
  })

  test('a backup counts still after work that only looks, a security check or a trial of the backup', async () => {
    const { id } = await aSite()
    await here.call('schedules.set', { site_id: id, reuse_hours: 24 })
    const kept = await backUp(id, 'db')
    await here.job(String((await here.call('security.check', { site_id: id })).job_id))
    assert.equal((await planned(id))?.reused?.id, kept)
    await here.job(String((await here.call('backups.verify', { site_id: id, backup_id: kept })).job_id))
    assert.equal((await planned(id))?.reused?.id, kept)
    await here.job(String((await here.call('tweaks.apply', { site_id: id, tweak_ids: ['xmlrpc_off'], action: 'apply' })).job_id))
    assert.equal((await planned(id))?.reused, null, 'a tweak changes the site')
  })

  test('when the backup fails nothing is updated, and the reason says so', async () => {
    const { id, fake } = await aSite()
    const { push: arrive } = fake.requests
    fake.requests.push = (...seen) => {
      if (fake.requests.at(-1)?.verb === 'db.tables') fake.misbehave('security_plugin')
      return arrive.apply(fake.requests, seen)
    }
    const job = await update(id)
    const { message } = job.error as { message: string }
    assert.equal(job.status, 'failed')
    assert.match(message, /^Nothing was updated, because the backup that comes first failed: ./)
    assert.deepEqual(versions(fake), ['1.0'])
    assert.equal(fake.state.effects.length, 0)
    assert.deepEqual(
      (await backupsOf(id)).map(({ status, trigger }) => [status, trigger]),
      [['failed', 'pre_update']],
    )
  })

  test('a worker killed during the backup: the next goes on with the same one', async () => {
    const { id, fake } = await aSite()
    fake.misbehave('slow', { slowMs: 400 })
    const job_id = String((await here.call('updates.apply', { site_id: id })).job_id)
    while (!fake.requests.some(({ verb }) => verb === 'db.tables')) await sleep(20)
    const never = new AbortController().signal
    await runJob(here.world, { jobId: job_id, workspaceId: here.workspaceId }, { lost: never, stopping: never })
    const job = await here.job(job_id)
    const rows = await backupsOf(id)
    assert.deepEqual([job.status, rows.length, rows[0]?.status], ['completed', 1, 'completed'])
    assert.ok(Number(job.attempt) >= 2, 'the attempt that lost its job is not the last')
    assert.equal((job.result as { backup_id: string }).backup_id, rows[0]?.id)
    assert.deepEqual(versions(fake), ['2.0'])
  })

  test('an update that has nothing to do makes no backup', async () => {
    const { id } = await aSite(plugin('a', { update: null }))
    assert.equal(await planned(id), null)
    await update(id)
    assert.equal((await backupsOf(id)).length, 0)
  })

  test('a backup that was taken for the one before an update stays fourteen days, whatever the retention says', async () => {
    const { id } = await aSite()
    const kept = await backUp(id, 'db')
    assert.equal(((await update(id)).result as { backup_reused: boolean }).backup_reused, true)
    const { rows } = await sql<{ days: number }>`SELECT extract(epoch FROM needed_until - created_at) / 86400 AS days FROM backups
      WHERE id = ${kept}`.execute(here.world.db)
    assert.ok(Math.abs(Number(rows[0]?.days) - 14) < 0.1)
  })
})
