// What happened to the fleet before anybody asks: backups, updates, what people did in wp-admin, errors.
import assert from 'node:assert/strict'
import { compareWithFeed } from '../../server/src/security/feed.ts'
import { Sweep } from '../../server/src/uptime/sweep.ts'
import { refreshFeed } from '../../server/src/vulnerabilities/refresh.ts'
import { meet } from '../../server/test/fake-errors.ts'
import { startFeedHost, wordfenceFeed, wordfenceRecord } from '../../server/test/fake-feed.ts'
import { showPages } from '../../server/test/fake-pages.ts'
import { asked, frontPage, handover, longAgo, measured, nightly, ofClient, one, scanned } from './numbers.ts'
import { dayMs, type Planted } from './place.ts'

type Place = Pick<Planted, 'here' | 'site' | 'agent' | 'yesterday'>

export async function liveThrough(place: Place, today: Date): Promise<void> {
  const { here, yesterday } = place
  const moveTo = (time: number) => here.clock.add(time - here.world.now().getTime())
  await here.call('schedules.set_default', { enabled: true, type: 'db', at: '02:00' })
  await here.call('schedules.set', { site_id: place.site(one.unscheduled).id, enabled: false })
  await longBefore(place)
  moveTo(today.getTime() - 3 * dayMs)
  await thisWeek(place)
  moveTo(Date.parse(`${yesterday}T09:00:00Z`))
  await theDayBefore(place)
  await watch(place, moveTo)
  await comesToLight(place)
  await look(place)
}

const done = async ({ here }: Place, started: Record<string, unknown>) => {
  const job = await here.job(String(started.job_id))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return job
}
const idsOf = ({ site }: Place, numbers: readonly number[]) => numbers.map((n) => site(n).id)

/** Of the time before the update, and met since too. */
const older = { level: 'warning', message: 'Undefined variable $price', file: 'wp-content/plugins/garden/garden.php' } as const
const fatal = { count: 7, message: 'Uncaught Error: Call to undefined function sow()', file: 'wp-content/plugins/seeds/seeds.php' }

async function longBefore(place: Place): Promise<void> {
  const { here, site } = place
  await done(place, await here.call('backups.create', { site_ids: idsOf(place, longAgo), type: 'db' }))
  await here.call('activity.log', { site_id: site(one.eventful).id, summary: 'Moved the shop to the new host' })
}

async function thisWeek(place: Place): Promise<void> {
  const { here, site, agent } = place
  const robot = await agent('robot')
  meet(site(one.erring).fake, { ...older, count: 40 })
  await here.call('errors.collect', { site_id: site(one.erring).id })
  for (const n of [one.eventful, ofClient[0]]) {
    const { structuredContent } = await robot.call('update_site', { site_id: site(n).id, plugins: ['seeds'] })
    await done(place, structuredContent ?? {})
  }
  const { id, fake } = site(one.eventful)
  for (const item of fake.state.items) if (item.slug === 'garden') item.active = false
  await here.call('inventory.get', { site_id: id, refresh: true })
  await here.call('activity.log', { site_id: id, summary: 'Answered the client about the shop', performed_by: 'Mia' })
}

async function theDayBefore(place: Place): Promise<void> {
  const { here, site, agent } = place
  const night = await agent('night watch')
  await done(place, (await night.call('create_backup', { site_ids: idsOf(place, nightly), type: 'db' })).structuredContent ?? {})
  const robot = await agent('robot two')
  for (const n of [one.takenBack, one.erring])
    await done(place, (await robot.call('update_site', { site_id: site(n).id, plugins: ['seeds'] })).structuredContent ?? {})
  for (const { n, ...told } of handover) await here.call('activity.log', { site_id: site(n).id, ...told, performed_by: 'Mia' })
}

/** Every site has its turn, is up, and a minute later one of them is not; then it is today. */
async function watch({ here, site }: Place, moveTo: (time: number) => void): Promise<void> {
  const sweep = new Sweep(here.world, [0, 0])
  const look = async (agoMs: number) => {
    moveTo(Date.now() - agoMs)
    await sweep.pass()
    await sweep.finish()
  }
  await look(180_000)
  await look(90_000)
  site(one.down).fake.state.page = (_, path) => (path === '/' ? { status: 500, body: 'Error' } : undefined)
  await look(0)
}

async function comesToLight(place: Place): Promise<void> {
  const { here, site } = place
  const { id, fake } = site(one.erring)
  meet(fake, { ...fatal, component: { type: 'plugin', slug: 'seeds' } })
  meet(fake, { ...older, count: 2 })
  await here.call('errors.collect', { site_id: id })
  await done(place, await here.call('tweaks.apply', { site_id: site(one.protected).id, tweak_ids: ['xmlrpc_off'] }))
}

/** What the service looks at by itself in time, of some of the client's sites. */
async function look(place: Place): Promise<void> {
  const { here, site } = place
  for (const n of measured) showPages(site(n).fake.state, { '/': { status: 200, body: frontPage } })
  for (const { id } of measured.map(site)) await done(place, await here.call('performance.measure', { site_id: id }))
  for (const { id } of scanned.map(site)) await done(place, await here.call('links.scan', { site_id: id }))
  meet(site(ofClient[0]).fake, { ...older, count: 3 })
  for (const { id } of asked.map(site)) await here.call('errors.collect', { site_id: id })
}

/** From now on known vulnerabilities are looked for. */
export async function learnOfVulnerabilities({ here }: Pick<Planted, 'here'>): Promise<void> {
  const host = await startFeedHost()
  host.answers((_, response) => void response.writeHead(200).end(wordfenceFeed(wordfenceRecord('garden-xss'))))
  const { config } = here.world
  const vulnerabilityFeed = { sources: [{ kind: 'url' as const, address: host.url }], header: undefined }
  await refreshFeed({ ...here.world, config: { ...config, vulnerabilityFeed } })
  await compareWithFeed(here.world)
  host.close()
}
