// What a version may do to a site: each kind is noticed, and taken back.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { FakeDefect } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { UpdateResult } from './schema.ts'

describe('a version that harms its site', { concurrency: 6 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const updated = async (defect: FakeDefect | undefined) => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
    if (defect) fake.state.defects = { 'a/a.php@2.0': defect }
    const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    const [item] = (job.result as UpdateResult).items
    assert.ok(item)
    return { id, fake, item }
  }

  for (const [defect, why] of [
    ['dead', /WordPress does not start/],
    ['front_500', /^The front page answers with 500\.$/],
    ['blank', /^The front page is blank\.$/],
    ['half', /^The front page ends in the middle\.$/],
    ['wordless', /^The front page has lost most of its words\.$/],
    ['hidden', /^The front page is hidden by its own style\.$/],
    ['leads_away', /^The front page leads to “elsewhere\.example”; before it did not\.$/],
    ['admin_500', /^The dashboard in wp-admin answers with 500\.$/],
    ['nobody_in', /^The dashboard in wp-admin lets nobody in any more\.$/],
    ['moved', /^The site takes itself for a copy\.$/],
    ['no_events', /^WP-Cron has no events any more; before it had 3\.$/],
    ['rest_broken', /^The REST API ends in the middle\.$/],
    ['feed_broken', /^The feed ends in the middle\.$/],
    ['search_500', /^The search of the site answers with 500\.$/],
    ['sign_in_500', /^The sign-in answers with 500\.$/],
    ['deactivates', /no longer active/],
    ['renamed', /runs an unknown version, not 2\.0/],
  ] as [FakeDefect, RegExp][])
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

  test('by nothing is kept, and everything that was looked at is told', async () => {
    const { item } = await updated(undefined)
    assert.equal(item.status, 'updated', JSON.stringify(item))
    const pages = item.health?.after?.pages.map(({ page }) => page)
    assert.deepEqual(pages, [
      ...['front', 'login', 'post', 'rest api', 'rss feed', 'xml sitemap', 'site search', 'sign in'],
      ...['wp-admin/index', 'wp-admin/plugins', 'wp-admin/post'],
    ])
  })
})
