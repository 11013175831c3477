// The inventory of a site, judged.
import type { InventoryItem } from '../inventory/schema.ts'
import { finding } from './checks.ts'
import type { Directory, Listing } from './directory.ts'
import type { Component, NewFinding } from './schema.ts'

type Updatable = InventoryItem & { type: 'core' | 'plugin' | 'theme' }

const isUpdatable = (item: InventoryItem): item is Updatable => item.type === 'core' || item.type === 'plugin' || item.type === 'theme'
const twoYearsMs = 2 * 365 * 86_400_000

const componentOf = ({ type, slug, name, version }: Updatable): Component => ({ type, slug, name, version })

/** Waiting updates; each says whether it could be applied. */
export function outdated(items: readonly InventoryItem[]): NewFinding[] {
  return items.filter(isUpdatable).flatMap((item) => {
    const { type, slug, file, version, active, update } = item
    if (!update) return []
    const lines = [`Installed: ${version}. Offered: ${update.version}.`]
    if (!update.compatible)
      lines.push(`The new version needs WordPress ${update.requires_wp || 'any'} and PHP ${update.requires_php || 'any'}.`)
    if (!update.package) lines.push('There is no download for it, usually for want of a licence.')
    if (!active) lines.push('It is not active.')
    const details = {
      key: type === 'core' ? '' : `${type}:${file}`,
      component: componentOf(item),
      fixed_in: update.version,
      fix: { update: { type, slug, version: update.version } },
      evidence: lines,
    }
    const severity = active || type === 'theme' ? {} : { severity: 'low' as const }
    return [finding(`${type}_outdated`, { ...details, ...severity })]
  })
}

/**
 * Plugins that the directory has closed or that had no release for years. `listed`: the files of plugins that the site's last question
 * for updates found there; of the others only the name tells whether they are the same. Undefined: the directory did not answer.
 */
export async function unmaintained(
  items: readonly InventoryItem[],
  listed: ReadonlySet<string>,
  directory: Pick<Directory, 'plugin'>,
  now: Date,
): Promise<NewFinding[] | undefined> {
  const all: NewFinding[] = []
  for (const item of items.filter(isUpdatable)) {
    if (item.type !== 'plugin' || !/^[a-z0-9-]{1,100}$/.test(item.slug)) continue
    const listing = await directory.plugin(item.slug)
    if (listing === 'silent') return undefined
    if (listing !== 'unknown') all.push(...judge(item, listing, listed.has(item.file), now))
  }
  return all
}

function judge(item: Updatable, listing: Listing, isListed: boolean, now: Date): NewFinding[] {
  const details = { key: `plugin:${item.file}`, component: componentOf(item) }
  const link = [`https://wordpress.org/plugins/${item.slug}/`]
  if (listing.closed) {
    if (plain(listing.name) !== plain(item.name)) return []
    const when = listing.closed_date ? ` on ${listing.closed_date}` : ''
    const why = listing.reason ? ` Reason: ${listing.reason}.` : ''
    return [finding('plugin_closed', { ...details, references: link, evidence: [`The directory closed ${item.slug}${when}.${why}`] })]
  }
  const last = Date.parse(listing.last_updated ?? '')
  if (!(isListed || plain(listing.name) === plain(item.name)) || Number.isNaN(last) || now.getTime() - last < twoYearsMs) return []
  const day = new Date(last).toISOString().slice(0, 10)
  return [
    finding('plugin_abandoned', {
      ...details,
      references: link,
      evidence: [`The last release of ${item.slug} in the directory is of ${day}.`],
    }),
  ]
}

/** The directory writes `&#8211;` and the like where a plugin's header has the character. */
const plain = (name: string) =>
  name
    .replace(/&#?\w+;/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase()
