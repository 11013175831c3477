// What a version may do to a fake site, and what is said of it.
import assert from 'node:assert/strict'
import type { UpdateResult } from '../src/updates/schema.ts'
import { anOffer, aPlugin } from './fake-items.ts'
import type { RunningFakeSite } from './fake-site.ts'
import type { FakeDefect, FakeState } from './fake-state.ts'
import type { TestWorld } from './world.ts'

export const DEFECTS: [FakeDefect, RegExp][] = [
  ['dead', /WordPress does not start/],
  ['front_500', /^The front page answers with 500\.$/],
  ['blank', /^The front page is blank\.$/],
  ['half', /^The front page ends in the middle\.$/],
  ['wordless', /^The front page has lost most of its words\.$/],
  ['hidden', /^The front page is hidden by its own style\.$/],
  ['leads_away', /^The front page leads to “elsewhere\.example”; before it did not\.$/],
  ['astray', /^A page of type “post” leads to the front page; before it did not\.$/],
  ['switches_off', /^It switches “b” off; where that is meant, “b” is to be switched off before it is updated\.$/],
  ['loses_events', /^WP-Cron has lost 2 events of others\. rotate_roses, water_tulips$/],
  ['admin_500', /^The dashboard in wp-admin answers with 500\.$/],
  ['nobody_in', /^The dashboard in wp-admin lets nobody in any more\.$/],
  ['moved', /^The site takes itself for a copy\.$/],
  ['no_events', /^WP-Cron has no events any more; before it had 3\.$/],
  ['rest_broken', /^The REST API ends in the middle\.$/],
  ['rest_moved', /^The REST API below \/wp-json\/ answers with 404; before it was 200\.$/],
  ['rest_editors_500', /^The REST API for editors answers with 500\.$/],
  ['cron_500', /^A start as WP-Cron answers with 500\.$/],
  ['feed_broken', /^The feed ends in the middle\.$/],
  ['search_500', /^The search of the site answers with 500\.$/],
  ['sign_in_500', /^The sign-in answers with 500\.$/],
  ['deactivates', /no longer active/],
  ['renamed', /runs an unknown version, not 2\.0/],
]

/** Updates one plugin, whose next version does that, on a new site. */
export async function updatedWith(
  here: TestWorld,
  defect: FakeDefect | undefined,
  state: Partial<FakeState> | ((fake: RunningFakeSite) => Partial<FakeState>) = {},
) {
  const { id, fake } = await here.site()
  Object.assign(fake.state, typeof state === 'function' ? state(fake) : state)
  fake.state.items = [aPlugin('a', { update: anOffer('2.0') })]
  if (defect) fake.state.defects = { 'a/a.php@2.0': defect }
  const job = await here.job(String((await here.call('updates.apply', { site_id: id })).job_id))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const [item] = (job.result as UpdateResult).items
  assert.ok(item)
  return { id, fake, item }
}
