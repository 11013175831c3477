// A site that now sends visitors to https, or from example.com to www.example.com, is the same site.
import { logEvent } from '../activity/service.ts'
import { probe } from '../connector/ask.ts'
import { SiteError } from '../connector/site-error.ts'
import type { SiteDuty } from '../kernel/capability.ts'
import type { JobKind, Running } from '../kernel/job.ts'
import { bareDomain, domainOf, plainUrl } from '../sites/address.ts'
import { type FirstHello, keepFirstHello, sayFirstHello } from '../sites/first-hello.ts'
import { connectionOf, type Target, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { startForSite } from './service.ts'
import { holdSites, isRedirected } from './store.ts'

export const followMove: JobKind<World, Record<string, unknown>, { url: string; moved: boolean }> = {
  ...{ type: 'follow_move', retries: 0, changesSite: false },
  work: follow,
  summarize: ({ moved }) => ({
    outcome: 'done',
    summary: moved ? 'The site has moved, and is asked at its new address.' : 'The site has not moved.',
  }),
}

const hourMs = 3_600_000

/** Looks once an hour whether the site was last met with a redirect. */
export const lookForMoves: SiteDuty<World>['ofSite'] = {
  first: async (here) => new Date(here.now().getTime() + hourMs),
  async run(here, siteId) {
    if (await isRedirected(here, siteId)) await startForSite(here, siteId, followMove, {})
    return new Date(here.now().getTime() + hourMs)
  },
}

async function follow(world: World, job: Running) {
  const here = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(here, job.siteId)
  await job.phase('hello')
  const to = await movedTo(here, site)
  if (to === null) return { url: site.url, moved: false }
  const hello = await sayFirstHello(here, site, to)
  const moved = await world.db.transaction().execute((db) => settle({ ...here, db }, job, site, hello))
  world.changed(job.workspaceId, [site.id])
  return { url: moved ? hello.url : site.url, moved }
}

/** False: another site of the workspace has that address. */
async function settle(here: Here, job: Running, { id, url }: Target, hello: FirstHello): Promise<boolean> {
  const there = (await holdSites(here)).some((other) => other.id !== id && domainOf(other.url) === domainOf(hello.url))
  const words = there
    ? { summary: 'The site sends us to the address of another site', notes: `It is at ${url}, and sends us to ${hello.url}.` }
    : { summary: 'The site has moved', notes: `Address: ${hello.url}, visitors: ${hello.home}. Before: ${url}.` }
  if (!there) await keepFirstHello(here, id, hello)
  await logEvent(here, { siteId: id, category: 'other', ...words, jobId: job.id, by: job.requestedBy, internal: true })
  return !there
}

/** Where WordPress is now; null where nothing says so that may be followed. */
async function movedTo(here: Here, site: Target): Promise<string | null> {
  const connection = await connectionOf(here, site)
  try {
    await probe(here.wire, connection)
    return null
  } catch (error) {
    if (!(error instanceof SiteError)) throw error
    return error.reason === 'redirect' && error.location ? followed(connection, error.location) : null
  }
}

/** The same host with or without `www.`, and never from https to http: whoever can redirect may not lead us elsewhere. */
export function followed({ url, home }: { url: string; home: string }, location: string): string | null {
  const to = URL.parse(location, home)
  const from = new URL(home)
  const isSame =
    to !== null &&
    bareDomain(to.hostname) === bareDomain(from.hostname) &&
    (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:'))
  if (!isSame || to.origin === from.origin) return null
  const wordpress = new URL(url)
  return wordpress.origin === from.origin ? plainUrl(`${to.origin}${wordpress.pathname}`) : null
}
