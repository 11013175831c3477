import { logEvent } from '../activity/service.ts'
import { startJob } from '../jobs/service.ts'
import { isUnderWay } from '../jobs/store.ts'
import type { SiteDuty } from '../kernel/capability.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { gapOf } from '../kernel/gaps.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { firstTurn, nextOfDays } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import type { Site } from '../sites/schema.ts'
import { countSites, holdSite } from '../sites/store.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context, World } from '../world.ts'
import { type BrokenLink, type Scan, scan } from './schema.ts'
import * as store from './store.ts'

const usualPages = 500
const everyDays = 7
const firstMs = 60 * 60_000
const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const

/** `site` is the one of the filter; undefined is the fleet. */
export async function pageOfLinks(
  context: Context,
  site: Site | undefined,
  { limit, cursor, ...rest }: Omit<store.Filter, 'siteId'> & Wanted,
) {
  const filter = { ...rest, siteId: site?.id }
  const [{ items, ...page }, counts] = await Promise.all([
    pageOf(
      { list: 'links', workspaceId: context.workspaceId, filter },
      { limit, cursor },
      {
        items: (part) => store.listLinks(context, filter, part),
        total: () => store.countLinks(context, filter),
        at: ({ rank, id }) => [rank, id],
      },
    ),
    store.countConfidences(context, site?.id),
  ])
  const of = (confidence: BrokenLink['confidence']) => counts.get(confidence) ?? 0
  const scan = site && scanOf(await store.lastScan(context, site.id))
  const looked = site ? Number(scan !== null) : await store.countScanned(context)
  const sites = site ? 1 : (await context.fleet.all(context.workspaceId)).length
  return {
    links: items.map(linkOf),
    ...page,
    counts: looked + counts.size === 0 ? null : { broken: of('broken'), suspect: of('suspect'), blocked: of('blocked') },
    gaps: gapOf('broken links', looked, sites),
    ...(site ? { scan: scan ?? null } : { sites_scanned: looked }),
  }
}

function linkOf({ rank: _, stands, first_seen_at, last_checked_at, well_since, ...link }: store.LinkRow): BrokenLink {
  const { page = '', text = '', element = '' } = stands[0] ?? {}
  return {
    ...link,
    ...{ source_url: page, anchor_text: text, element },
    first_seen_at: first_seen_at.toISOString(),
    last_checked_at: last_checked_at.toISOString(),
    well_since: well_since?.toISOString() ?? null,
  }
}

const scanOf = (row: store.ScanRow | undefined): Scan | null =>
  row ? { ...row, started_at: row.started_at.toISOString(), completed_at: row.completed_at?.toISOString() ?? null } : null

export async function readLink(context: Context, site: Site, id: string) {
  const row = await store.findLink(context, site.id, id)
  if (!row) throw new Problem('not_found', 'There is no such link on this site. get_broken_links (GET /links) shows those there are.')
  return { ...linkOf(row), stands: row.stands }
}

/** Starts a scan of one site; not where one is under way. */
export async function startScan(context: Context, site: Pick<Site, 'id' | 'status'>, pages = usualPages) {
  mustBePaired(site, 'its links cannot be looked at', ['pending'])
  if (await isUnderWay(context, site.id, scan))
    throw new Problem('conflict', 'A scan of this site is under way. list_jobs (GET /jobs) shows it.', { retryable: true })
  return startJob(context, scan, site.id, { max_pages: pages })
}

export async function ignoreLink(context: Context, site: Site, id: string, reason: string | null) {
  const before = await readLink(context, site, id)
  if (reason === null && before.well_since !== null) {
    await store.deleteLink(context, id)
    return { ...before, ignored: null }
  }
  const ignored = reason === null ? null : { reason, by: asker(context), at: context.now().toISOString() }
  await store.writeIgnored(context, id, ignored)
  if (reason !== null && before.ignored === null)
    await logEvent(context, {
      siteId: site.id,
      category: 'other',
      summary: 'A broken link was accepted',
      by: asker(context),
      internal: true,
    })
  return readLink(context, site, id)
}

/** Each site once a week, at its own time; a new one in an hour, or one of many in the course of the day. */
export const weeklyScan: SiteDuty<World>['ofSite'] = {
  first: async (here, siteId) => firstTurn(`links ${siteId}`, { soonMs: firstMs, sites: await countSites(here) }, here.now()),
  async run(here, siteId) {
    const site = here.config.linkChecks === 'off' ? undefined : await holdSite(here, siteId)
    const isThere = site?.status === 'connected' || site?.status === 'unreachable'
    if (isThere && !(await isUnderWay(here, siteId, scan))) await startScan(systemCall(here, by), site)
    return nextOfDays(everyDays, `links ${siteId}`, here.now())
  },
}
