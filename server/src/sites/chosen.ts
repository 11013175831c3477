// Which sites are meant where many can be.
import type { Effect } from '../kernel/operation.ts'
import { type FieldError, Problem, wrongField } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { labelsMeant } from './labels.ts'
import type { Site, Which } from './schema.ts'
import { findSite } from './site-operation.ts'

type Asking = Pick<Context, 'fleet' | 'workspaceId'>

/** The sites without those that are named, by id, domain or tag. What names nothing is refused: a site that was to be spared would not be. */
export async function without(
  context: Asking,
  sites: readonly Site[],
  except: readonly string[] | undefined,
  effect: Effect,
): Promise<Site[]> {
  if (!except) return [...sites]
  const all = await context.fleet.all(context.workspaceId)
  const spared = new Set<string>()
  const errors: FieldError[] = []
  for (const [at, named] of except.entries()) {
    const tagged = all.filter(({ tags }) => tags.includes(named))
    for (const { id } of tagged) spared.add(id)
    try {
      spared.add((await findSite(context, named, effect)).id)
    } catch (error) {
      if (tagged.length === 0) errors.push(nothing(at, error))
    }
  }
  if (errors.length > 0) throw new Problem('invalid_payload', 'Some fields are not valid.', { errors: errors.slice(0, 50) })
  return sites.filter(({ id }) => !spared.has(id))
}

function nothing(at: number, error: unknown): FieldError {
  if (!(error instanceof Problem)) throw error
  return {
    path: `except.${at}`,
    message: error.code === 'not_found' ? 'There is no such site, and no site has such a tag.' : error.message,
  }
}

/** The one site that is meant, where site_id names it; undefined: several are. Throws where both or neither are said. */
export async function oneMeant(context: Asking, asked: Which, effect: Effect): Promise<Site | undefined> {
  const { site_id, site_ids, tag, client, every_site, except } = asked
  const many = site_ids !== undefined || tag !== undefined || client !== undefined || every_site
  if (site_id !== undefined && (many || except)) throw wrongField('site_id', 'Name one site, or say which several; not both.')
  if (site_id === undefined && !many) throw wrongField('site_id', 'Say which: site_id, or site_ids, tag, client or every_site.')
  return site_id === undefined ? undefined : findSite(context, site_id, effect)
}

/** The several sites that are meant, each once. A tag or client that no site has is refused. */
export async function severalMeant(context: Asking, { site_ids, except, ...labels }: Which, effect: Effect): Promise<Site[]> {
  const { tag, client } = await labelsMeant(context, labels)
  const candidates = site_ids
    ? await Promise.all(site_ids.map((id) => findSite(context, id, effect)))
    : await context.fleet.all(context.workspaceId)
  const once = [...new Map(candidates.map((site) => [site.id, site])).values()]
  const meant = once.filter((site) => (tag === undefined || site.tags.includes(tag)) && (client === undefined || site.client === client))
  return without(context, meant, except, effect)
}
