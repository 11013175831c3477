import type { FleetCounts, Site } from './schema.ts'

/** How many sites there are of each kind. */
export function countsOf(sites: readonly Site[]): FleetCounts {
  const known = sites.flatMap(({ updates_available }) => updates_available ?? [])
  return {
    status: tally(sites.map(({ status }) => status)),
    wp_version: tally(sites.map(({ wp_version }) => lineOf(wp_version))),
    php_version: tally(sites.map(({ php_version }) => lineOf(php_version))),
    with_updates: known.filter(({ core, plugins, themes }) => core + plugins + themes > 0).length,
    never_read: sites.length - known.length,
  }
}

const lineOf = (version: string | null) => (version === null ? 'unknown' : (/^\d+(\.\d+)?/.exec(version)?.[0] ?? 'other'))

/** The most frequent first; a fleet has few kinds, whatever its sites say. */
function tally(words: string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const rest = sorted.slice(mostKinds).reduce((sum, [, count]) => sum + count, 0)
  return Object.fromEntries([...sorted.slice(0, mostKinds), ...(rest > 0 ? [['the others', rest] as const] : [])])
}

const mostKinds = 20
