import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anOffer, aPlugin, type FakeItem } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { runJob } from '../jobs/worker.ts'

type Item = {
  file: string
  status: string
  reason: string | null
  from_version: string
  to_version: string
  health: {
    before: { ok: boolean }
    after: { ok: boolean; connector_answers: boolean; pages: { page: string; live: boolean }[] } | null
  } | null
}

describe('updates', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const plugin = (slug: string, update: FakeItem['update']) => aPlugin(slug, { update })
  const aSite = async (items?: FakeItem[]) => {
    const site = await here.site()
    if (items) site.fake.state.items = items
    return site
  }
  const apply = async (site_id: string, input: object = {}) => {
    const { job_id } = await here.call('updates.apply', { site_id, ...input })
    return here.job(String(job_id))
  }
  const itemsOf = (job: Record<string, unknown>) => (job.result as { items: Item[] }).items
  const effects = ({ state }: RunningFakeSite) =>
    state.effects.filter(({ verb }) => verb === 'updates.apply').map(({ params }) => params.file)
  const activityOf = async (site_id: string) =>
    (
      (await here.call('activity.list', { site_id })) as {
        activity: { summary: string; notes: string | null; category: string; internal: boolean; in_reports: boolean; job_id: string }[]
      }
    ).activity

  test('everything that waits is updated, plugins first and core last, and told in words for clients', async () => {
    const { id, fake } = await aSite()
    const job = await apply(id)
    assert.deepEqual(
      itemsOf(job).map(({ file, status, from_version, to_version }) => [file, status, from_version, to_version]),
      [
        ['garden/garden.php', 'updated', '1.0.0', '1.1.0'],
        ['core', 'updated', '6.8.1', '6.8.2'],
      ],
    )
    assert.deepEqual(effects(fake), ['garden/garden.php', 'core'])
    const told = (await activityOf(id)).filter(({ category }) => category === 'update')
    assert.deepEqual(told.map(({ summary, in_reports, job_id }) => [summary, in_reports, job_id === job.id]).toReversed(), [
      ['Updated “garden” from 1.0.0 to 1.1.0', true, true],
      ['Updated WordPress from 6.8.1 to 6.8.2', true, true],
    ])
    const site = (await here.call('sites.get', { site_id: id })) as { wp_version: string; updates_available: object }
    assert.deepEqual(
      [site.wp_version, site.updates_available],
      ['6.8.2', { core: 0, plugins: 0, themes: 0 }],
      'the list of sites knows at once',
    )
  })

  test('only the named plugins are updated, by file or slug; one that is current stays so', async () => {
    const { id, fake } = await aSite([
      plugin('a', anOffer('2.0')),
      plugin('b', anOffer('2.0')),
      plugin('c', null),
      plugin('d', anOffer('2.0')),
    ])
    await here.call('inventory.get', { site_id: id })
    const job = await apply(id, { plugins: ['a/a.php', 'c'] })
    assert.deepEqual(
      itemsOf(job).map(({ file, status }) => [file, status]),
      [
        ['a/a.php', 'updated'],
        ['c/c.php', 'already_current'],
      ],
    )
    assert.deepEqual(effects(fake), ['a/a.php'])
  })

  test('a dry run tells the plan with its obstacles and changes nothing', async () => {
    const { id, fake } = await aSite([
      plugin('a', anOffer('2.0')),
      plugin('paid', anOffer('3.0', { package: false })),
      plugin('new', anOffer('4.0', { compatible: false, requires_php: '9.0' })),
    ])
    await here.call('inventory.get', { site_id: id })
    const before = await stateOf(here.world)
    const plan = (await here.call('updates.apply', { site_id: id, dry_run: true })) as {
      status: string
      job_id: null
      items: { file: string; will_run: boolean; reason: string | null }[]
    }
    assert.deepEqual([plan.status, plan.job_id], ['planned', null])
    assert.deepEqual(
      plan.items.map(({ file, will_run }) => [file, will_run]),
      [
        ['a/a.php', true],
        ['paid/paid.php', false],
        ['new/new.php', false],
      ],
    )
    assert.match(plan.items[1]?.reason ?? '', /no download/)
    assert.match(plan.items[2]?.reason ?? '', /PHP 9.0/)
    assert.deepEqual(effects(fake), [])
    assert.equal(await stateOf(here.world), before)
  })

  test('a site that gets no answer when it asks what is on offer is not said to be up to date', async () => {
    const { id, fake } = await aSite([])
    fake.state.hears = false
    const plan = await here.call('updates.apply', { site_id: id, dry_run: true })
    assert.deepEqual([plan.live, plan.items], [true, []], String(plan.live_error))
    assert.match(String(plan.live_error), /no answer when it asked what is on offer/)
    const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
    assert.deepEqual([job.status, job.outcome], ['completed', 'failed'])
    assert.match(String(job.summary), /what is new is unknown/)
    const site = () => here.call('sites.get', { site_id: id })
    assert.equal((await site()).updates_available, null)
    fake.state.hears = true
    await here.call('inventory.get', { site_id: id })
    assert.deepEqual((await site()).updates_available, { core: 0, plugins: 0, themes: 0 })
  })

  test('a plan made while the site is down says so, and of what it was made', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0'))])
    const plan = () => here.call('updates.apply', { site_id: id, dry_run: true })
    const up = await plan()
    assert.deepEqual([up.live, up.live_error], [true, null])
    fake.misbehave('challenge')
    const down = await plan()
    assert.deepEqual([down.live, (down.items as object[]).length], [false, 1])
    assert.match(String(down.live_error), /Cloudflare|challenge/i)
    fake.misbehave()
  })

  test('items that cannot be updated are skipped with the reason and never asked for', async () => {
    const { id, fake } = await aSite([
      plugin('paid', anOffer('3.0', { package: false })),
      plugin('new', anOffer('4.0', { compatible: false })),
      plugin('fine', anOffer('2.0')),
    ])
    const items = itemsOf(await apply(id))
    assert.deepEqual(
      items.map(({ file, status, reason }) => [file, status, reason === null]),
      [
        ['paid/paid.php', 'skipped', false],
        ['new/new.php', 'skipped', false],
        ['fine/fine.php', 'updated', true],
      ],
    )
    assert.deepEqual(effects(fake), ['fine/fine.php'])
  })

  test('a plugin that is not installed is refused with those that are, before anything starts', async () => {
    const { id, fake } = await aSite()
    await here.call('inventory.get', { site_id: id })
    for (const dry_run of [false, true])
      await assert.rejects(
        here.call('updates.apply', { site_id: id, plugins: ['garden', 'gardn'], dry_run }),
        (error: { code: string; errors: { path: string; candidates: string[] }[] }) => {
          assert.equal(error.code, 'invalid_payload')
          assert.deepEqual(
            error.errors.map(({ path }) => path),
            ['plugins.1'],
          )
          assert.ok(error.errors[0]?.candidates.includes('garden/garden.php'))
          return true
        },
      )
    assert.deepEqual(effects(fake), [])
  })

  test('a plugin that was removed since the inventory was read fails the job instead of passing silently', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0'))])
    await here.call('inventory.get', { site_id: id })
    fake.state.items = [plugin('b', anOffer('2.0'))]
    const job = await apply(id, { plugins: ['a'] })
    assert.deepEqual([job.status, (job.error as { code: string }).code], ['failed', 'invalid_payload'])
    assert.deepEqual(effects(fake), [])
  })

  test('a site that says updated but runs another version is not believed', async () => {
    const { id, fake } = await aSite([plugin('liar', anOffer('2.0'))])
    fake.state.updatesTo = '1.5'
    const [item] = itemsOf(await apply(id))
    assert.deepEqual([item?.status, item?.to_version], ['rolled_back', '2.0'])
    assert.match(item?.reason ?? '', /says it updated, but runs 1\.5/)
    const told = (await activityOf(id)).find(({ category }) => category === 'update')
    assert.deepEqual([told?.internal, told?.in_reports], [true, false])
    assert.equal(told?.summary, 'The update of “liar” to 2.0 was taken back because the site says it updated, but runs 1.5')
  })

  test('an update of WordPress after which no screen of wp-admin is shown says so', async () => {
    const { id, fake } = await aSite([aPlugin('core', { type: 'core', file: 'core', update: anOffer('6.9') })])
    fake.state.fault = (verb) =>
      verb === 'updates.page' && fake.state.update?.phase === 'swapped' ? { code: 'not_found', message: 'It leads elsewhere.' } : undefined
    const [item] = itemsOf(await apply(id))
    assert.deepEqual([item?.status, item?.health?.after?.ok], ['updated', true], JSON.stringify(item))
    assert.match(item?.reason ?? '', /^wp-admin was looked at before and could not be after: .*upgrade\.php\)\.$/)
  })

  test('a site that is silent for a while in the middle is waited for', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0'))])
    fake.state.fault = (verb, moment) => {
      if (verb === 'updates.apply' && moment === 'after') fake.misbehave('down', { times: 5 })
      return undefined
    }
    const [item] = itemsOf(await apply(id))
    assert.deepEqual([item?.status, item?.health?.after?.ok, effects(fake)], ['updated', true, ['a/a.php']])
  })

  test('a lost reply is asked for again and has one effect', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0')), plugin('b', anOffer('2.0'))])
    const lost = new Map<string, number>()
    fake.state.fault = (verb, moment) => {
      if (moment === 'before' || !verb.startsWith('updates.')) return undefined
      lost.set(verb, (lost.get(verb) ?? 0) + 1)
      return Number(lost.get(verb)) <= 2 ? 'cut' : undefined
    }
    const items = itemsOf(await apply(id))
    assert.deepEqual(
      items.map(({ status }) => status),
      ['updated', 'updated'],
    )
    assert.deepEqual(effects(fake), ['a/a.php', 'b/b.php'])
    assert.ok([...lost.values()].every((times) => times > 2) && lost.size >= 4, 'guard, apply, probe and release were each lost')
  })

  test('a killed worker’s update goes on with the same plan and repeats nothing', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0')), plugin('b', anOffer('2.0')), plugin('c', anOffer('2.0'))])
    fake.state.updateMs = 700
    const job_id = String((await here.call('updates.apply', { site_id: id })).job_id)
    while (effects(fake).length < 1 || fake.requests.filter(({ verb }) => verb === 'updates.apply').length < 2) await sleep(10)
    // What a worker that wakes up too late would do: another one is at it already.
    fake.state.items.push(plugin('later', anOffer('2.0')))
    const never = new AbortController().signal
    await runJob(here.world, { jobId: job_id, workspaceId: here.workspaceId }, { lost: never, stopping: never })
    const job = await here.job(job_id)
    // On a busy machine one more may have found it left alone; that changes nothing.
    assert.ok(job.status === 'completed' && Number(job.attempt) >= 2, `${job.status}, ${job.attempt}`)
    assert.deepEqual(
      itemsOf(job).map(({ file, status }) => [file, status]),
      ['a', 'b', 'c'].map((name) => [`${name}/${name}.php`, 'updated']),
    )
    assert.deepEqual(effects(fake), ['a/a.php', 'b/b.php', 'c/c.php'])
    assert.equal((await activityOf(id)).filter(({ category }) => category === 'update').length, 3)
  })

  test('one idempotency key is one job', async () => {
    const { id, fake } = await aSite([plugin('a', anOffer('2.0'))])
    const { token } = await here.token('write')
    const ask = (body: object) =>
      here.rest('POST', `/api/v1/sites/${id}/actions`, {
        token,
        body: { action: 'update', ...body },
        headers: { 'idempotency-key': 'once' },
      })
    const [first, second] = [await ask({}), await ask({})]
    assert.deepEqual(
      [first.status, second.status, second.json.job_id, second.headers.get('idempotent-replayed')],
      [202, 202, first.json.job_id, 'true'],
    )
    assert.equal((await ask({ plugins: ['a'] })).status, 422)
    await here.job(String(first.json.job_id))
    assert.deepEqual(effects(fake), ['a/a.php'])
  })

  test('a disconnected site and a read token are refused', async () => {
    const { id, fake } = await aSite()
    const { token } = await here.token('read')
    assert.equal((await here.rest('POST', `/api/v1/sites/${id}/actions`, { token, body: { action: 'update' } })).status, 403)
    await here.disconnect({ id, fake })
    await assert.rejects(here.call('updates.apply', { site_id: id }), { code: 'conflict' })
    assert.deepEqual(effects(fake), [])
  })
})
