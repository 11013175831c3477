import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { nextWindow, openWindows } from './windows.ts'

test('the next hour of a window: today if it is still to come, on its day of the week', () => {
  const next = (at: string, weekday: number | null, after: string) => nextWindow({ at, weekday }, new Date(after)).toISOString()
  assert.equal(next('02:00', null, '2026-11-23T01:59:59Z'), '2026-11-23T02:00:00.000Z')
  assert.equal(next('02:00', null, '2026-11-23T02:00:00Z'), '2026-11-24T02:00:00.000Z')
  assert.equal(next('02:00', 1, '2026-11-23T01:00:00Z'), '2026-11-23T02:00:00.000Z', 'a Monday')
  assert.equal(next('02:00', 1, '2026-11-23T03:00:00Z'), '2026-11-30T02:00:00.000Z')
  assert.equal(next('23:59', 0, '2026-11-23T03:00:00Z'), '2026-11-29T23:59:00.000Z')
})

describe('update windows', () => {
  let here: TestWorld
  let sites: Awaited<ReturnType<TestWorld['site']>>[]
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' }, undefined, { withoutDuties: ['update windows'] })
    await here.call('schedules.set_default', { pre_update: 'none' })
    sites = [await here.site(), await here.site()]
    for (const { id, fake } of sites) {
      fake.state.updateMs = 0
      fake.state.items = [
        aPlugin('a', { version: '1.0.0', update: anOffer('1.0.1') }),
        aPlugin('b', { version: '1.0.0', update: anOffer('2.0') }),
      ]
      await here.call('inventory.get', { site_id: id })
    }
    await here.call('sites.set', { site_id: sites[0]?.id, tags: ['nightly'] })
  })
  after(() => here.close())

  interface Window {
    id: string
    next_at: string
    last_at: string | null
    last_rollout_id: string | null
    last_reason: string | null
  }
  const windows = async () => ((await here.call('updates.windows', {})) as unknown as { windows: Window[] }).windows
  const goTo = async (window: Window, late = 1000) => {
    here.clock.add(Date.parse(window.next_at) - here.world.now().getTime() + late)
    await openWindows(here.world)
    return (await windows()).find(({ id }) => id === window.id) ?? assert.fail('it is gone')
  }
  const updated = () => sites.map(({ fake }) => fake.state.effects.filter(({ verb }) => verb === 'updates.apply').length)

  test('at its hour everything that waits and the rules let through is updated, on the sites it is for, once', async () => {
    await here.call('updates.set_rule', { type: 'any', allow: 'minor' })
    const added = (await here.call('updates.add_window', { at: '02:00', tag: 'nightly' })) as unknown as Window
    assert.equal(added.next_at.slice(11), '02:00:00.000Z')
    await openWindows(here.world)
    assert.deepEqual(updated(), [0, 0], 'not before')
    const now = await goTo(added)
    assert.equal(now.last_reason, null)
    await Promise.all([openWindows(here.world), openWindows(here.world)])
    const rollout = await until(async () => {
      const told = (await here.call('rollouts.get', { rollout_id: now.last_rollout_id, wait_seconds: 25 })) as unknown as {
        status: string
        requested_by: { name: string }
        sites: { items: { slug: string; status: string; reason: string }[] }[]
      }
      return told.status !== 'running' && told
    })
    assert.deepEqual(
      [rollout.status, rollout.requested_by.name, rollout.sites.length, updated()],
      ['completed', 'Update window', 1, [1, 0]],
    )
    assert.deepEqual(
      rollout.sites[0]?.items.map(({ slug, status }) => [slug, status]),
      [
        ['a', 'updated'],
        ['b', 'skipped'],
      ],
    )
    assert.equal((await here.call('rollouts.list', {})).total, 1)
  })

  test('where nothing waits that may be updated nothing begins, and that is said', async () => {
    const [window] = await windows()
    assert.equal((await goTo(window as Window)).last_reason, 'Nothing waited that the rules let through.')
  })

  test('what could not begin at its hour is not begun by day', async () => {
    const all = (await here.call('updates.add_window', { at: '03:00' })) as unknown as Window
    const late = await goTo(all, 3 * 3_600_000)
    assert.deepEqual([late.last_reason, updated()], ['The service was not there at its hour.', [1, 0]])
    assert.ok(Date.parse(late.next_at) > here.world.now().getTime())
  })

  test('of however many sites none is left for the next time', async () => {
    const many = await here.workspace('Many')
    const inventory = JSON.stringify({
      ...{ collected_at: 1, updates_checked_at: 1, translations: 0 },
      items: [aPlugin('a', { version: '1.0.0', update: anOffer('1.0.1') })],
    })
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, inventory, synced_at, keyid, service_public, sealed_service_key, site_public,
        created_at, updated_at)
      SELECT ${many}, 'site_' || lpad(n::text, 26, '0'), '', url, url, 'connected', ${inventory}::jsonb, now(), 'k1', 'x', 'x', 'x', now(), now()
      FROM generate_series(1, 501) n, LATERAL (SELECT 'https://' || n || '.example' AS url) a`.execute(here.world.db)
    const caller = here.caller({ workspaceId: many })
    // Before the hour of the window for every site, which has a rollout of its own to begin then.
    const { next_at } = (await here.call('updates.add_window', { at: '02:30' }, { caller })) as unknown as Window
    here.clock.add(Date.parse(next_at) - here.world.now().getTime() + 1000)
    await openWindows(here.world)
    const { rollouts } = (await here.call('rollouts.list', {}, { caller })) as unknown as { rollouts: { progress: { total: number } }[] }
    assert.deepEqual(
      rollouts.map(({ progress }) => progress.total),
      [501],
    )
  })

  test('a removed window begins nothing; wrong ones are refused; another workspace’s are not there', async () => {
    const [first, second] = (await windows()) as [Window, Window]
    const caller = here.caller({ workspaceId: await here.workspace('Elsewhere') })
    assert.equal((await here.call('updates.windows', {}, { caller })).total, 0)
    await assert.rejects(here.call('updates.remove_window', { window_id: first.id }, { caller }), { code: 'not_found' })
    for (const { id } of [first, second]) await here.call('updates.remove_window', { window_id: id })
    here.clock.add(8 * 86_400_000)
    await openWindows(here.world)
    assert.deepEqual(updated(), [1, 0])
    for (const wrong of [{ at: '24:00' }, { at: '2:00' }, { at: '02:00', weekday: 7 }, {}])
      await assert.rejects(here.call('updates.add_window', wrong), { code: 'invalid_payload' })
  })
})
