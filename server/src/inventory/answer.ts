// What is asked of an inventory: of one site what it has, of the fleet who has what.
import { pageOf } from '../kernel/cursor.ts'
import { wrongField } from '../kernel/problem.ts'
import { compareVersions, parseVersion } from '../kernel/version.ts'
import { domainOf } from '../sites/address.ts'
import type { Site } from '../sites/schema.ts'
import { readFeedBrief } from '../vulnerabilities/service.ts'
import type { Context } from '../world.ts'
import { unheard } from './heard.ts'
import type { InventoryItem } from './schema.ts'
import { readInventory, withVulnerabilities } from './service.ts'
import { type Named, namedLike, readKinds, readRows, whenCollected } from './store.ts'
import { halfOf, thingsOf } from './things.ts'

interface Filter {
  slug?: string | undefined
  version_below?: string | undefined
  has_update?: boolean | undefined
}
interface Wanted {
  filter: Filter
  limit?: number | undefined
  cursor?: string | undefined
}
interface How {
  refresh: boolean
  cached: boolean
}

/** Of the fleet, where nobody says how many. */
const mostRows = 1000
const mostFound = 25

export async function inventoryOfSite(context: Context, site: Site, how: How, { filter, ...page }: Wanted) {
  mustNameWhatIsOlder(filter)
  const inventory = await readInventory(context, site, how)
  const never = inventory.updates_checked_at === null
  const all = inventory.items
    .filter((item) => isMeant(item, filter) && !(never && filter.has_update === false))
    .map((item) => ({ ...item, site_id: site.id, site: domainOf(site.url) }))
  const listing = { list: 'items', workspaceId: context.workspaceId, filter: { ...filter, siteId: site.id } }
  const { total, ...rest } = await pageOf(listing, page, {
    items: async ({ limit, after }) =>
      all.slice(all.findIndex((item) => after && placeOf(item).join() === after.join()) + 1).slice(0, limit),
    total: () => all.length,
    at: (item) => placeOf(item),
  })
  const live_error = inventory.live_error ?? (never || (how.refresh && inventory.live) ? unheard(inventory) : null)
  return { ...inventory, live_error, ...noFleet, total, ...rest }
}

const noFleet = { sites: null, unknown: null, found: null, found_total: null }
const placeOf = ({ type, file }: Pick<InventoryItem, 'type' | 'file'>) => [type, file]

/** As it was last read of each site; nobody is asked. */
export async function inventoryOfFleet(context: Context, { refresh }: How, { filter, limit = mostRows, cursor }: Wanted) {
  if (refresh) throw wrongField('refresh', 'Only with site_id: a fleet is not asked, what was last read of each site is told.')
  mustNameWhatIsOlder(filter)
  const { slug } = filter
  const [kinds, read, feed] = await Promise.all([
    readKinds(context, slug, filter.has_update),
    whenCollected(context),
    readFeedBrief(context),
  ])
  const meant = kinds.filter((kind) => isMeant({ ...kind, update: kind.with_update > 0 ? {} : null }, { ...filter, has_update: undefined }))
  // It matters only to who asks for updates.
  const never = filter.has_update === undefined ? 0 : read.unheard
  const counted = halfOf(meant, filter.has_update)
  const found = thingsOf(counted)
  const listing = { list: 'items', workspaceId: context.workspaceId, filter }
  const versions = filter.version_below === undefined ? undefined : meant.map(({ version }) => version)
  const { items, ...page } = await pageOf(
    listing,
    { limit, cursor },
    {
      items: (part) => readRows(context, { slug, versions, has_update: filter.has_update }, part),
      total: () => counted.reduce((sum, { sites }) => sum + sites, 0),
      at: ({ type, slug, site_id, file }) => [type, slug, site_id, file],
    },
  )
  return {
    ...{ site_id: null, collected_at: read.collected, updates_checked_at: read.heard, live: false, live_error: null, site_said: null },
    ...{ vulnerability_feed: feed, translations: null, sites: read.sites - never, unknown: read.none + never },
    ...{ found: found.slice(0, mostFound), found_total: found.length },
    ...page,
    items: (await withVulnerabilities(context, items)).map(({ url, ...item }) => ({ ...item, site: domainOf(url) })),
  }
}

function isMeant(item: Named & { version: string; update: object | null }, { slug, version_below, has_update }: Filter): boolean {
  return (
    (slug === undefined || namedLike(item, slug)) &&
    (version_below === undefined || compareVersions(parseVersion(item.version), parseVersion(version_below)) < 0) &&
    (has_update === undefined || (item.update !== null) === has_update)
  )
}

function mustNameWhatIsOlder({ slug, version_below }: Filter): void {
  if (version_below !== undefined && slug === undefined) throw wrongField('slug', 'Name what is to be older than version_below.')
}
