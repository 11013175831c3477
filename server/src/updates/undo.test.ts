import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import type { FakeFatal } from '../../test/fake-state.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { ItemResult, UpdateResult } from './schema.ts'

describe('updates that undo themselves', { concurrency: 4 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none', reuse_hours: 1 })
  })
  after(() => here.close())

  const plugin = (slug: string) => aPlugin(slug, { update: anOffer('2.0') })
  const aSite = async (...slugs: string[]) => {
    const { id, fake } = await here.site()
    fake.state.items = [...slugs.map(plugin), { ...plugin('core'), type: 'core', slug: 'wordpress', file: 'core', update: null }]
    return { id, fake }
  }
  const start = async (site_id: string, input: object = {}) => String((await here.call('updates.apply', { site_id, ...input })).job_id)
  const resultOf = async (job_id: string) => {
    const job = await here.job(job_id)
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return (job.result as UpdateResult).items
  }
  const update = async (site_id: string) => resultOf(await start(site_id))
  const summary = async (site_id: string) =>
    ((await here.call('activity.list', { site_id })) as { activity: { summary: string; category: string; in_reports: boolean }[] }).activity
      .filter(({ category }) => category === 'update')
      .map(({ summary }) => summary)
  const versions = ({ state }: RunningFakeSite) => state.items.filter(({ type }) => type === 'plugin').map(({ version }) => version)
  const asked = ({ requests }: RunningFakeSite, verb: string) => requests.filter((request) => request.verb === verb).length
  const isAsBefore = (fake: RunningFakeSite, [item]: ItemResult[], status = 'rolled_back') => {
    assert.deepEqual([item?.status, versions(fake), fake.state.update], [status, ['1.0'], undefined], JSON.stringify(item))
    assert.deepEqual([item?.health?.before?.ok, item?.health?.after?.ok, fake.state.items[0]?.active], [true, true, true])
    assert.equal(item?.health?.after_shows, status === 'rolled_back' ? 'version_before' : null)
    return [item?.reason, item?.site_said?.text].filter(Boolean).join(' ')
  }

  test('the items after one that was taken back are still updated', async () => {
    const { id, fake } = await aSite('a', 'b')
    Object.assign(fake.state, { trials: false, defects: { 'a/a.php@2.0': 'front_500' } })
    assert.deepEqual(
      (await update(id)).map(({ status }) => status),
      ['rolled_back', 'updated'],
    )
    assert.deepEqual(await summary(id), [
      'Updated “b” from 1.0 to 2.0',
      'The update of “a” to 2.0 was taken back because the front page answers with 500',
    ])
  })

  test('a site that was broken before is not taken for broken by the update', async () => {
    const { id, fake } = await aSite('a')
    fake.state.broken = () => true
    const [item] = await update(id)
    assert.deepEqual([item?.status, item?.health?.before?.ok, item?.health?.after?.ok], ['updated', false, true])
    assert.equal(item?.health?.after_shows, 'new_version')
  })

  test('a 200 of a page cache before a dead site does not count', async () => {
    const { id, fake } = await aSite('a')
    fake.state.pageCache = new Map()
    fake.state.defects = { 'a/a.php@2.0': 'dead' }
    const items = await update(id)
    assert.equal((await fetch(fake.url)).status, 200)
    assert.match(isAsBefore(fake, items), /WordPress does not start/)
    assert.ok(items[0]?.health?.after?.pages.some(({ live }) => !live))
  })

  for (const defect of ['front_500', 'blank', 'half'] as const)
    test(`behind a page cache that nothing passes a page that is ${defect} is seen all the same`, async () => {
      const { id, fake } = await aSite('a')
      fake.state.pageCache = new Map()
      await fetch(fake.url)
      fake.state.defects = { 'a/a.php@2.0': defect }
      assert.match(isAsBefore(fake, await update(id)), /^In its trial, which no visitor met, the front page /)
    })

  for (const defect of ['front_500', 'half'] as const)
    test(`where nothing is tried first, a page that is ${defect} is seen behind a page cache all the same`, async () => {
      const { id, fake } = await aSite('a')
      Object.assign(fake.state, { trials: false, pageCache: new Map() })
      await fetch(fake.url)
      fake.state.defects = { 'a/a.php@2.0': defect }
      assert.match(isAsBefore(fake, await update(id)), /^The front page /)
    })

  test('what is wrong at one look and well at those after it takes nothing back', async () => {
    const { id, fake } = await aSite('a')
    fake.state.trials = false
    const met: string[] = []
    fake.state.page = (_, path, __, ours) => {
      if (!ours || versions(fake)[0] !== '2.0' || path.split('?')[0] !== '/' || met.length > 0) return undefined
      met.push(path)
      return { status: 404 }
    }
    const [item] = await update(id)
    assert.equal(met.length, 1)
    assert.deepEqual([item?.status, versions(fake)], ['updated', ['2.0']], JSON.stringify(item))
  })

  /** What the connector tells from the moment the new files are there until they are gone again. */
  const met = ({ state }: RunningFakeSite, ...fatals: FakeFatal[]) => {
    state.fault = (verb) => {
      if (verb === 'updates.apply') state.fatals = fatals
      if (verb === 'updates.rollback') state.fatals = []
      return undefined
    }
  }
  const strangers: FakeFatal = {
    message: 'Uncaught TypeError: str_contains()',
    file: 'wp-includes/class-wp-query.php',
    line: 7,
    by: 'other',
  }

  test('a stranger’s errors do not take an update back, and are told', async () => {
    const { id, fake } = await aSite('a')
    met(fake, strangers, { ...strangers, file: 'wp-content/plugins/a/a.php', message: 'Uncaught TypeError: strlen()' })
    const [item] = await update(id)
    assert.deepEqual([item?.status, item?.reason, versions(fake)], ['updated', null, ['2.0']], JSON.stringify(item))
    assert.deepEqual(item?.health?.after?.errors_meanwhile?.site_said, {
      untrusted: true,
      text: 'Uncaught TypeError: str_contains() in wp-includes/class-wp-query.php:7; Uncaught TypeError: strlen() in wp-content/plugins/a/a.php:7',
    })
    assert.equal(asked(fake, 'updates.probe'), 3, 'it was looked at once more')
  })

  test('an error of the item itself takes it back, whatever strangers met beside it', async () => {
    const { id, fake } = await aSite('a')
    met(fake, strangers, { message: 'Call to undefined function b()', file: 'wp-content/plugins/a/b.php', line: 7, by: 'item' })
    assert.match(isAsBefore(fake, await update(id)), /undefined function b\(\) in wp-content\/plugins\/a\/b\.php:7/)
  })

  test('an error that a look of our own meets takes it back, and nobody else can borrow the mark of a look', async () => {
    const { id, fake } = await aSite('a')
    const marks = new Map<string, boolean[]>()
    const borrowed: Promise<unknown>[] = []
    fake.state.page = (_, path, __, ours) => {
      marks.set(path, [...(marks.get(path) ?? []), ours === true])
      if (ours) borrowed.push(fetch(fake.url + path))
      if (fake.state.update?.phase === 'rolled_back') fake.state.fatals = []
      else if (ours === true && versions(fake)[0] === '2.0') fake.state.fatals = [{ ...strangers, by: 'look' }]
      return undefined
    }
    assert.match(isAsBefore(fake, await update(id)), /str_contains\(\) in wp-includes\/class-wp-query\.php:7/)
    await Promise.all(borrowed)
    assert.ok(borrowed.length > 6)
    for (const [path, ours] of marks) if (ours.includes(true)) assert.deepEqual(ours, [true, false], path)
  })

  test('an upgrader that failed leaves the site as it was, and says why', async () => {
    const { id, fake } = await aSite('a')
    fake.state.updateFails = { reason: 'The package could not be installed.', installed: false }
    assert.equal(isAsBefore(fake, await update(id), 'failed'), 'WordPress did not install it. The package could not be installed.')
    assert.deepEqual(await summary(id), ['The update of “a” to 2.0 failed because WordPress did not install it; the site is as it was'])
    fake.state.updateFails = { reason: 'Could not copy file.', installed: true }
    assert.equal(isAsBefore(fake, await update(id)), 'WordPress did not install it. Could not copy file.')
  })

  test('what the site finds in the way is said in words, and nothing is begun', async () => {
    const { id, fake } = await aSite('a')
    fake.state.guardSays = 'disk_full'
    const [item] = await update(id)
    assert.deepEqual([item?.status, item?.reason, item?.health], ['failed', 'There is too little disk space.', null])
    assert.equal(asked(fake, 'updates.apply'), 0)
  })

  test('a site that cannot note its options is updated all the same, and the result says what that means', async () => {
    const { id, fake } = await aSite('a')
    fake.state.noted = false
    const [item] = await update(id)
    assert.equal(item?.status, 'updated')
    assert.match(
      item?.reason ?? '',
      /^The site could not note its most important settings before it, .* would not have come back by themselves\.$/,
    )
  })

  test('a site that cannot copy what it would replace replaces nothing, and goes on', async () => {
    const { id, fake } = await aSite('a')
    fake.state.copyFails = 'A file cannot be copied, so nothing was touched: the disk may be full.'
    const [item] = await update(id)
    assert.deepEqual([item?.status, item?.health, fake.state.update, versions(fake)], ['failed', null, undefined, ['1.0']])
    assert.match(item?.site_said?.text ?? '', /disk may be full/)
  })

  test('the connector is never replaced by a job that needs it', async () => {
    const { id, fake } = await aSite('svc-connector')
    const [item] = await update(id)
    assert.deepEqual([item?.status, asked(fake, 'updates.guard')], ['skipped', 0])
    assert.match(item?.reason ?? '', /connector is not replaced/)
  })

  test('a cancel is heeded between two items, never within one', async () => {
    const { id, fake } = await aSite('a', 'b')
    const canceled = Promise.withResolvers<void>()
    fake.state.updateUntil = canceled.promise
    const job_id = await start(id)
    await until(() => asked(fake, 'updates.apply') > 0)
    await here.call('jobs.cancel', { job_id })
    canceled.resolve()
    const job = await here.job(job_id)
    assert.deepEqual([job.status, versions(fake), fake.state.update], ['canceled', ['2.0', '1.0'], undefined])
    assert.deepEqual(await summary(id), ['Updated “a” from 1.0 to 2.0'])
  })

  test('themes, WordPress and translations are updated where they are named', async () => {
    const { id, fake } = await aSite('a')
    fake.state.items.push({ ...plugin('meadow'), type: 'theme', file: 'meadow' })
    const core = fake.state.items.find(({ type }) => type === 'core')
    assert.ok(core)
    core.update = anOffer('2.0')
    fake.state.translations = 3
    const named = async (input: object) => (await resultOf(await start(id, input))).map(({ type, status }) => `${type} ${status}`)
    assert.deepEqual(await named({ themes: ['meadow'] }), ['theme updated'])
    assert.deepEqual(await named({ translations: true }), ['translations updated'])
    assert.deepEqual(await named({ core: true, plugins: ['a'] }), ['plugin updated', 'core updated'])
    assert.deepEqual(await named({}), [])
    assert.deepEqual(await summary(id), [
      'Updated WordPress from 1.0 to 2.0',
      'Updated “a” from 1.0 to 2.0',
      'Updated 3 translations',
      'Updated “meadow” from 1.0 to 2.0',
    ])
    await assert.rejects(start(id, { themes: ['prairie'] }), { code: 'invalid_payload' })
  })
})
