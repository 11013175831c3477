// A fleet of 300 as an agency has it, with a past of nine days: two real WordPress sites, and 298 that speak the real protocol.
import assert from 'node:assert/strict'
import { domainOf } from '../../server/src/sites/address.ts'
import { type FakeFleet, startFakeFleet } from '../../server/test/fake-fleet.ts'
import type { FakeSite } from '../../server/test/fake-site.ts'
import { agentOf } from '../../server/test/mcp-agent.ts'
import { until } from '../../server/test/until.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { client, furnish, ofClient, ofFakes, shops, silent, staging } from './numbers.ts'
import { liveThrough } from './past.ts'
import { dayMs, type Managed, type Planted } from './place.ts'
import { liveToday, startReal } from './real.ts'

const daysBack = 9
/** An agency does not connect three hundred sites in one moment. */
const atOnce = 10

export async function plant(): Promise<Planted> {
  const here = await aWorld()
  const today = here.world.now()
  here.clock.add(-daysBack * dayMs)
  const fleet = await startFakeFleet(ofFakes, { now: () => here.world.now() })
  const starting = startReal(here)
  const sites = await pairAll(here, fleet)
  const agent = async (name: string) => agentOf(here, String((await here.call('tokens.create', { name, scope: 'write' })).token))
  const planted = {
    ...{ here, agent },
    yesterday: new Date(today.getTime() - dayMs).toISOString().slice(0, 10),
    site: (n: number) => sites[n - 1] ?? assert.fail(`There is no site ${n}.`),
  }
  await liveThrough(planted, today)
  const real = await starting
  for (const each of real.sites) await each.pair()
  await liveToday(here, real.sites)
  return {
    ...planted,
    real: real.sites,
    async close() {
      await real.stop()
      await here.close()
      await fleet.stop()
    },
  }
}

async function pairAll(here: TestWorld, fleet: FakeFleet): Promise<Managed[]> {
  const sites: Managed[] = []
  const waiting = fleet.sites.entries()
  const one = async () => {
    for (const [index, fake] of waiting) sites[index] = await pair(here, fake, index + 1)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  const connected = async () => ((await here.call('sites.list', { status: 'connected', limit: 1 })) as { total: number }).total
  await until(async () => (await connected()) === ofFakes - silent.length)
  return sites
}

async function pair(here: TestWorld, fake: FakeSite, n: number): Promise<Managed> {
  furnish(fake, n)
  const { code } = (await here.call('pairing.create_code')) as { code: string }
  if (silent.includes(n)) fake.misbehave('down')
  const { siteId } = await fake.enrol(here.url, code)
  const tags = [...(shops.includes(n) ? ['shops'] : []), ...(staging.includes(n) ? ['staging'] : [])]
  const labels = { ...(tags.length > 0 && { tags }), ...(ofClient.includes(n) && { client }) }
  if (Object.keys(labels).length > 0) await here.call('sites.set', { site_id: siteId, ...labels })
  return { id: siteId, url: fake.url, domain: domainOf(fake.url), fake }
}
