// An update that a person approved is of the versions that person was shown, and of nothing else.
import { boundTo } from '../approvals/service.ts'
import { type Effected, jumpOf } from '../kernel/effects.ts'
import type { Running } from '../kernel/job.ts'
import type { Here } from '../world.ts'
import type { Updatable } from './schema.ts'

interface Item {
  type: string
  slug: string
  from_version: string
  to_version: string
}

/** What is updated on one site; without its id on the only one. `items` null: nobody knew it. */
export interface BoundSite {
  site_id?: string
  items: Item[] | null
}

/** What of a plan an approval is given for: what will run, from which version to which. */
export const boundItems = (items: readonly Item[]): Item[] =>
  items.map(({ type, slug, from_version, to_version }) => ({ type, slug, from_version, to_version }))

/** What an update does, as policies tell it apart: each item of each site by how far it leads. What is not known may be anything. */
export function effectsOfUpdate(_input: unknown, bound: unknown): Effected[] {
  const known = (bound ?? [{ items: null }]) as BoundSite[]
  const found = known.flatMap(({ site_id, items }): Effected[] => {
    const at = site_id === undefined ? {} : { site_id }
    if (!items)
      return [
        { effect: 'updates', jump: 'major', ...at },
        { effect: 'core_updates', jump: 'major', ...at },
      ]
    if (items.length === 0) return [{ effect: 'updates', jump: 'patch', ...at }]
    return items.map(({ type, from_version: from, to_version: to }) => ({
      effect: type === 'core' ? ('core_updates' as const) : ('updates' as const),
      jump: jumpOf({ type, from, to }),
      ...at,
    }))
  })
  return found.length > 0 ? found : [{ effect: 'updates', jump: 'patch' }]
}

/** Why an item is not touched although it was chosen; null: it may be. */
export type Refuse = (item: Updatable) => string | null

/** Holds the update of a site to what was approved, where it was. */
export async function asApproved(here: Here, { approvalId, siteId }: Running): Promise<Refuse> {
  if (approvalId === null) return () => null
  const bound = ((await boundTo(here, approvalId)) ?? []) as BoundSite[]
  const site = bound.find(({ site_id }) => site_id === undefined || site_id === siteId)
  if (!site?.items) return () => 'What waited on this site was not known when it was approved, so nothing of it was.'
  const approved = new Set(site.items.map(keyOf))
  return ({ type, slug, version, update }) =>
    approved.has(keyOf({ type, slug, from_version: version, to_version: update?.version ?? version }))
      ? null
      : 'It is not what was approved: another version is installed or offered by now.'
}

const keyOf = ({ type, slug, from_version, to_version }: Item) => JSON.stringify([type, slug, from_version, to_version])
