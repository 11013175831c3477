import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { stateOf } from '../../test/state-of.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { startJob } from '../jobs/service.ts'
import type { JobKind } from '../kernel/job.ts'
import { openService } from '../service.ts'
import type { World } from '../world.ts'
import { isBroken, outcomeOf, wavesOf } from './waves.ts'

interface RolloutAnswer {
  status: string
  reason: string | null
  wave: number
  progress: { percent: number; done: number; total: number }
  counts: Record<string, number>
  sites: { site_id: string; wave: number | null; status: string; reason: string | null; job_id: string | null; items: { slug: string }[] }[]
}
interface Answer {
  status: string
  job_id: string
  next: string
  would: { slug: string; risks?: string[] }[] | null
  rollout_id: string
  waves: number
  total: number
  skipped: number
  unreachable: number | null
  never_read: number | null
  oldest_inventory_at: string | null
  sites: {
    site_id: string
    wave: number | null
    reason: string | null
    items: { slug: string; to_version: string; risks: string[] }[] | null
    status: string
    inventory_at: string | null
    note: string | null
  }[]
}
interface Managed {
  id: string
  fake: RunningFakeSite
}

test('a few sites go first, the rest in equal waves', () => {
  assert.deepEqual(wavesOf(8, 1, 3), [1, 2, 2, 2, 3, 3, 3, 4])
  assert.deepEqual(wavesOf(2, 5, 3), [1, 1])
  assert.deepEqual(wavesOf(0, 1, 1), [])
})

test('a wave is broken when more than the share went wrong, as soon as that cannot change any more', () => {
  assert.equal(isBroken(['failed', 'updated', 'updated', 'updated', 'updated'], 20), false, 'exactly the share')
  assert.equal(isBroken(['failed', 'rolled_back', 'running', 'running', 'running'], 20), true, 'the others cannot make it good')
  assert.equal(isBroken(['failed', 'running', 'running', 'running', 'running'], 20), false, 'they may')
  assert.equal(isBroken(['failed', 'updated', 'already_current', 'skipped', 'not_started'], 49), true, 'who had nothing to do says nothing')
  assert.equal(isBroken(['already_current', 'skipped'], 0), false)
  assert.equal(isBroken([...Array(99).fill('updated'), 'rolled_back'], 0), true)
  assert.equal(isBroken(['partly', 'updated'], 20), true, 'something was taken back there')
})

test('a site is called by the worst of its items, and done in part where some were updated and others taken back', () => {
  const of = (...statuses: string[]) => outcomeOf(statuses.map((status) => ({ status })))
  assert.deepEqual(
    [
      of('updated', 'rolled_back', 'failed'),
      of('updated', 'rolled_back'),
      of('updated', 'skipped'),
      of('skipped', 'already_current'),
      of(),
    ],
    ['failed', 'partly', 'updated', 'skipped', 'already_current'],
  )
  assert.equal(of('skipped', 'rolled_back'), 'rolled_back')
})

describe('rollouts', () => {
  let here: TestWorld
  /** A job of this kind keeps its site for itself until this is kept. */
  const held = Promise.withResolvers<void>()
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
    ;(here.world.jobKinds as Map<string, JobKind<World>>).set('held', {
      type: 'held',
      retries: 0,
      changesSite: false,
      work: () => held.promise,
      summarize: () => ({ outcome: 'done', summary: 'Held.' }),
    })
  })
  after(() => here.close())

  const plugin = (slug: string, version: string | null) => aPlugin(slug, { update: version === null ? null : anOffer(version) })
  /** Enrolments are limited for an address, so every test gets the same sites, as new. */
  const pool: Managed[] = []
  const sites = async (count: number): Promise<Managed[]> => {
    while (pool.length < count) pool.push(await here.site())
    const those = pool.slice(0, count)
    for (const { id, fake } of those) {
      fake.state.items = [plugin('a', '2.0')]
      delete fake.state.updateUntil
      delete fake.state.updatesTo
      fake.state.fatals = []
      fake.state.effects.length = 0
      await here.call('inventory.get', { site_id: id })
    }
    return those
  }
  const ids = (those: Managed[]) => those.map(({ id }) => id)
  const start = async (input: object, over = {}) => (await here.call('rollouts.start', input, over)) as unknown as Answer
  const read = async (rollout_id: string, wait_seconds = 0) =>
    (await here.call('rollouts.get', { rollout_id, wait_seconds })) as unknown as RolloutAnswer
  const ended = (rollout_id: string) =>
    until(async () => {
      const told = await read(rollout_id, 25)
      return !['running', 'stopping'].includes(told.status) && told
    })
  const runs = async (job_id: string | null | undefined) => {
    while ((await here.call('jobs.get', { job_id })).status !== 'running') await sleep(10)
  }
  const updates = ({ fake }: Managed) => fake.state.effects.filter(({ verb }) => verb === 'updates.apply').length
  /** Updates of this site are not over before what this answers is called. */
  const holdUpdates = ({ fake }: Managed) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    fake.state.updateUntil = promise
    return () => resolve()
  }
  const goesWrong = ({ fake }: Managed) => {
    fake.state.updatesTo = '1.5'
  }

  test('the first site is updated alone, then the others in waves, and each is told', async () => {
    const all = await sites(3)
    const { rollout_id, status, waves, total } = await start({ site_ids: ids(all), first_wave: 1, wave_size: 2 })
    assert.deepEqual([status, waves, total], ['running', 2, 3])
    const [first, ...rest] = all as [Managed, ...Managed[]]
    while (updates(first) === 0) await sleep(5)
    assert.deepEqual(rest.map(updates), [0, 0], 'nobody else before the first has ended')
    const told = await ended(rollout_id)
    assert.deepEqual([told.status, told.reason, told.progress], ['completed', null, { percent: 100, done: 3, total: 3, unit: 'sites' }])
    assert.deepEqual(
      told.sites.map(({ site_id, wave, status }) => [site_id, wave, status]),
      all.map(({ id }, place) => [id, [1, 2, 2][place], 'updated']),
    )
    assert.deepEqual(all.map(updates), [1, 1, 1])
    const job = await here.call('jobs.get', { job_id: told.sites[2]?.job_id })
    assert.deepEqual([job.type, job.site_id, (job.requested_by as { name: string }).name], ['update', all[2]?.id, 'Tess'])
  })

  test('errors that strangers meet on the first site do not stop it', async () => {
    const all = await sites(2)
    for (const { fake } of all) fake.state.fatals = [{ message: 'Uncaught TypeError', file: 'wp-links-opml.php', line: 22, by: 'other' }]
    const { rollout_id } = await start({ site_ids: ids(all), first_wave: 1 })
    const told = await ended(rollout_id)
    assert.deepEqual([told.status, told.sites.map(({ status }) => status)], ['completed', ['updated', 'updated']])
  })

  test('a first site that goes wrong stops it, and the others are not touched', async () => {
    const all = await sites(3)
    goesWrong(all[0] as Managed)
    const { rollout_id } = await start({ site_ids: ids(all) })
    const told = await ended(rollout_id)
    assert.equal(told.status, 'stopped')
    assert.match(told.reason ?? '', /Of 1 site in wave 1: 0 failed, 1 rolled back.*more than 20 %/)
    assert.deepEqual(
      told.sites.map(({ status, job_id }) => [status, job_id === null]),
      [
        ['rolled_back', false],
        ['not_started', true],
        ['not_started', true],
      ],
    )
    assert.match(told.sites[0]?.reason ?? '', /runs 1\.5/)
    assert.deepEqual(all.map(updates), [1, 0, 0])
    const { activity } = (await here.call('activity.list', {})) as { activity: { summary: string; notes: string; internal: boolean }[] }
    const entry = activity.find(({ summary }) => summary === 'Stopped updating sites in wave 1 of 2')
    assert.deepEqual([entry?.internal, entry?.notes], [true, told.reason])
  })

  test('what was taken back for a reason that tells nothing of the version does not stop it', async () => {
    const all = await sites(2)
    const { state } = (all[0] as Managed).fake
    state.fault = (verb) => {
      const [item] = state.items
      if (verb === 'updates.probe' && state.update?.phase === 'swapped' && item) item.version = '1.5'
      return undefined
    }
    const { rollout_id } = await start({ site_ids: ids(all), first_wave: 1, stop_above_percent: 0 })
    const told = await ended(rollout_id)
    state.fault = undefined
    assert.deepEqual([told.status, told.sites.map(({ status }) => status)], ['completed', ['rolled_back', 'updated']])
  })

  test('the plan tells of versions that were taken back, on the sites and for all of them', async () => {
    const all = await sites(2)
    for (const { id, fake } of all) {
      fake.state.items = [plugin('thorny', '2.0'), plugin('well', '2.0')]
      await here.call('inventory.get', { site_id: id })
    }
    goesWrong(all[0] as Managed)
    await here.job(String((await here.call('updates.apply', { site_id: all[0]?.id, plugins: ['thorny'] })).job_id))
    ;(all[0] as Managed).fake.state.items = [plugin('thorny', '2.0')]
    await here.call('inventory.get', { site_id: all[0]?.id })
    const { sites: planned, would } = await start({ site_ids: ids(all), dry_run: true })
    const told = planned?.flatMap(({ items }) => items?.map(({ slug, risks }) => [slug, risks.map((risk) => risk.split(' on ')[0])]))
    assert.deepEqual(told, [
      ['thorny', ['This version was taken back here']],
      ['thorny', ['It was taken back']],
      ['well', []],
    ])
    const risk = would?.map(({ slug, risks = [] }) => [slug, risks.length, /on 1 site of the/.test(`${risks}`)])
    assert.deepEqual(risk, [
      ['thorny', 1, true],
      ['well', 0, false],
    ])
  })

  test('fewer failures than the share do not stop it, more do, and what had not begun of that wave never begins', async () => {
    const all = await sites(5)
    for (const bad of [all[0], all[1]]) goesWrong(bad as Managed)
    // The last of the wave waits behind another job of its site, so it has not begun when the wave breaks.
    const context = {
      ...here.world,
      caller: here.caller(),
      workspaceId: here.workspaceId,
      face: 'api' as const,
      requestId: 'req_test',
      touched: new Set<string>(),
    }
    const ahead = await here.world.db.transaction().execute((db) => startJob({ ...context, db }, { type: 'held' }, all[4]?.id ?? '', {}))
    await runs(ahead.job_id)
    const { rollout_id } = await start({ site_ids: ids(all), first_wave: 5, stop_above_percent: 30 })
    const told = await ended(rollout_id)
    assert.deepEqual(
      [told.status, told.sites.map(({ status }) => status)],
      ['stopped', ['rolled_back', 'rolled_back', 'updated', 'updated', 'not_started']],
    )
    assert.equal((await here.call('jobs.get', { job_id: told.sites[4]?.job_id })).status, 'canceled')
    held.resolve()
    await here.job(ahead.job_id)

    const [bad, ...good] = (await sites(4)) as [Managed, ...Managed[]]
    goesWrong(bad)
    const calm = await ended((await start({ site_ids: ids([bad, ...good]), first_wave: 3, stop_above_percent: 34 })).rollout_id)
    assert.deepEqual([calm.status, calm.counts.rolled_back, calm.counts.updated], ['completed', 1, 3])
  })

  test('canceled: what runs comes to its end, what waits never begins', async () => {
    const all = await sites(3)
    const letGo = holdUpdates(all[0] as Managed)
    const { rollout_id } = await start({ site_ids: ids(all) })
    await runs((await read(rollout_id)).sites[0]?.job_id)
    const asked = (await here.call('rollouts.cancel', { rollout_id })) as unknown as RolloutAnswer
    assert.deepEqual([asked.status, asked.reason], ['stopping', 'Canceled by Tess.'])
    await here.call('rollouts.cancel', { rollout_id })
    letGo()
    const told = await ended(rollout_id)
    assert.deepEqual([told.status, told.sites.map(({ status }) => status)], ['canceled', ['updated', 'not_started', 'not_started']])
    assert.equal(((await here.call('rollouts.cancel', { rollout_id })) as unknown as RolloutAnswer).status, 'canceled')
  })

  test('a dry run tells the waves and what is known of each site, and changes nothing', async () => {
    const [current, one, other] = (await sites(3)) as [Managed, Managed, Managed]
    current.fake.state.items = [plugin('a', null)]
    other.fake.state.items = [plugin('b', '3.0')]
    for (const { id } of [current, other]) await here.call('inventory.get', { site_id: id })
    await sql`UPDATE sites SET tags = ARRAY['shop'] WHERE id = ANY(${ids([current, one, other])})`.execute(here.world.db)
    here.world.changed(here.workspaceId)
    const before = await stateOf(here.world)
    const plan = await start({ tag: 'shop', plugins: ['a'], dry_run: true })
    assert.deepEqual([plan.status, plan.rollout_id, plan.waves, plan.total, plan.skipped], ['planned', null, 2, 2, 1])
    assert.deepEqual(
      plan.sites.map(({ site_id, wave, reason, items }) => [site_id, wave, reason, items?.map(({ to_version }) => to_version)]),
      [
        [one.id, 1, null, ['2.0']],
        [current.id, 2, null, ['1.0']],
        [other.id, null, 'Nothing of what is named is installed there.', undefined],
      ],
      'what has something to update comes first',
    )
    assert.equal(await stateOf(here.world), before)
    assert.deepEqual([current, one, other].map(updates), [0, 0, 0])
    assert.deepEqual([plan.unreachable, plan.never_read, plan.sites.map(({ note }) => note)], [0, 0, [null, null, null]])
    const read = await here.call('sites.get', { site_id: current.id })
    await sql`UPDATE sites SET status = 'unreachable' WHERE id = ANY(${ids([one, current])})`.execute(here.world.db)
    await sql`UPDATE sites SET inventory = NULL WHERE id = ${one.id}`.execute(here.world.db)
    here.world.changed(here.workspaceId)
    const doubtful = await start({ tag: 'shop', plugins: ['a'], dry_run: true })
    assert.deepEqual(
      [doubtful.total, doubtful.unreachable, doubtful.never_read, doubtful.oldest_inventory_at],
      [2, 2, 1, read['synced_at']],
    )
    assert.deepEqual(
      Object.fromEntries(doubtful.sites.map(({ site_id, status, inventory_at, note }) => [site_id, [status, inventory_at, note]])),
      {
        [one.id]: [
          'unreachable',
          null,
          'It did not answer when it was last asked. Its inventory was never read, so what waits there is not known.',
        ],
        [current.id]: ['unreachable', read['synced_at'], 'It did not answer when it was last asked.'],
        [other.id]: ['connected', (await here.call('sites.get', { site_id: other.id }))['synced_at'], null],
      },
    )
  })

  test('a site that cannot be updated is left out and told, and a rollout of none is over at once', async () => {
    const [fine, gone] = [...(await sites(1)), await here.site()] as [Managed, Managed]
    await here.disconnect(gone)
    const told = await ended((await start({ site_ids: ids([gone, fine]) })).rollout_id)
    assert.deepEqual(
      told.sites.map(({ site_id, wave, status, reason }) => [site_id, wave, status, reason]),
      [
        [fine.id, 1, 'updated', null],
        [gone.id, null, 'skipped', 'The site is disconnected.'],
      ],
    )
    const none = await start({ site_ids: [gone.id] })
    assert.deepEqual([none.status, none.total, none.skipped], ['completed', 0, 1])
    assert.deepEqual([(await read(none.rollout_id)).status, (await read(none.rollout_id)).progress.percent], ['completed', 100])
  })

  test('which sites must be said, and all of them must be there', async () => {
    const [site] = (await sites(1)) as [Managed]
    await assert.rejects(start({}), { code: 'invalid_payload' })
    await assert.rejects(start({ site_ids: [] }), { code: 'invalid_payload' })
    await assert.rejects(start({ site_ids: [site.id, 'nowhere.example'] }), { code: 'not_found' })
    const foreign = (await here.site(await here.workspace('Theirs'))).id
    await assert.rejects(start({ site_ids: [site.id, foreign] }), { code: 'not_found' })
    assert.equal((await start({ site_ids: [site.id, site.id, site.fake.url], dry_run: true })).total, 1, 'named twice, updated once')
  })

  test('a revoked token’s rollout goes no further', async () => {
    const all = await sites(2)
    const letGo = holdUpdates(all[0] as Managed)
    const { token, id: token_id } = await here.token('write')
    const begun = await here.rest('POST', '/api/v1/updates', { token, body: { site_ids: ids(all) } })
    assert.deepEqual([begun.status, begun.headers.get('location')], [202, `/api/v1/jobs/${begun.json.rollout_id}`], begun.text)
    await here.call('tokens.revoke', { token_id })
    letGo()
    const told = await ended(String(begun.json.rollout_id))
    assert.deepEqual(
      [told.status, told.reason, told.sites[1]?.status, all.map(updates)[1]],
      ['stopped', 'The token that started it was revoked.', 'not_started', 0],
    )
  })

  test('one idempotency key is one rollout; the list pages, newest first', async () => {
    const all = await sites(1)
    const { token } = await here.token('write')
    const ask = (body: object) => here.rest('POST', '/api/v1/updates', { token, body, headers: { 'idempotency-key': 'once' } })
    const [one, again] = [await ask({ site_ids: ids(all) }), await ask({ site_ids: ids(all) })]
    assert.equal(one.json.rollout_id, again.json.rollout_id)
    assert.equal((await ask({ site_ids: ids(all), first_wave: 2 })).status, 422)
    await ended(String(one.json.rollout_id))
    assert.deepEqual(all.map(updates), [1])
    const last = await start({ site_ids: ids(all) })
    const page = await here.rest('GET', '/api/v1/rollouts?limit=1', { token })
    const shown = page.json as unknown as { id: string }[]
    assert.deepEqual([shown[0]?.id, shown.length], [last.rollout_id, 1])
    const next = /cursor=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1]
    const following = await here.rest('GET', `/api/v1/rollouts?limit=1&cursor=${next}`, { token })
    assert.equal((following.json as unknown as { id: string }[])[0]?.id, one.json.rollout_id)
    const reader = await here.token('read')
    assert.equal((await here.rest('POST', '/api/v1/updates', { token: reader.token, body: { site_ids: ids(all) } })).status, 403)
  })

  test('one call updates all but those that are named, and get_job follows, tells and cancels it as a job', async () => {
    const all = (await sites(3)) as [Managed, Managed, Managed]
    const [spared, ...others] = all
    await here.call('sites.set', { site_id: spared.id, tags: ['shops'] })
    await here.call('sites.set', { site_id: all[1].id, client: 'Ann' })
    const rest = (await here.call('sites.list', {})) as unknown as { sites: { id: string }[] }
    const strangers = rest.sites.map(({ id }) => id).filter((id) => !ids(all).includes(id))
    const plan = await start({ every_site: true, except: ['shops', ...strangers], dry_run: true })
    const would = plan.would?.map(({ risks: _, ...what }) => what)
    assert.deepEqual([plan.total, would], [2, [{ type: 'plugin', slug: 'a', to_version: '2.0', sites: 2 }]])
    const begun = await start({ every_site: true, except: ['shops', ...strangers] })
    assert.deepEqual([begun.job_id, begun.next], [begun.rollout_id, 'get_job'])
    const job = await here.job(begun.job_id)
    assert.deepEqual([job.type, job.status, job.outcome, job.summary], ['rollout', 'completed', 'done', '2 updated.'])
    assert.deepEqual([updates(spared), ...others.map(updates)], [0, 1, 1])
    assert.deepEqual((job.result as { counts: object }).counts, { updated: 2 })
    const [first, second] = (await sites(2)) as [Managed, Managed]
    const letGo = holdUpdates(first)
    const { job_id } = await start({ site_ids: ids([first, second]) })
    await runs((await read(job_id)).sites[0]?.job_id)
    assert.equal((await here.call('jobs.cancel', { job_id })).status, 'running', 'what runs comes to its end')
    letGo()
    const canceled = await here.job(job_id)
    assert.deepEqual(
      [canceled.status, canceled.outcome, canceled.summary],
      ['canceled', null, '1 updated, 1 not started. Canceled by Tess.'],
    )
    await assert.rejects(here.call('jobs.cancel', { job_id: begun.job_id }), { code: 'conflict' })
    const theirs = { caller: here.caller({ workspaceId: await here.workspace('Others') }) }
    for (const ask of ['jobs.get', 'jobs.cancel']) await assert.rejects(here.call(ask, { job_id }, theirs), { code: 'not_found' })
  })

  test('one site answers as ever: its job, or its plan', async () => {
    const [site] = (await sites(1)) as [Managed]
    const plan = (await here.call('rollouts.start', { site_id: site.id, dry_run: true })) as unknown as {
      items: object[]
      sites: null
      live: boolean
    }
    assert.deepEqual([plan.items.length, plan.sites, plan.live], [1, null, true])
    const { job_id, rollout_id } = await start({ site_id: site.id, plugins: ['a'] })
    assert.equal(rollout_id, null)
    assert.deepEqual([(await here.job(job_id)).type, updates(site)], ['update', 1])
    for (const wrong of [{ site_id: site.id, tag: 'shops' }, { site_id: site.id, except: ['shops'] }, { except: ['shops'] }])
      await assert.rejects(start(wrong), { code: 'invalid_payload' })
  })

  test('a tag or client that no site has begins nothing anywhere, and work on no site is no success', async () => {
    const [site] = (await sites(1)) as [Managed]
    await here.call('sites.set', { site_id: site.id, tags: ['Orchard'], client: 'Apple & Sons' })
    const before = await stateOf(here.world)
    for (const which of [{ tag: 'ochard' }, { client: 'Aple & Sons' }])
      for (const [name, more] of [
        ['rollouts.start', {}],
        ['backups.create', { type: 'db' }],
        ['tweaks.apply', { tweak_ids: ['xmlrpc_off'], action: 'apply' }],
      ] as const)
        await assert.rejects(here.call(name, { ...which, ...more }), ({ code, errors }: { code: string; errors: object[] }) => {
          const [path] = Object.keys(which) as ['tag' | 'client']
          const [none, meant] = { tag: ['No site has this tag.', 'Orchard'], client: ['No site is of this client.', 'Apple & Sons'] }[path]
          assert.deepEqual(
            [code, errors],
            ['invalid_payload', [{ path, message: `${none} Name one of the candidates.`, candidates: [meant] }]],
          )
          return true
        })
    assert.equal(await stateOf(here.world), before)
    const plan = await start({ tag: 'orchard', dry_run: true })
    assert.deepEqual(
      plan.sites.map(({ site_id }) => site_id),
      [site.id],
    )
    const { job_id } = await here.call('backups.create', { tag: 'Orchard', except: [site.id], type: 'db' })
    const { outcome, summary } = await here.job(String(job_id))
    assert.deepEqual([outcome, summary], ['failed', 'There was no site to do it on.'])
    const { id: leaving } = await here.site()
    const done = String((await here.call('backups.create', { site_ids: [leaving], type: 'db' })).job_id)
    assert.equal((await here.job(done)).outcome, 'done')
    await here.call('sites.remove', { site_id: leaving })
    assert.equal((await here.call('jobs.get', { job_id: done })).outcome, 'done', 'its site was removed since')
  })

  test('among jobs it is found by its type, by site and by state', async () => {
    const [one, two] = [await here.site(), await here.site()]
    const job_id = String((await here.call('backups.create', { site_ids: [one.id, two.id], type: 'db' })).job_id)
    const { outcome, summary } = await here.job(job_id)
    const list = async (wanted: object, over = {}) =>
      (await here.call('jobs.list', { type: 'rollout', ...wanted }, over)) as { jobs: { id: string; result: object }[]; total: number }
    const { jobs, total } = await list({ site_id: one.id })
    assert.deepEqual([jobs.map(({ id }) => id), total], [[job_id], 1])
    assert.partialDeepStrictEqual(jobs[0], { type: 'rollout', status: 'completed', outcome, summary, next_steps: null })
    assert.equal((await list({ site_id: two.id, status: 'completed' })).total, 1)
    assert.equal((await list({ site_id: two.id, status: 'running' })).total, 0)
    assert.ok((await list({})).total > 1)
    const sees = here.caller({ id: 'token_other', sees: { site_ids: [one.id] } })
    assert.equal((await list({ site_id: one.id }, { caller: sees })).total, 0, 'it tells of sites that are not seen')
    assert.deepEqual((await list({ site_id: one.id, outcome: 'done' })).total, outcome === 'done' ? 1 : 0)
    for (const other of ['partly', 'taken_back', 'failed']) assert.equal((await list({ site_id: one.id, outcome: other })).total, 0, other)
    assert.ok((await list({ outcome: 'failed' })).jobs.every((job) => (job as unknown as { outcome: string }).outcome === 'failed'))
  })

  test('it stands among the jobs of its sites, newest first and on one row of pages', async () => {
    const sitesOf = [await here.site(), await here.site()]
    const site_ids = sitesOf.map(({ id }) => id)
    const order = async () => {
      const { job_id } = await here.call('backups.create', { site_ids, type: 'db' })
      await here.job(String(job_id))
      return String(job_id)
    }
    const [first, second] = [await order(), await order()]
    const [site_id] = site_ids as [string]
    const ask = async (query: string, token?: string) =>
      (await here.rest('GET', `/api/v1/jobs?${query}`, { token: token ?? (await here.token('read')).token })) as unknown as {
        json: { id: string; type: string }[]
        headers: Headers
      }
    const whole = await ask(`site_id=${site_id}`)
    const ids = whole.json.map(({ id }) => id)
    assert.deepEqual(
      whole.json.map(({ type }) => type),
      ['backup', 'rollout', 'backup', 'rollout', 'connect'],
    )
    assert.deepEqual([ids[1], ids[3]], [second, first])
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = (await here.call('jobs.list', { site_id, limit: 1, ...(cursor && { cursor }) })) as {
        jobs: { id: string }[]
        total: number
        next_cursor: string | null
      }
      assert.equal(page.total, ids.length)
      paged.push(...page.jobs.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    assert.deepEqual(paged, ids)
    const of = async (more: object, over = {}) =>
      ((await here.call('jobs.list', { site_id, ...more }, over)) as { jobs: { id: string }[] }).jobs.map(({ id }) => id)
    assert.deepEqual(await of({ outcome: 'done' }), ids, 'the outcome of a rollout counts as that of a job')
    assert.deepEqual(await of({ outcome: 'failed' }), [])
    assert.deepEqual(await of({ status: 'queued' }), [])
    assert.deepEqual(await of({ type: 'backup' }), [ids[0], ids[2]])
    const agent = agentOf(here, (await here.token('read')).token)
    const { jobs, total } = (await agent.call('list_jobs', { site_id, outcome: 'done', limit: 2 })).structuredContent as {
      jobs: { id: string; outcome: string }[]
      total: number
    }
    assert.deepEqual([jobs.map(({ id }) => id), total, jobs[1]?.outcome], [ids.slice(0, 2), ids.length, 'done'])
    const sees = { sees: { site_ids: [site_id] } }
    const others = here.caller({ id: 'token_other', ...sees })
    const own = here.caller(sees)
    assert.deepEqual(await of({}, { caller: others }), [ids[0], ids[2], ids[4]], 'it tells of sites that are not seen')
    assert.deepEqual(await of({}, { caller: own }), ids, 'who asked for it')
  })

  test('many sites are backed up by one call, each for itself; what cannot be is left out and told', async () => {
    const [one, two] = (await sites(2)) as [Managed, Managed]
    const gone = await here.site()
    await here.disconnect(gone)
    two.fake.misbehave('security_plugin')
    const { token } = await here.token('write')
    const body = { site_ids: ids([one, two, gone]), type: 'db' }
    const begun = await here.rest('POST', '/api/v1/backups', { token, body })
    assert.deepEqual([begun.status, begun.json.backup_id, begun.json.total, begun.json.skipped], [202, null, 2, 1], begun.text)
    const job = await here.job(String(begun.json.job_id))
    two.fake.misbehave()
    assert.deepEqual([job.outcome, job.summary], ['partly', '1 done, 1 left out, 1 failed.'])
    const told = (await read(String(job.id))) as unknown as {
      kind: string
      sites: { site_id: string; status: string; reason: string | null }[]
    }
    assert.equal(told.kind, 'backup')
    assert.match(told.sites.find(({ site_id }) => site_id === two.id)?.reason ?? '', /Wordfence/)
    const backups = (await here.call('backups.list', { site_id: one.id })) as unknown as { backups: { type: string; status: string }[] }
    assert.deepEqual([backups.backups[0]?.type, backups.backups[0]?.status], ['db', 'completed'])
    await assert.rejects(here.call('backups.create', { type: 'db' }), { code: 'invalid_payload' })
  })

  test('another process goes on with it where a killed one stopped', async () => {
    const all = await sites(2)
    const { rollout_id } = await start({ site_ids: ids(all) })
    await here.service.close()
    const told = await read(rollout_id).catch(() => undefined)
    assert.equal(told, undefined, 'the first process is gone')
    const config = { ...here.world.config, role: 'work' as const }
    const successor = await openService({ config, log: here.world.log, address: here.address, now: here.world.now })
    try {
      await until(async () => {
        const { rows } = await sql<{ status: string }>`SELECT status FROM rollouts WHERE id = ${rollout_id}`.execute(successor.world.db)
        return rows[0]?.status === 'completed'
      })
    } finally {
      await successor.close()
    }
    assert.deepEqual(all.map(updates), [1, 1])
  })
})
