import type { InventoryItem } from '../inventory/schema.ts'
import { type Installed, readInventory } from '../inventory/service.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import { plainWord } from '../kernel/site-said.ts'
import { preUpdateBackup } from '../schedules/pre-update.ts'
import type { Site } from '../sites/schema.ts'
import { vulnerabilitiesFixed } from '../vulnerabilities/match.ts'
import type { Context } from '../world.ts'
import type { Planned, Selection } from './schema.ts'
import { inWords } from './words.ts'

export type Updatable = Pick<InventoryItem, 'slug' | 'file' | 'name' | 'version' | 'active' | 'update'> & {
  type: 'core' | 'plugin' | 'theme' | 'translations'
}

/** Plugins first, core last: a plugin that must be ready for a new core gets the chance. Translations fit what is installed then. */
const order = { plugin: 0, theme: 1, core: 2, translations: 3 }
const connector = /(^|\/)svc-connector\.php$/
const mostFixes = 20
const secondsOf = { plugin: 12, theme: 12, core: 45, translations: 12 }

export const named = (item: Pick<InventoryItem, 'file' | 'slug' | 'name'>, wanted: string) =>
  item.file === wanted || item.slug === wanted || item.name === wanted

/** What an update would touch: everything offered, or what is named. */
export function chosen(inventory: Installed, { plugins, themes, core, translations }: Selection): Updatable[] {
  const all = [...inventory.items.filter(isUpdatable), ...waitingTranslations(inventory)].sort((a, b) => order[a.type] - order[b.type])
  if (!plugins && !themes && !core && !translations) return all.filter(({ update }) => update !== null)
  const wanted = { plugin: plugins ?? [], theme: themes ?? [] }
  return all.filter((item) => {
    if (item.type === 'core') return core === true
    if (item.type === 'translations') return translations === true
    return wanted[item.type].some((name) => named(item, name))
  })
}

const isUpdatable = (item: Installed['items'][number]): item is Installed['items'][number] & { type: 'core' | 'plugin' | 'theme' } =>
  item.type === 'core' || item.type === 'plugin' || item.type === 'theme'

/** WordPress updates all its language packs in one go. */
function waitingTranslations({ translations: count }: Installed): Updatable[] {
  const update = count === 0 ? null : { version: '', requires_wp: '', requires_php: '', compatible: true, package: true, url: '' }
  const name = count === 1 ? '1 translation' : `${count} translations`
  return [{ type: 'translations', slug: 'translations', file: 'translations', name, version: '', active: true, update }]
}

/** Why an item cannot be updated; null when it can. */
export function obstacle({ update, file }: Pick<Updatable, 'update' | 'file'>): string | null {
  if (!update) return 'It is current.'
  if (connector.test(file)) return inWords('connector_itself').message
  if (!update.package) return 'There is no download for it, usually for want of a licence.'
  const needs = (version: string) => (version === '' ? 'any' : (plainWord(version) ?? 'of another version'))
  if (!update.compatible) return `It needs WordPress ${needs(update.requires_wp)} and PHP ${needs(update.requires_php)}.`
  return null
}

export async function planUpdate(context: Context, site: Site, wanted: Selection) {
  const inventory = await readInventory(context, site, { refresh: true, cached: false })
  mustBeInstalled(inventory, wanted)
  const items: Planned[] = []
  for (const item of chosen(inventory, wanted)) items.push({ ...plannedItem(item), fixes: await fixesOf(context, item) })
  const estimated_s = items.reduce((sum, { will_run, estimated_s }) => sum + (will_run ? estimated_s : 0), 0)
  const backup = estimated_s > 0 ? await preUpdateBackup(context, site.id) : null
  return { status: 'planned', job_id: null, poll_after_s: null, next: null, dry_run: true, items, backup, estimated_s }
}

function plannedItem(item: Updatable) {
  const { type, slug, file, name, version: from_version, update } = item
  const reason = obstacle(item)
  return {
    ...{ type, slug, file, name, from_version, to_version: update?.version ?? from_version },
    ...{ requires_wp: update?.requires_wp ?? '', requires_php: update?.requires_php ?? '' },
    ...{ will_run: reason === null, reason, changelog_url: changelogOf(item) },
    ...{ risks: reason === null ? risksOf(item) : [], estimated_s: secondsOf[type] },
  }
}

/** Which known vulnerabilities the update ends, each in a line. */
async function fixesOf({ db }: Context, { type, slug, version, update }: Updatable): Promise<string[]> {
  if (type === 'translations' || !update) return []
  const fixed = await vulnerabilitiesFixed({ db }, { type, slug }, version, update.version)
  return fixed.slice(0, mostFixes).map(({ cve, severity, title }) => `${cve ? `${cve}, ` : ''}${severity}: ${title}`)
}

/** Where a person reads what is new. */
function changelogOf({ type, update }: Updatable): string | null {
  if (!update) return null
  if (type === 'core') return `https://wordpress.org/documentation/wordpress-version/version-${update.version.replaceAll('.', '-')}/`
  if (/^https:\/\/wordpress\.org\/plugins\/[a-z0-9-]+\/?$/.test(update.url)) return `${update.url.replace(/\/?$/, '/')}#developers`
  return update.url || null
}

function risksOf({ type, version, update, active }: Updatable): string[] {
  const [from, to] = [version, update?.version ?? ''].map((each) => Number.parseInt(each, 10))
  return [
    ...(type === 'core' ? ['Visitors see a maintenance notice while the files of WordPress are replaced.'] : []),
    ...(type !== 'translations' && from !== to ? ['A new major version: look at the changelog first.'] : []),
    ...(type === 'plugin' && !active ? ['The plugin is not active, so a failure would show only when it is activated.'] : []),
  ]
}

export async function startUpdate(context: Context, site: Site, wanted: Selection, kind: { type: string }) {
  if (site.status === 'disconnected' || site.status === 'clone_detected')
    throw new Problem('conflict', `The site is ${site.status.replace('_', ' ')}, so nothing can be updated there.`, { retryable: false })
  const known = await readInventory(context, site, { refresh: false, cached: true }).catch(() => undefined)
  if (known) mustBeInstalled(known, wanted)
  const started = await startJob(context, kind, site.id, { ...wanted })
  return { ...started, dry_run: false, items: null, backup: null, estimated_s: null }
}

/** Names all plugins and themes that are not there; what is comes as data. */
export function mustBeInstalled(inventory: Pick<Installed, 'items'>, { plugins = [], themes = [] }: Selection): void {
  const missing = (type: 'plugin' | 'theme', names: readonly string[]) => {
    const installed = inventory.items.filter((item) => item.type === type)
    const candidates = installed.map((item) => item.file).slice(0, 50)
    const message = `Not an installed ${type}. Name one of the candidates.`
    return names.flatMap((name, index) =>
      installed.some((item) => named(item, name)) ? [] : [{ path: `${type}s.${index}`, message, candidates }],
    )
  }
  const errors = [...missing('plugin', plugins), ...missing('theme', themes)]
  if (errors.length === 0) return
  const what = themes.length === 0 ? 'plugins' : 'plugins or themes'
  throw new Problem('invalid_payload', `Some ${what} are not installed on this site.`, { errors })
}
