import { call } from '../connector/call.ts'
import { pageOf } from '../kernel/cursor.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { without } from './chosen.ts'
import { countsOf } from './counts.ts'
import { keepFirstHello, sayFirstHello } from './first-hello.ts'
import { answerOfSites, listingOf, placeOf } from './fleet.ts'
import { labelsListed } from './labels.ts'
import { liveLook } from './live-look.ts'
import type { KnownLabels, Labels, Ping, Site } from './schema.ts'
import { missing } from './site-operation.ts'
import { deleteSite, writeLabels } from './store.ts'
import { type Talker, talk } from './talk.ts'

interface Wanted {
  tag?: string | undefined
  client?: string | undefined
  except?: string[] | undefined
  limit?: number | undefined
  cursor?: string | undefined
  [filter: string]: unknown
}

/** The sites of the workspace, oldest first; all of them unless a limit is given. */
export async function listFleet(context: Context, wanted: Wanted) {
  const { limit, cursor, ...filter } = wanted
  const { fleet, workspaceId } = context
  if (cursor === undefined && Object.values(filter).every((value) => value === undefined)) return fleet.cachedList(workspaceId, limit)
  const { except, ...rest } = filter
  const asked = { ...rest, ...(await labelsListed(context, rest)) }
  const { found, unknown } = fleet.narrowed(await without(context, await fleet.all(workspaceId), except, 'read'), asked)
  const page = await pageOf(listingOf(workspaceId, filter), wanted, {
    items: async ({ limit, after: [last = ''] = [] }) => found.filter(({ id }) => id > String(last)).slice(0, limit),
    total: () => found.length,
    at: placeOf,
  })
  return answerOfSites(page, { counts: countsOf(found), unknown })
}

/** What people say of a site. A change of nothing answers what holds. */
export async function setLabels(context: Context, site: Site, labels: Labels): Promise<KnownLabels> {
  const written = await writeLabels(context, site.id, labels)
  if (!written) throw missing()
  return written
}

/** A signed sign of life, of now or of the last minute; of a site that was only just paired, its first hello before. What stands in the way is a Problem that names it. */
export const pingSite = (context: Context, site: Site): Promise<Ping> => liveLook(context, site.id, 'ping', () => ping(context, site))

async function ping(context: Context, site: Site): Promise<Ping> {
  if (site.status === 'pending') await keepFirstHello(context, site.id, await sayFirstHello(context, site))
  const { result, latencyMs, door, skewSeconds } = await talk(
    context,
    site,
    (deps, connection, options) => call(deps, connection, { verb: 'ping', params: {} }, options),
    ({ result: { connector_version, wp_version, php_version, clone } }) => ({
      connector_version,
      wp_version,
      php_version,
      ...(clone && { status: 'clone_detected' as const }),
    }),
  )
  const { connector_version, wp_version, php_version, maintenance_mode } = result
  if (result.clone)
    throw new Problem(
      'site_refused',
      'The site answers as a copy of the one that was paired. If it is the site itself, moved, pair it anew with a code made for it (site code --site); otherwise pair the copy as a site of its own.',
    )
  const checked_at = context.now().toISOString()
  return {
    ok: true,
    latency_ms: Math.round(latencyMs),
    connector_version,
    wp_version,
    php_version,
    maintenance_mode,
    clock_skew_s: skewSeconds,
    door,
    checked_at,
  }
}

/** Tells the connector to forget us; false: it could not be reached. */
export const sayGoodbye = (talker: Talker, site: Pick<Site, 'id' | 'status'>): Promise<boolean> =>
  talk(talker, site, (deps, connection, options) => call(deps, connection, { verb: 'disconnect', params: {} }, options)).then(
    () => true,
    () => false,
  )

/** Tells the connector to forget us where it can be reached, and forgets the site. */
export async function disconnectSite(context: Context, site: Site) {
  const reached = await sayGoodbye(context, site)
  await deleteSite(context, site.id)
  return { id: site.id, connector_told: reached }
}
