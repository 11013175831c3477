import type { Inventory, InventoryItem } from '../inventory/schema.ts'
import { readInventory } from '../inventory/service.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import { preUpdateBackup } from '../schedules/pre-update.ts'
import type { Site } from '../sites/schema.ts'
import type { Context } from '../world.ts'

export type Updatable = InventoryItem & { type: 'core' | 'plugin' | 'theme' }

const updatable = (item: InventoryItem): item is Updatable => item.type === 'core' || item.type === 'plugin' || item.type === 'theme'

/** Plugins first, core last: a plugin that must be ready for a new core gets the chance. */
const order = { plugin: 0, theme: 1, core: 2 }

const named = (item: InventoryItem, wanted: string) => item.file === wanted || item.slug === wanted || item.name === wanted

/** What an update would touch: everything offered, or what is offered for the named plugins. */
export function chosen(inventory: Pick<Inventory, 'items'>, plugins: readonly string[] | undefined): Updatable[] {
  const items = inventory.items.filter(updatable).sort((a, b) => order[a.type] - order[b.type])
  if (plugins === undefined) return items.filter((item) => item.update !== null)
  return items.filter((item) => item.type === 'plugin' && plugins.some((plugin) => named(item, plugin)))
}

/** Why an item cannot be updated; null when it can. */
export function obstacle({ update }: InventoryItem): string | null {
  if (!update) return 'It is current.'
  if (!update.package) return 'There is no download for it, usually for want of a licence.'
  if (!update.compatible) return `It needs WordPress ${update.requires_wp || 'any'} and PHP ${update.requires_php || 'any'}.`
  return null
}

export async function planUpdate(context: Context, site: Site, plugins: string[] | undefined) {
  const inventory = await readInventory(context, site, { refresh: true, cached: false })
  mustBeInstalled(inventory, plugins)
  const items = chosen(inventory, plugins).map((item) => {
    const reason = obstacle(item)
    const { type, slug, file, name, version: from_version, update } = item
    const to_version = update?.version ?? from_version
    return {
      type,
      slug,
      file,
      name,
      from_version,
      to_version,
      requires_wp: update?.requires_wp ?? '',
      requires_php: update?.requires_php ?? '',
      will_run: reason === null,
      reason,
    }
  })
  const backup = items.some((item) => item.will_run) ? await preUpdateBackup(context, site.id) : null
  return { status: 'planned', job_id: null, poll_after_s: null, next: null, dry_run: true, items, backup }
}

export async function startUpdate(context: Context, site: Site, plugins: string[] | undefined, kind: { type: string }) {
  if (site.status === 'disconnected' || site.status === 'clone_detected')
    throw new Problem('conflict', `The site is ${site.status.replace('_', ' ')}, so nothing can be updated there.`, { retryable: false })
  const known = await readInventory(context, site, { refresh: false, cached: true }).catch(() => undefined)
  if (known) mustBeInstalled(known, plugins)
  const started = await startJob(context, kind, site.id, plugins === undefined ? {} : { plugins })
  return { ...started, dry_run: false, items: null, backup: null }
}

/** Names all plugins that are not there, and what is. */
export function mustBeInstalled(inventory: Pick<Inventory, 'items'>, plugins: string[] | undefined): void {
  const installed = inventory.items.filter((item) => item.type === 'plugin')
  const missing = (plugins ?? []).flatMap((plugin, index) => (installed.some((item) => named(item, plugin)) ? [] : [index]))
  if (missing.length === 0) return
  const files = installed.map((item) => item.file).slice(0, 50)
  const message = `Not an installed plugin. Installed: ${files.join(', ')}.`
  throw new Problem('invalid_payload', 'Some plugins are not installed on this site.', {
    errors: missing.map((index) => ({ path: `plugins.${index}`, message })),
  })
}
