import { sql } from 'kysely'
import type { z } from 'zod'
import type { AnyOperation, Operation } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import type { Site, SiteId } from './schema.ts'

/** The context of an operation on one site: the site is there, and it is the caller's. */
export type SiteContext = Context & { site: Site }

/** An operation on one site. The handler is given the site, so it never has to ask whose it is. */
export function siteOperation<In extends z.ZodObject<{ site_id: typeof SiteId }>, Out extends z.ZodType>(
  definition: Operation<SiteContext, In, Out>,
): AnyOperation {
  const { ownersOnly, cost, handle } = definition
  return {
    ...definition,
    ...(ownersOnly && { ownersOnly: withSite(ownersOnly) }),
    ...(cost && { cost: { ...cost, takes: withSite(cost.takes) } }),
    handle: withSite(handle),
  } as AnyOperation
}

type Asked<Answer> = (context: SiteContext, input: never) => Answer | Promise<Answer>

const withSite =
  <Answer>(ask: Asked<Answer>) =>
  async (context: Context, input: { site_id: string }): Promise<Answer> => {
    const site = await findSite(context, input.site_id)
    if (context.db.isTransaction) await hold(context, site)
    context.touched.add(site.id)
    return ask({ ...context, site }, { ...input, site_id: site.id } as never)
  }

const missing = () => new Problem('not_found', 'There is no such site in this workspace. list_sites (GET /sites) shows those there are.')

/** A site by id, domain or exact name; a name that several share is an error that lists them. */
export async function findSite({ fleet, workspaceId }: Pick<Context, 'fleet' | 'workspaceId'>, named: string): Promise<Site> {
  if (/^site_[0-9a-z]{26}$/.test(named)) {
    const site = await fleet.one(workspaceId, named)
    if (site) return site
    throw missing()
  }
  const sites = await fleet.all(workspaceId)
  const wanted = named.toLowerCase()
  const found = sites.filter((site) => site.name === named || site.url.toLowerCase() === wanted || domainOf(site) === wanted)
  const [only] = found
  if (!only) throw missing()
  if (found.length === 1) return only
  const candidates = found.slice(0, 20).map(({ id, url }) => `${id} (${url})`)
  throw new Problem('conflict', `${found.length} sites match that name: ${candidates.join(', ')}. Use the id.`, { retryable: false })
}

/** `example.com`, `example.com:8080` or `example.com/blog`, without the scheme. */
const domainOf = (site: Site) =>
  site.url
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase()

/** Keeps the site from being removed until the transaction ends. */
async function hold({ db, workspaceId }: Context, site: Site): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${site.id} FOR KEY SHARE`.execute(db)
  if (rows.length === 0) throw missing()
}
