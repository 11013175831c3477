import type { Inventory } from '../inventory/schema.ts'
import { lastInventories } from '../inventory/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { findSite } from '../sites/site-operation.ts'
import { chosen, named, obstacle } from '../updates/service.ts'
import type { Context } from '../world.ts'
import type { PlannedSite, RolloutInput } from './schema.ts'
import { wavesOf } from './waves.ts'

export type Known = Pick<Inventory, 'items'>

export interface Plan {
  sites: PlannedSite[]
  waves: number
  waveSize: number
}

/** Who is updated in which wave, by what is known of the sites now. */
export async function planRollout(context: Context, input: RolloutInput): Promise<Plan> {
  const sites = await selected(context, input)
  const known = await lastInventories(
    context,
    sites.map(({ id }) => id),
  )
  const looked = sites.map((site) => look(site, known.get(site.id), input.plugins))
  const going = looked.filter(({ reason }) => reason === null)
  // Named sites keep their order; of others those that have something to update come first, for the first wave to tell something.
  if (!input.site_ids) going.sort((a, b) => waiting(b) - waiting(a))
  const waveSize = input.wave_percent === undefined ? input.wave_size : Math.max(1, Math.ceil((going.length * input.wave_percent) / 100))
  const waves = wavesOf(going.length, input.first_wave, waveSize)
  const placed = going.map((site, place) => ({ ...site, wave: waves[place] ?? null }))
  return { sites: [...placed, ...looked.filter(({ reason }) => reason !== null)], waves: waves.at(-1) ?? 0, waveSize }
}

/** Of the plugins asked for, those that are installed on a site; all of them where that is not known. */
export function pluginsThere(plugins: readonly string[] | null | undefined, known: Known | undefined): string[] | undefined {
  if (!plugins) return undefined
  return plugins.filter((plugin) => !known || known.items.some((item) => item.type === 'plugin' && named(item, plugin)))
}

const waiting = ({ items }: PlannedSite) => (items?.some(({ reason }) => reason === null) ? 1 : 0)

function look({ id: site_id, name, url, status }: Site, known: Known | undefined, plugins: string[] | undefined): PlannedSite {
  const site = { site_id, name, url, wave: null, items: null }
  if (status === 'disconnected' || status === 'clone_detected' || status === 'paused')
    return { ...site, reason: `The site is ${status.replace('_', ' ')}.` }
  const there = pluginsThere(plugins, known)
  if (there?.length === 0) return { ...site, reason: 'None of these plugins is installed there.' }
  return { ...site, reason: null, items: known ? itemsOf(known, there) : null }
}

function itemsOf(known: Known, plugins: string[] | undefined): PlannedSite['items'] {
  return chosen(known, plugins).map((item) => {
    const { type, slug, version: from_version, update } = item
    return { type, slug, from_version, to_version: update?.version ?? from_version, reason: obstacle(item) }
  })
}

async function selected(context: Context, { site_ids, tag, client, all }: RolloutInput): Promise<Site[]> {
  if (!site_ids && tag === undefined && client === undefined && !all)
    throw invalid('site_ids', 'Say which sites: site_ids, tag, client, or all.')
  const candidates = site_ids
    ? await Promise.all(site_ids.map((id) => findSite(context, id)))
    : await context.fleet.all(context.workspaceId)
  const once = [...new Map(candidates.map((site) => [site.id, site])).values()]
  return once.filter((site) => (tag === undefined || site.tags.includes(tag)) && (client === undefined || site.client === client))
}

const invalid = (path: string, message: string) =>
  new Problem('invalid_payload', 'Some fields are not valid.', { errors: [{ path, message }] })
