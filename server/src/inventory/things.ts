// What is installed in a fleet: each thing once, with how many sites have it and in which versions.
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { folded } from '../sites/near.ts'
import type { Context } from '../world.ts'
import type { Thing } from './schema.ts'
import { type Kind, readKinds, whenCollected } from './store.ts'

const mostVersions = 20

interface Filter {
  q?: string | undefined
  has_update?: boolean | undefined
}

/** As it was last read of each site; nobody is asked. */
export async function pageOfThings(context: Context, { q, has_update, ...wanted }: Wanted & Filter) {
  const [kinds, read] = await Promise.all([readKinds(context, undefined, has_update), whenCollected(context)])
  const part = folded(q ?? '')
  const all = thingsOf(halfOf(kinds, has_update)).filter(({ name, slug }) => folded(`${name} ${slug}`).includes(part))
  const listing = { list: 'things', workspaceId: context.workspaceId, filter: { q, has_update } }
  const { items: things, ...page } = await pageOf(listing, wanted, {
    items: async ({ limit, after }) => all.filter((thing) => !after || order(placeOf(thing), after as Place) > 0).slice(0, limit),
    total: () => all.length,
    at: placeOf,
  })
  const never = has_update === undefined ? 0 : read.unheard
  return { things, ...page, sites: read.sites - never, unknown: read.none + never }
}

/** Those of a kind that have an update waiting, or those that have not; all where nobody asks. */
export function halfOf(kinds: readonly Kind[], waiting: boolean | undefined): readonly Kind[] {
  if (waiting === undefined) return kinds
  return kinds.flatMap((kind) => {
    const sites = waiting ? kind.with_update : kind.sites - kind.with_update
    return sites === 0 ? [] : [{ ...kind, sites, with_update: waiting ? sites : 0 }]
  })
}

/** What most sites have comes first. */
export function thingsOf(kinds: readonly Kind[]): Thing[] {
  const things = [...Map.groupBy(kinds, ({ type, slug }) => `${type} ${slug}`).values()].map((versions): Thing => {
    const [first] = versions as [Kind]
    const counts = versions.toSorted((a, b) => b.sites - a.sites).slice(0, mostVersions)
    return {
      ...{ type: first.type, slug: first.slug, name: first.name },
      sites: sum(versions, 'sites'),
      with_update: sum(versions, 'with_update'),
      versions: Object.fromEntries(counts.map(({ version, sites }) => [version, sites])),
    }
  })
  return things.sort((a, b) => order(placeOf(a), placeOf(b)))
}

type Place = [sites: number, slug: string, type: string]
const placeOf = ({ sites, slug, type }: Thing): Place => [sites, slug, type]
const order = ([sites, ...names]: Place, [others, ...theirs]: Place) => others - sites || byText(names.join('\n'), theirs.join('\n'))
const byText = (a: string, b: string) => Number(a > b) - Number(a < b)

const sum = (kinds: readonly Kind[], field: 'sites' | 'with_update') => kinds.reduce((all, kind) => all + kind[field], 0)
