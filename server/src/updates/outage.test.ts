import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { UpdateResult } from './schema.ts'

describe('an outage after an update', { concurrency: 6 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const aSite = async () => {
    const { id, fake } = await here.site()
    // Where nothing is tried first.
    Object.assign(fake.state, { trials: false, items: [aPlugin('a', { update: anOffer('2.0') })] })
    return { id, fake }
  }
  const update = async (site_id: string) => {
    const job = await here.job(String((await here.call('updates.apply', { site_id })).job_id))
    return (job.result as UpdateResult).items[0]
  }
  const asked = ({ requests }: RunningFakeSite, verb: string) => requests.filter((request) => request.verb === verb).length
  /** Of the front page, which each look asks for. */
  const visits = ({ requests }: RunningFakeSite) => requests.filter(({ method, url }) => method === 'GET' && /^\/(\?|$)/.test(url)).length
  const version = ({ state }: RunningFakeSite) => state.items[0]?.version
  const isNew = (fake: RunningFakeSite) => version(fake) === '2.0'

  const noDatabase = () => ({ status: 500, body: '<h1>Error establishing a database connection</h1>' })
  /** How each begins; it ends when the site behaves again. */
  const outages: Record<string, (fake: RunningFakeSite) => unknown> = {
    'takes no connections': (fake) => fake.misbehave('down'),
    'has no PHP behind its web server': (fake) => fake.misbehave('gateway'),
    'has no database': ({ state }) => Object.assign(state, { page: noDatabase }),
    'answers visitors alone': ({ state }) =>
      Object.assign(state, { fault: (verb: string) => (verb === 'updates.probe' ? 'cut' : undefined) }),
  }
  /** Twice as many as a failure that is the update's own takes to be believed. */
  const manyLooks = 6
  for (const [name, begin] of Object.entries(outages))
    test(`a site that ${name} keeps what it was given, though it is looked at six times meanwhile`, async () => {
      const { id, fake } = await aSite()
      let over: Promise<void> | undefined
      const behave = () => {
        fake.misbehave()
        Object.assign(fake.state, { page: undefined, fault: undefined })
      }
      fake.state.fault = (verb, moment) => {
        if (verb !== 'updates.probe' || moment !== 'after' || !isNew(fake) || over) return undefined
        begin(fake)
        const before = visits(fake)
        over = until(() => visits(fake) >= before + manyLooks).then(behave)
        return undefined
      }
      const item = await update(id)
      assert.ok(over, 'there was one')
      await over
      assert.deepEqual([item?.status, item?.health?.after?.ok, version(fake)], ['updated', true, '2.0'], JSON.stringify(item))
    })

  test('that does not end is taken for the update’s, not before ten seconds, and at some look', async () => {
    const { id, fake } = await aSite()
    fake.state.page = () => (isNew(fake) ? { status: 503 } : undefined)
    const began = performance.now()
    const item = await update(id)
    const seconds = (performance.now() - began) / 1000
    assert.deepEqual([item?.status, item?.reason, version(fake)], ['rolled_back', 'The front page answers with 503.', '1.0'])
    assert.ok(seconds >= 10, `${seconds} s`)
    const most = Math.ceil(30_000 / 1_200) + 4
    assert.ok(asked(fake, 'updates.probe') <= most, 'half a minute, a look and a bit each time, and those around it')
  })

  test('does not hide what the site says of its own death, which is believed at the third look', async () => {
    const { id, fake } = await aSite()
    fake.state.defects = { 'a/a.php@2.0': 'dead' }
    fake.state.page = () => (isNew(fake) ? { status: 503 } : undefined)
    const item = await update(id)
    assert.deepEqual([item?.status, version(fake)], ['rolled_back', '1.0'])
    assert.match(item?.reason ?? '', /WordPress does not start/)
    assert.equal(asked(fake, 'updates.probe'), 3 + 2, 'until it is sure, and after it was taken back')
  })
})
