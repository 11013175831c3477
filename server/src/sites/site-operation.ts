import type { z } from 'zod'
import { type AnyOperation, type Effect, isRead, type Operation } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { bareDomain, domainOf, typedDomain } from './address.ts'
import { folded, likelyMeant } from './near.ts'
import type { Site, SiteId } from './schema.ts'
import { holdSite } from './store.ts'

/** The context of an operation on one site: the site is there, and it is the caller's. */
export type SiteContext = Context & { site: Site }

/** An operation on one site. The handler is given the site, so it never has to ask whose it is. */
export function siteOperation<In extends z.ZodObject<{ site_id: typeof SiteId }>, Out extends z.ZodType>(
  definition: Operation<SiteContext, In, Out>,
): AnyOperation {
  const { ownersOnly, cost, handle, effect } = definition
  return {
    ...definition,
    ...(ownersOnly && { ownersOnly: withSite(ownersOnly, effect) }),
    ...(cost && { cost: { ...cost, takes: withSite(cost.takes, effect) } }),
    handle: withSite(handle, effect),
  } as AnyOperation
}

/** An operation that a site narrows: the handler is given that site, or none when none is named. */
export function siteFilterOperation<In extends z.ZodObject<{ site_id: z.ZodOptional<typeof SiteId> }>, Out extends z.ZodType>(
  definition: Operation<Context & { site: Site | undefined }, In, Out>,
): AnyOperation {
  const handle = async (context: Context, input: z.output<In>) => {
    const named = input.site_id as string | undefined
    const given = isRead(definition) ? findSite : siteFor
    const site = named === undefined ? undefined : await given(context, named, definition.effect)
    return definition.handle({ ...context, site }, input)
  }
  return { ...definition, handle } as AnyOperation
}

const withSite =
  <Input extends { site_id: string }, Answer>(ask: (context: SiteContext, input: Input) => Answer | Promise<Answer>, effect: Effect) =>
  async (context: Context, input: Input): Promise<Answer> => {
    const site = await siteFor(context, input.site_id, effect)
    return ask({ ...context, site }, { ...input, site_id: site.id })
  }

/** The site a call is about; it stays until the transaction of a write ends. */
async function siteFor(context: Context, named: string, effect: Effect): Promise<Site> {
  const site = await findSite(context, named, effect)
  if (context.db.isTransaction && !(await holdSite(context, site.id))) throw missing()
  context.touched.add(site.id)
  return site
}

export const missing = (meant: readonly string[] = []) =>
  new Problem(
    'not_found',
    `There is no such site in this workspace. ${meant.length > 0 ? `Did you mean ${meant.join(' or ')}? ` : ''}list_sites (GET /sites) shows those there are; a change takes an id or a domain.`,
  )

type Seen = Pick<Context, 'fleet' | 'workspaceId'>

/** A site by id or domain; at once where memory has it. */
export function findSite(seen: Seen, named: string, effect: Effect): Site | Promise<Site> {
  if (!/^site_[0-9a-z]{26}$/.test(named)) return findNamed(seen, named, effect)
  const found = seen.fleet.one(seen.workspaceId, named)
  return found instanceof Promise ? found.then(orMissing) : orMissing(found)
}

function orMissing(site: Site | undefined): Site {
  if (!site) throw missing()
  return site
}

/** A site gives itself its name, so that leads only to what is read, and never past a domain there is. */
async function findNamed({ fleet, workspaceId }: Seen, named: string, effect: Effect): Promise<Site> {
  const sites = await fleet.all(workspaceId)
  const wanted = typedDomain(named)
  const there = only(sites.filter(({ url }) => domainOf(url) === wanted))
  if (there) return there
  const near = sites.find(({ url }) => bareDomain(domainOf(url)) === bareDomain(wanted))
  if (near) throw new Problem('not_found', `There is no site ${wanted} in this workspace. Did you mean ${domainOf(near.url)}?`)
  const site = isRead({ effect }) ? byName(sites, named) : undefined
  if (!site) throw missing(nearTo(sites, named))
  return site
}

/** The exact name comes first. */
const byName = (sites: Site[], named: string) =>
  only(sites.filter(({ name }) => name === named)) ?? only(sites.filter(({ name }) => folded(name) === folded(named)))

/** Their addresses; a site's own name is not said. */
const nearTo = (sites: readonly Site[], named: string) =>
  likelyMeant(
    sites.map(({ name, url }) => ({ name: domainOf(url), words: [folded(name), domainOf(url)] })),
    named,
  )

function only(found: Site[]): Site | undefined {
  if (found.length < 2) return found[0]
  const candidates = found.slice(0, 20).map(({ id, url }) => `${id} (${url})`)
  throw new Problem('conflict', `${found.length} sites match that name: ${candidates.join(', ')}. Use the id.`, { retryable: false })
}
