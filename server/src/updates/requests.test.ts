// What an update costs its site: signed requests, each of which starts a WordPress.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import type { FakeState } from '../../test/fake-state.ts'
import { takeBack } from '../../test/fake-update.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { UpdateResult } from './schema.ts'

describe('the requests of an update', { concurrency: 4 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const most = 8
  /** The dashboard, the list of plugins and the editor. */
  const SCREENS = 3

  const updated = async (site_id: string, fake: RunningFakeSite) => {
    const before = fake.requests.length
    const job = await here.job(String((await here.call('updates.apply', { site_id })).job_id))
    const verbs = fake.requests.slice(before).flatMap(({ verb }) => (verb === '' ? [] : [verb]))
    return { statuses: (job.result as UpdateResult).items.map(({ status }) => status), verbs }
  }

  test(`one plugin is updated, judged and looked at again with ${most} signed requests, beside what is looked at in wp-admin`, async (t) => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    const { statuses, verbs } = await updated(id, fake)
    t.diagnostic(`${verbs.length}: ${verbs.join(', ')}`)
    assert.deepEqual(statuses, ['updated'])
    const [looks, others] = [verbs.filter((verb) => verb === 'updates.page'), verbs.filter((verb) => verb !== 'updates.page')]
    assert.ok(others.length <= most, `${others.length}: ${others.join(', ')}`)
    assert.equal(looks.length, 2 * SCREENS, 'each screen of wp-admin once before and once after')
  })

  test('a trial asks for one page at a time, and for no more after one without an answer', async () => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    fake.state.page = function (this: FakeState, _, path) {
      return this.trial && path.includes('rest_route=') ? { status: 502 } : undefined
    }
    assert.deepEqual((await updated(id, fake)).statuses, ['rolled_back'])
    const asked = fake.requests.filter(({ url }) => url.includes('svc-connector-trial='))
    assert.deepEqual(
      ['rest_route=', 'feed=rss2', '/wp-admin/'].map((part) => asked.some(({ url }) => url.includes(part))),
      [true, false, false],
    )
  })

  test('what takes long to copy is asked for until it is copied', async () => {
    const { id, fake } = await here.site()
    Object.assign(fake.state, { items: [aPlugin('a', { update: anOffer('2.0') })], copySlices: 3 })
    const { statuses, verbs } = await updated(id, fake)
    assert.deepEqual([statuses, verbs.filter((verb) => verb === 'updates.guard').length], [['updated'], 4])
  })

  test('a request of somebody who is gone, at work on the site for longer than is usual, is waited for', async () => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    fake.state.fault = (verb, moment) => {
      if (verb === 'updates.status' && moment === 'after') Object.assign(fake.state, { fault: undefined, update: undefined })
      if (verb !== 'updates.guard' || moment !== 'before' || fake.state.update) return undefined
      const busy = { id: 'a', job: 'job_of_old', fence: 1, type: 'plugin', file: 'b/b.php', phase: 'staging', echo: '', busy: true }
      fake.state.update = { ...busy, marks: new Set(), deadline: Number.POSITIVE_INFINITY, copy: undefined, translations: 0 }
      return undefined
    }
    const { statuses, verbs } = await updated(id, fake)
    assert.deepEqual([statuses, verbs.includes('updates.status')], [['updated'], true])
  })

  test('what the site took back between the last look and the word to keep it is told as taken back', async () => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    fake.state.fault = (verb, moment) => {
      const { update } = fake.state
      if (verb === 'updates.release' && moment === 'before' && update?.phase === 'swapped') takeBack(fake.state, update)
      return undefined
    }
    const { statuses, verbs } = await updated(id, fake)
    assert.deepEqual([statuses, fake.state.items[0]?.version, fake.state.update], [['rolled_back'], '1.0', undefined])
    assert.equal(verbs.filter((verb) => verb === 'updates.release').length, 2)
  })
})
