import { pageOf } from '../kernel/cursor.ts'
import { wrongField } from '../kernel/problem.ts'
import { folded } from '../sites/near.ts'
import type { Context } from '../world.ts'
import { type Judged, judged } from './judge.ts'
import { type KnownSite, type Need, needs, type orders } from './schema.ts'

interface Wanted {
  q?: string | undefined
  need?: Need | undefined
  order: (typeof orders)[number]
  limit: number
  cursor?: string | undefined
  [filter: string]: unknown
}

/** How many tags and clients are told at most. */
const mostLabels = 500

/** What a site is sorted by, the smallest first; its id makes it one place only. */
const keys: Record<Wanted['order'], (each: Judged) => (string | number)[]> = {
  urgency: ({ urgency, site }) => [-urgency, site.name.toLowerCase(), site.id],
  name: ({ site }) => [site.name.toLowerCase(), site.id],
  newest: ({ site }) => [-Date.parse(site.created_at), site.id],
  backup: ({ site }) => [site.last_good_backup ? Date.parse(site.last_good_backup.completed_at) : 0, site.id],
  updates: ({ site: { updates_available: known, id } }) => [known ? -(known.core + known.plugins + known.themes) : 1, id],
}

/** A page of the fleet from memory, with how many of all that are meant need what. */
export async function pageOfFleet(context: Context, wanted: Wanted) {
  const { q, need, order, limit, cursor, ...filter } = wanted
  const { fleet, workspaceId } = context
  const all = await fleet.all(workspaceId)
  const kept = fleet.narrowed(all, filter)
  const meant = (kept.found as KnownSite[]).filter(holds(q)).map((site) => judged(site, context.now()))
  const found = need === undefined ? meant : meant.filter((each) => each.needs.includes(need))
  const keyOf = keys[order]
  const sorted = found.map((each) => ({ each, key: keyOf(each) })).sort((a, b) => compare(a.key, b.key))
  const { items, ...page } = await pageOf(
    { list: 'fleet', workspaceId, filter: { q, need, order, ...filter } },
    { limit, cursor },
    {
      items: async ({ limit, after }) => {
        const last = after && keyOf(judged(lastOf(all as KnownSite[], String(after[0])), context.now()))
        return (last ? sorted.filter(({ key }) => compare(key, last) > 0) : sorted).slice(0, limit)
      },
      total: () => sorted.length,
      at: ({ each: { site } }) => [site.id],
    },
  )
  return {
    ...page,
    sites: items.map(({ each: { site, needs } }) => ({ ...site, needs })),
    needs: numbered((each) => meant.filter(({ needs }) => needs.includes(each)).length),
    not_known: numbered((each) => meant.filter(({ unknown }) => unknown.includes(each)).length),
    unknown: kept.unknown,
    all: all.length,
    watch_troubled_since: (all as KnownSite[]).flatMap(({ uptime }) => uptime?.unproven_since ?? []).toSorted()[0] ?? null,
    tags: labels(all.flatMap(({ tags }) => tags)),
    clients: labels(all.flatMap(({ client }) => client ?? [])),
  }
}

/** The site with which the page before ended, wherever it stands by now. */
function lastOf(all: KnownSite[], id: string): KnownSite {
  const site = all.find((each) => each.id === id)
  if (site) return site
  throw wrongField('cursor', 'The site with which the page before ended is gone. Leave it out to begin at the first page.')
}

const numbered = (of: (need: Need) => number) => Object.fromEntries(needs.map((each) => [each, of(each)])) as Record<Need, number>

/** Every word stands somewhere in what a site is called. */
function holds(q: string | undefined): (site: KnownSite) => boolean {
  const words = folded(q ?? '')
    .split(/\s+/)
    .filter(Boolean)
  return ({ name, url, client, tags }) => {
    const text = folded([name, url, client ?? '', ...tags].join('\n'))
    return words.every((word) => text.includes(word))
  }
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, mine] of a.entries()) {
    const other = b[at] ?? ''
    if (mine !== other) return mine < other ? -1 : 1
  }
  return 0
}

const labels = (all: string[]) => [...new Set(all)].toSorted((a, b) => a.localeCompare(b)).slice(0, mostLabels)
