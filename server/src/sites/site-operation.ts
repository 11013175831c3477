import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { type AnyOperation, type Effect, isRead, type Operation } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { bareDomain, domainOf, typedDomain } from './address.ts'
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

/** An operation that a site narrows: the handler is given that site, or none when all are meant. */
export function siteFilterOperation<In extends z.ZodObject<{ site_id: z.ZodOptional<typeof SiteId> }>, Out extends z.ZodType>(
  definition: Operation<Context & { site: Site | undefined }, In, Out>,
): AnyOperation {
  const handle = async (context: Context, input: z.output<In>) => {
    const named = input.site_id as string | undefined
    const site = named === undefined ? undefined : await findSite(context, named, 'read')
    return definition.handle({ ...context, site }, input)
  }
  return { ...definition, handle } as AnyOperation
}

const withSite =
  <Input extends { site_id: string }, Answer>(ask: (context: SiteContext, input: Input) => Answer | Promise<Answer>, effect: Effect) =>
  async (context: Context, input: Input): Promise<Answer> => {
    const site = await findSite(context, input.site_id, effect)
    if (context.db.isTransaction && !(await holdSite(context, site.id))) throw missing()
    context.touched.add(site.id)
    return ask({ ...context, site }, { ...input, site_id: site.id })
  }

export const missing = (meant: readonly string[] = []) =>
  new Problem(
    'not_found',
    `There is no such site in this workspace. ${meant.length > 0 ? `Did you mean ${meant.join(' or ')}? ` : ''}list_sites (GET /sites) shows those there are; a change takes an id or a domain.`,
  )

/** A site by id or domain. A site gives itself its name, so that leads only to what is read, and never past a domain there is. */
export async function findSite(
  { fleet, workspaceId }: Pick<Context, 'fleet' | 'workspaceId'>,
  named: string,
  effect: Effect,
): Promise<Site> {
  if (/^site_[0-9a-z]{26}$/.test(named)) {
    const site = await fleet.one(workspaceId, named)
    if (site) return site
    throw missing()
  }
  const sites = await fleet.all(workspaceId)
  const wanted = typedDomain(named)
  const there = only(sites.filter(({ url }) => domainOf(url) === wanted))
  if (there) return there
  const near = sites.find(({ url }) => bareDomain(domainOf(url)) === bareDomain(wanted))
  if (near) throw new Problem('not_found', `There is no site ${wanted} in this workspace. Did you mean ${domainOf(near.url)}?`)
  const site = isRead({ effect }) ? byName(sites, named) : undefined
  if (!site) throw missing(likelyMeant(sites, named))
  return site
}

/** The exact name comes first. */
const byName = (sites: Site[], named: string) =>
  only(sites.filter(({ name }) => name === named)) ?? only(sites.filter(({ name }) => folded(name) === folded(named)))

/** Without accents, in small letters. */
const folded = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()

/**
 * Addresses of sites that could have been meant: the name is in theirs, or theirs in it; where there is none, those that a few letters turn
 * into it, the nearest first. A site's own name is not said.
 */
function likelyMeant(sites: readonly Site[], named: string): string[] {
  const wanted = folded(named)
  if (wanted.length < 3) return []
  const known = sites.map(({ name, url }) => ({ domain: domainOf(url), words: [folded(name), domainOf(url)] }))
  const within = known.filter(({ words }) => words.some((each) => each.includes(wanted) || (each.length > 3 && wanted.includes(each))))
  const near = within.length > 0 || wanted.length > longestTypo ? within : mistyped(known, wanted)
  return near.slice(0, mostMeant).map(({ domain }) => domain)
}

const mostMeant = 5
/** Of letters; nobody mistypes more. */
const longestTypo = 100

/** One letter in four may be wrong; two that changed places are two. */
function mistyped<Known extends { words: string[] }>(known: readonly Known[], wanted: string): Known[] {
  const scored = known.map((each) => ({ each, far: Math.min(...each.words.map((word) => distance(word.slice(0, longestTypo), wanted))) }))
  return scored
    .filter(({ far }) => far <= Math.ceil(wanted.length / 4))
    .sort((a, b) => a.far - b.far)
    .map(({ each }) => each)
}

function only(found: Site[]): Site | undefined {
  if (found.length < 2) return found[0]
  const candidates = found.slice(0, 20).map(({ id, url }) => `${id} (${url})`)
  throw new Problem('conflict', `${found.length} sites match that name: ${candidates.join(', ')}. Use the id.`, { retryable: false })
}
