import { sql } from 'kysely'
import type { Site } from '../src/sites/schema.ts'
import type { RunningFakeSite } from './fake-site.ts'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

/** What becomes of sites whose first hello may come or not, in the world that `here` gives. */
export function watchSites(here: () => TestWorld) {
  const siteOf = async (id: string) => (await here().call('sites.get', { site_id: id })) as Site
  const siteOnce = (id: string, is: (site: Site) => boolean) =>
    until(async () => {
      const site = await siteOf(id)
      return is(site) && site
    })
  return {
    siteOf,
    connected: (id: string) => siteOnce(id, ({ status }) => status === 'connected'),
    refusedHello: (id: string) => siteOnce(id, ({ connection }) => connection.last_error !== null),
    setStatus: (id: string, status: string) => sql`UPDATE sites SET status = ${status} WHERE id = ${id}`.execute(here().world.db),
  }
}

/** What a site was asked. */
export const verbsOf = ({ requests }: RunningFakeSite) => requests.map(({ verb }) => verb).filter((verb) => verb !== '')
