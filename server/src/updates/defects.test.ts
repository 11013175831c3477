// What a version may do to a site: each kind is noticed, and taken back.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEFECTS, updatedWith } from '../../test/defects.ts'
import type { FakeDefect } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

describe('a version that harms its site', { concurrency: 6 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const updated = (defect: FakeDefect | undefined) => updatedWith(here, defect, { trials: false })

  for (const [defect, why] of DEFECTS)
    test(`by making it ${defect} is taken back`, async () => {
      const { id, fake, item } = await updated(defect)
      const { status, health, reason, site_said } = item
      const [{ version, active } = {}] = fake.state.items
      assert.deepEqual([status, version, active, fake.state.update], ['rolled_back', '1.0', true, undefined], JSON.stringify(item))
      assert.deepEqual([health?.before?.ok, health?.after?.ok], [true, true])
      assert.match([reason, site_said?.text].filter(Boolean).join(' '), why)
      const { activity } = (await here.call('activity.list', { site_id: id, category: 'update' })) as { activity: { summary: string }[] }
      assert.match(activity[0]?.summary ?? '', /^The update of “a” to 2\.0 was taken back because /)
    })

  test('is seen though the only look before it had bad luck', async () => {
    const met: string[] = []
    const page = (_: string, path: string, __: string, ours?: boolean) => {
      if (!ours || path.split('?')[0] !== '/' || met.length > 0) return undefined
      met.push(path)
      return { status: 508, body: 'Resource limit is reached' }
    }
    const { item } = await updatedWith(here, 'front_500', { trials: false, page })
    assert.deepEqual([met.length, item.status, item.reason], [1, 'rolled_back', 'The front page answers with 500.'])
  })

  test('by nothing is kept, and everything that was looked at is told', async () => {
    const { item } = await updated(undefined)
    assert.equal(item.status, 'updated', JSON.stringify(item))
    const pages = item.health?.after?.pages.map(({ page }) => page)
    assert.deepEqual(pages, [
      ...['front', 'login', 'post', 'rest api', 'rest api by its address', 'rest api root', 'rss feed', 'xml sitemap'],
      // The other sitemap was not there before.
      ...['sitemap by its address', 'site search', 'wp cron', 'sign in'],
      ...['wp-admin/index', 'wp-admin/plugins', 'rest api for editors', 'wp-admin/post'],
    ])
  })
})
