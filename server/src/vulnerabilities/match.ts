import type { Kysely } from 'kysely'
import { type Cut, covers, cutOnce, fixFor, rangeText } from './ranges.ts'
import { type About, exactSlug, slugOf } from './record.ts'
import type { Installed, Match, Severity } from './schema.ts'
import { listAbout, listSoftware, type SoftwareRow } from './store.ts'

type Here = { db: Kysely<unknown> }

/** How many names one query asks for. */
const atOnce = 2000

/** A row of the feed and the version it was found to affect. */
interface Hit {
  row: SoftwareRow
  version: string
}

/**
 * The known vulnerabilities of each of these, worst first, in the order they were given in. Equal things are looked up once, so a
 * whole fleet may be asked for together.
 */
export async function matchInventory({ db }: Here, items: readonly Installed[]): Promise<Match[][]> {
  const wanted = new Map(items.map((item) => [nameOf(item), item]))
  const rows = await readRows(db, [...wanted.values()])
  const cut = cutOnce()
  const hits = new Map([...wanted].map(([name, item]) => [name, hitsOf(item, rows, cut)]))
  const about = await readAbout(db, [...hits.values()].flat())
  const matches = new Map([...hits].map(([name, found]) => [name, matchesOf(found, about, cut)]))
  return items.map((item) => matches.get(nameOf(item)) ?? [])
}

/** The vulnerabilities an update gets rid of. */
export async function vulnerabilitiesFixed(here: Here, item: Omit<Installed, 'version'>, from: string, to: string): Promise<Match[]> {
  const [before = [], after = []] = await matchInventory(here, [
    { ...item, version: from },
    { ...item, version: to },
  ])
  const left = new Set(after.map(({ cve, id }) => cve ?? id))
  return before.filter(({ cve, id }) => !left.has(cve ?? id))
}

const nameOf = ({ type, slug, version }: Installed) => `${type} ${slug} ${version}`
const keyOf = (type: string, slug: string) => `${type} ${slug}`
const idOf = ({ source, id }: { source: string; id: string }) => `${source} ${id}`

/** Under which names the feed may have it. Drop-ins have none. */
function lookedUp({ type, slug, version }: Installed): { type: string; slug: string }[] {
  if (type === 'core') return [slugOf('core', slug), exactSlug(version)].map((each) => ({ type, slug: each }))
  if (type === 'theme') return [{ type, slug: slugOf('theme', slug) }]
  return type === 'plugin' || type === 'mu_plugin' ? [{ type: 'plugin', slug: slugOf('plugin', slug) }] : []
}

async function readRows(db: Kysely<unknown>, items: Installed[]): Promise<Map<string, SoftwareRow[]>> {
  const names = [...new Map(items.flatMap(lookedUp).map((each) => [keyOf(each.type, each.slug), each])).values()]
  const rows: SoftwareRow[] = []
  for (let at = 0; at < names.length; at += atOnce) for (const row of await listSoftware(db, names.slice(at, at + atOnce))) rows.push(row)
  return Map.groupBy(rows, ({ type, slug }) => keyOf(type, slug))
}

function hitsOf(item: Installed, rows: ReadonlyMap<string, SoftwareRow[]>, cut: Cut): Hit[] {
  const known = lookedUp(item).flatMap(({ type, slug }) => rows.get(keyOf(type, slug)) ?? [])
  return known
    .filter(({ ranges }) => ranges.some((range) => covers(range, item.version, cut)))
    .map((row) => ({ row, version: item.version }))
}

async function readAbout(db: Kysely<unknown>, hits: Hit[]): Promise<Map<string, About>> {
  const names = [...new Map(hits.map(({ row }) => [idOf(row), row])).values()]
  const about = new Map<string, About>()
  for (let at = 0; at < names.length; at += atOnce)
    for (const each of await listAbout(db, names.slice(at, at + atOnce))) about.set(idOf(each), each.about)
  return about
}

const order: readonly Severity[] = ['critical', 'high', 'medium', 'unknown', 'low', 'info']

function matchesOf(hits: Hit[], about: ReadonlyMap<string, About>, cut: Cut): Match[] {
  const matches = hits.flatMap(({ row, version }) => {
    const what = about.get(idOf(row))
    return what ? [{ source: row.source, match: matchOf(row, version, what, cut) }] : []
  })
  return withoutTwins(matches).toSorted(
    (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || (b.cvss ?? 0) - (a.cvss ?? 0) || (a.id < b.id ? -1 : 1),
  )
}

/** What two feeds tell of one CVE is told once, by the one that knows how bad it is. */
function withoutTwins(matches: { source: string; match: Match }[]): Match[] {
  const best = new Map<string, { source: string; match: Match }>()
  for (const each of matches) {
    const { cve, id, cvss } = each.match
    const rival = best.get(cve ?? id)
    if (!rival) best.set(cve ?? id, each)
    else if (rival.source === each.source) best.set(`${each.source} ${id}`, each)
    else if (rival.match.cvss === null && cvss !== null) best.set(cve ?? id, each)
  }
  return [...best.values()].map(({ match }) => match)
}

function matchOf({ id, ranges, patched }: SoftwareRow, version: string, about: About, cut: Cut): Match {
  const affected = ranges.filter((range) => covers(range, version, cut)).map(rangeText)
  return { id, ...about, affected: [...new Set(affected)].slice(0, 3).join(', '), fixed_in: fixFor(version, patched, ranges, cut) }
}
