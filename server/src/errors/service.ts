import { logEvent } from '../activity/service.ts'
import { SiteError } from '../connector/site-error.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { gapOf } from '../kernel/gaps.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { liveLook } from '../sites/live-look.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context } from '../world.ts'
import { collectErrors } from './collect.ts'
import { findCollection } from './collect-store.ts'
import type { Level } from './schema.ts'
import * as store from './store.ts'

/** `site` is the one of the filter; undefined is the fleet. */
export async function pageOfErrors(
  context: Context,
  site: Site | undefined,
  { limit, cursor, ...rest }: Omit<store.Filter, 'siteId'> & Wanted,
) {
  const filter = { ...rest, siteId: site?.id }
  const [{ items, ...page }, counts] = await Promise.all([
    pageOf(
      { list: 'errors', workspaceId: context.workspaceId, filter },
      { limit, cursor },
      {
        items: (part) => store.listErrors(context, filter, part),
        total: () => store.countErrors(context, filter),
        at: ({ rank, last_seen_at, id }) => [rank, last_seen_at, id],
      },
    ),
    store.countLevels(context, site?.id),
  ])
  const of = (level: Level) => counts.get(level) ?? 0
  const collection = site && (await findCollection(context, site.id))
  const looked = collection ? Number(collection.collected_at !== null) : await store.countCollected(context)
  const sites = site ? 1 : (await context.fleet.all(context.workspaceId)).length
  const open = { fatal: of('fatal'), warning: of('warning'), notice: of('notice'), deprecated: of('deprecated') }
  return {
    errors: items,
    ...page,
    counts: looked + counts.size === 0 ? null : open,
    gaps: gapOf('PHP errors', looked, sites),
    ...(collection ? { collection } : { sites_collected: looked }),
  }
}

export async function readError(context: Context, site: Site, id: string) {
  const found = await store.findError(context, site.id, id)
  if (!found) throw new Problem('not_found', 'There is no such PHP error on this site. get_errors (GET /errors) shows those there are.')
  return found
}

/** Asks the site now. */
export async function collectNow(context: Context, site: Site) {
  mustBePaired(site, 'it cannot be asked for its PHP errors', ['pending'])
  await liveLook(context, site.id, 'errors', async () => {
    try {
      await collectErrors(context, site.id, context.signal ?? context.stopping)
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      throw new Problem(error.code, error.message, { retryable: error.retryable, siteSaid: error.siteSaid, cause: error })
    }
    return null
  })
  return findCollection(context, site.id)
}

/** It was put right; should it be met again, it is open again and people are told. */
export async function resolveError(context: Context, site: Site, id: string) {
  const before = await readError(context, site, id)
  if (before.status === 'resolved') return before
  await decide(context, site, id, { status: 'resolved', muted: null, resolved: { by: asker(context), at: context.now().toISOString() } })
  return readError(context, site, id)
}

/** It is accepted: it counts no more, and nobody is told. */
export async function muteError(context: Context, site: Site, id: string, reason: string) {
  await readError(context, site, id)
  await decide(context, site, id, {
    status: 'muted',
    muted: { reason, by: asker(context), at: context.now().toISOString() },
    resolved: null,
  })
  return readError(context, site, id)
}

export async function reopenError(context: Context, site: Site, id: string) {
  const before = await readError(context, site, id)
  if (before.status !== 'open') await store.writeDecided(context, id, { status: 'open', resolved: null, muted: null })
  return readError(context, site, id)
}

async function decide(context: Context, site: Site, id: string, decided: store.Decided): Promise<void> {
  await store.writeDecided(context, id, decided)
  await logEvent(context, {
    siteId: site.id,
    category: 'fix',
    summary: `A PHP error was ${decided.status}`,
    by: asker(context),
    internal: true,
  })
}
