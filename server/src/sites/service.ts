import { call } from '../connector/call.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { liveLook } from './live-look.ts'
import type { Ping, Site } from './schema.ts'
import { deleteSite } from './store.ts'
import { talk } from './talk.ts'

interface Wanted {
  q?: string | undefined
  tag?: string | undefined
  status?: Site['status'] | undefined
  has_updates?: boolean | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** The sites of the workspace, oldest first; all of them unless a limit is given. */
export async function listFleet(context: Context, wanted: Wanted) {
  const { limit, ...filters } = wanted
  const { cursor } = filters
  if (Object.values(filters).every((value) => value === undefined))
    return (await context.fleet.sealedList(context.workspaceId, limit)) as never
  const sites = await context.fleet.all(context.workspaceId)
  const found = sites.filter((site) => matches(site, wanted))
  const from = cursor === undefined ? 0 : found.findIndex((site) => site.id === cursor) + 1
  if (cursor !== undefined && from === 0)
    throw new Problem('invalid_payload', 'Some fields are not valid.', {
      errors: [{ path: 'cursor', message: 'Not a cursor of this list.' }],
    })
  const shown = limit === undefined ? found.slice(from) : found.slice(from, from + limit)
  const more = from + shown.length < found.length
  return { sites: shown, total: found.length, limit: limit ?? null, next_cursor: more ? (shown.at(-1)?.id ?? null) : null }
}

function matches(site: Site, { q, tag, status, has_updates }: Wanted): boolean {
  const { core, plugins, themes } = site.updates_available
  const text = q?.toLowerCase()
  return (
    (text === undefined || site.name.toLowerCase().includes(text) || site.url.toLowerCase().includes(text)) &&
    (tag === undefined || site.tags.includes(tag)) &&
    (status === undefined || site.status === status) &&
    (has_updates === undefined || core + plugins + themes > 0 === has_updates)
  )
}

/** A signed sign of life, of now or of the last minute. What stands in the way is a Problem that names it. */
export const pingSite = (context: Context, site: Site): Promise<Ping> => liveLook(context, site.id, 'ping', () => ping(context, site))

async function ping(context: Context, site: Site): Promise<Ping> {
  const { result, latencyMs, door, skewSeconds } = await talk(
    context,
    site,
    (deps, connection, options) => call(deps, connection, 'ping', {}, options),
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
      'The site answers as a copy of the one that was paired. Pair the copy as a site of its own from its WordPress admin.',
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

/** Tells the connector to forget us where it can be reached, and forgets the site. */
export async function disconnectSite(context: Context, site: Site) {
  const told = await talk(context, site, (deps, connection, options) => call(deps, connection, 'disconnect', {}, options)).then(
    () => true,
    () => false,
  )
  await deleteSite(context, site.id)
  return { id: site.id, connector_told: told }
}
