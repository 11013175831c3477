// What of what is installed an update is to touch, and what of that it cannot.
import type { Installed, InventoryItem } from '../inventory/schema.ts'
import { counted } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Selection, Updatable } from './schema.ts'
import { inWords, versionInWords } from './words.ts'

/** Plugins first, core last: a plugin that must be ready for a new core gets the chance. Translations fit what is installed then. */
const order = { plugin: 0, theme: 1, core: 2, translations: 3 }
const connector = /(^|\/)svc-connector\.php$/

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
  const name = counted(count, 'translation')
  return [{ type: 'translations', slug: 'translations', file: 'translations', name, version: '', active: true, update }]
}

/** Why an item cannot be updated; null when it can. */
export function obstacle({ update, file }: Pick<Updatable, 'update' | 'file'>): string | null {
  if (!update) return 'It is current.'
  if (connector.test(file)) return inWords('connector_itself').message
  if (!update.package) return inWords('no_package').message
  const needs = (version: string) => (version === '' ? 'any' : versionInWords(version))
  if (!update.compatible) return `It needs WordPress ${needs(update.requires_wp)} and PHP ${needs(update.requires_php)}.`
  return null
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
