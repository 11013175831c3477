import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { newId } from '../kernel/ids.ts'

const dayMs = 86_400_000
const few = { keep_daily: 1, keep_weekly: 0, keep_monthly: 0 }
const many = { keep_daily: 30, keep_weekly: 0, keep_monthly: 0 }

describe('how many backups are kept', () => {
  let here: TestWorld
  let token: string
  let site: string
  before(async () => {
    here = await aWorld()
    token = (await here.token('write')).token
    site = (await here.site()).id
    for (let days = 1; days <= 10; days++) await past(days)
  })
  after(() => here.close())

  /** A completed backup of so many days ago. */
  const past = async (days: number, suspect = false) => {
    const created = new Date(here.world.now().getTime() - days * dayMs)
    const id = newId('backup', created)
    await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, created_at, completed_at, rows_count, suspect)
      VALUES (${here.workspaceId}, ${id}, ${site}, 'none', 'db', 'completed', 'schedule', '{"type":"system","id":"x","name":"x"}', ${created}, ${created}, 147, ${suspect})`.execute(
      here.world.db,
    )
    return id
  }
  const count = async () => Number((await here.call('backups.list', { site_id: site })).total)
  const post = async (path: string, body: object) => here.rest('POST', `/api/v1${path}`, { token, body })
  const pass = (ms: number) => {
    here.clock.add(ms)
    return runDue(here.world)
  }

  test('a write token turns schedules on and raises the numbers, and deletes nothing', async () => {
    for (const [path, body] of [
      ['/schedule', { enabled: true, at: '03:00', type: 'db' }],
      [`/sites/${site}/schedule`, { at: '04:00' }],
      [`/sites/${site}/schedule`, { inherit: true }],
      ['/schedule', { enabled: false }],
    ] as const) {
      const { status, json, text } = await post(path, body)
      assert.equal(status, 200, text)
      assert.equal(json.keep_daily, null)
    }
    await pass(7 * 3_600_000)
    await pass(2 * dayMs)
    assert.equal(await count(), 10)
  })

  test('a write token cannot begin to delete, keep fewer, or leave what keeps more', async () => {
    const refused = async (path: string, body: object) => {
      const { status, json } = await post(path, body)
      assert.deepEqual([status, json.code], [403, 'insufficient_scope'], JSON.stringify([path, body]))
      assert.match(String(json.detail), /Only an owner or admin may do that, signed in to the dashboard/)
    }
    await refused('/schedule', few)
    await refused('/schedule', { keep_daily: 366, keep_weekly: 520, keep_monthly: 240 })
    await here.call('schedules.set_default', many)
    for (const less of [{ keep_daily: 29 }, { ...many, keep_daily: 1 }]) {
      await refused('/schedule', less)
      await refused(`/sites/${site}/schedule`, less)
    }
    assert.equal((await post(`/sites/${site}/schedule`, { keep_daily: 60 })).status, 200)
    await refused(`/sites/${site}/schedule`, { keep_daily: 30 })
    await refused(`/sites/${site}/schedule`, { inherit: true })
    assert.equal((await post('/schedule', { keep_weekly: 3 })).status, 200)
    await here.call('schedules.set', { site_id: site, inherit: true })
    const [backup] = (await here.call('backups.list', { site_id: site })).backups as { id: string }[]
    assert.equal((await here.rest('DELETE', `/api/v1/sites/${site}/backups/${backup?.id}`, { token })).status, 403)
    await pass(25 * 3_600_000)
    assert.equal(await count(), 10)
  })

  test('what an owner lowers holds a day later, and can be taken back until then', async () => {
    const told = (await here.call('schedules.set_default', few)) as {
      keep_daily: number
      kept_before: { keep_daily: number; until: string }
    }
    assert.deepEqual([told.keep_daily, told.kept_before.keep_daily], [1, 30])
    assert.equal(Date.parse(told.kept_before.until) - here.world.now().getTime() > dayMs - 60_000, true)
    await pass(23 * 3_600_000)
    assert.equal(await count(), 10, 'not yet')
    assert.equal((await post('/schedule', many)).status, 200, 'a token may take it back')
    await pass(7 * 3_600_000)
    assert.equal(await count(), 10, 'taken back in time')
    await here.call('schedules.set_default', few)
    await here.call('schedules.set', { site_id: site, keep_daily: 2 })
    await here.call('schedules.set', { site_id: site, keep_daily: 1 })
    await pass(20 * 3_600_000)
    assert.equal(await count(), 10)
    await pass(11 * 3_600_000)
    assert.equal(await count(), 3, 'the three that always stay')
    assert.equal((await here.call('schedules.get', { site_id: site })).kept_before, null)
    const { activity } = (await here.call('activity.list', {})) as { activity: { summary: string; internal: boolean }[] }
    assert.ok(activity.some(({ summary, internal }) => internal && /^Fewer backups are kept from tomorrow on/.test(summary)))
  })

  test('a suspect backup is accepted by an owner, not by a token', async () => {
    const id = await past(0, true)
    const refused = await post(`/sites/${site}/backups/${id}/accept`, {})
    assert.deepEqual([refused.status, refused.json.code], [403, 'insufficient_scope'])
    assert.equal((await here.call('backups.accept', { site_id: site, backup_id: id })).suspect, false)
  })
})
