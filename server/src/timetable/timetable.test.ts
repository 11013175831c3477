import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { duties } from '../capabilities.ts'
import { nextOfDays } from '../kernel/recurrence.ts'
import { perform } from '../platform/clock.ts'
import type { Item } from './store.ts'

let here: TestWorld
before(async () => {
  here = await aWorld({ SERVICE_LINK_CHECKS: 'weekly', SERVICE_PERFORMANCE_PROBES: 'daily', SERVICE_ERROR_COLLECTION: 'on' })
})
after(() => here.close())

const read = async (site_id: string) => {
  const { items, asked } = (await here.call('timetable.get', { site_id })) as unknown as { items: Item[]; asked: boolean }
  return { asked, of: (kind: string) => items.find((item) => item.kind === kind) ?? assert.fail(kind), items }
}
/** Every site gets its turns. */
const seed = async () => {
  for (const duty of duties) if ('ofSite' in duty) await perform(here.world, duty)
}

test('what is done for a site by itself is told with when, and what is switched off as such', async () => {
  const { id } = await here.site()
  await seed()
  const { of, items } = await read(id)
  assert.deepEqual(items.map(({ kind }) => kind).sort(), [
    'backup',
    'errors',
    'lab',
    'links',
    'performance',
    'security',
    'uptime',
    'verify',
  ])
  const now = here.world.now().getTime()
  for (const kind of ['links', 'performance', 'security']) {
    const { enabled, next_at, last_at } = of(kind)
    assert.deepEqual([enabled, last_at], [true, null], kind)
    assert.ok(next_at !== null && Date.parse(next_at) > now, kind)
  }
  assert.deepEqual([of('links').every_s, of('security').every_s, of('errors').every_s, of('uptime').every_s], [7 * 86_400, 86_400, 900, 60])
  assert.partialDeepStrictEqual(of('uptime'), { enabled: false, next_at: null })
  assert.partialDeepStrictEqual(of('backup'), { enabled: false, next_at: null })
})

test('it follows what is set, and what was done', async () => {
  const { id, fake } = await here.site()
  await here.call('schedules.set', { site_id: id, enabled: true })
  await seed()
  assert.equal((await read(id)).of('backup').last_at, null)
  await here.job(String((await here.call('backups.create', { site_id: id, type: 'db' })).job_id))
  await here.call('errors.collect', { site_id: id })
  await here.call('uptime.set', { site_id: id, interval_s: 300 })
  const { of, asked } = await read(id)
  assert.equal(asked, true)
  const { next_run_at } = await here.call('schedules.get', { site_id: id })
  assert.partialDeepStrictEqual(of('backup'), { enabled: true, next_at: next_run_at })
  for (const kind of ['backup', 'errors']) assert.notEqual(of(kind).last_at, null, kind)
  assert.equal(of('uptime').every_s, 300)
  await here.disconnect({ id, fake })
  assert.equal((await read(id)).asked, false)
})

test('every turn of a site that people care for is in it', async () => {
  const known = new Set((await read((await here.site()).id)).items.map(({ kind }) => kind))
  // What tidies up, and what looks whether a site has moved, is nobody's concern.
  const left = duties.filter((duty) => 'ofSite' in duty && !known.has(duty.name)).map(({ name }) => name)
  assert.deepEqual(left.sort(), ['moved sites', 'retain'])
})

test('what is due of a site begins its job, once, and its next turn is at its own time', async () => {
  const { id } = await here.site()
  await seed()
  for (const [name, type, days] of [
    ['performance', 'performance', 1],
    ['links', 'link_scan', 7],
  ] as const) {
    const duty = duties.find((each) => each.name === name) ?? assert.fail()
    const jobs = async () =>
      ((await here.call('jobs.list', { site_id: id, type })) as unknown as { jobs: { id: string; requested_by: { type: string } }[] }).jobs
    assert.deepEqual(await jobs(), [], 'not before its time')
    await sql`UPDATE turns SET due_at = ${here.world.now()} WHERE site_id = ${id} AND kind = ${name}`.execute(here.world.db)
    await perform(here.world, duty)
    await perform(here.world, duty)
    const [job, ...others] = await jobs()
    assert.deepEqual([job?.requested_by.type, others], ['system', []])
    const { next_at } = (await read(id)).of(name)
    assert.equal(next_at, nextOfDays(days, `${name} ${id}`, here.world.now()).toISOString())
  }
})

test('while a job of ours is open that works on a site it is not measured, and then it is', async () => {
  const { id } = await here.site()
  await seed()
  const duty = duties.find(({ name }) => name === 'performance') ?? assert.fail()
  const due = async () => {
    await sql`UPDATE turns SET due_at = ${here.world.now()} WHERE site_id = ${id} AND kind = 'performance'`.execute(here.world.db)
    await perform(here.world, duty)
    const { total } = await here.call('jobs.list', { site_id: id, type: 'performance' })
    const { next_at } = (await read(id)).of('performance')
    return [total, Math.round((Date.parse(next_at ?? '') - here.world.now().getTime()) / 60_000)]
  }
  for (const type of ['backup', 'restore', 'update']) {
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at, started_at)
      VALUES (${here.workspaceId}, ${`job_${type}`}, ${type}, ${id}, 'running', '{"type":"user","id":"u","name":"T"}', '{}', now(), now())`.execute(
      here.world.db,
    )
    assert.deepEqual(await due(), [0, 10], type)
    await sql`UPDATE jobs SET status = 'completed', completed_at = now() WHERE id = ${`job_${type}`}`.execute(here.world.db)
  }
  assert.equal((await due())[0], 1)
})
