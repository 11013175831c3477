import type { z } from 'zod'
import type { Installed } from '../inventory/schema.ts'
import { lastInventories } from '../inventory/service.ts'
import { severalMeant } from '../sites/chosen.ts'
import type { Site } from '../sites/schema.ts'
import { inWords, isUnpaired } from '../sites/talk.ts'
import { type BoundSite, boundItems } from '../updates/approved.ts'
import { type Harms, harmsOf, offersOf } from '../updates/harmful.ts'
import { type Judge, rulesOn } from '../updates/rules.ts'
import type { Selection, Updatable } from '../updates/schema.ts'
import { chosen, named, obstacle } from '../updates/selection.ts'
import { wishOf } from '../updates/service.ts'
import type { Context } from '../world.ts'
import type { PlannedSite, RolloutAnswer, RolloutInput } from './schema.ts'
import { wavesOf } from './waves.ts'

export interface Plan {
  sites: PlannedSite[]
  waves: number
  waveSize: number
  /** Of what is on offer there. */
  harms: Harms
}

/** Percent of a wave. */
const leastFuse = 50

/** Who is updated in which wave, by what is known of the sites now. */
export async function planRollout(context: Context, input: RolloutInput): Promise<Plan> {
  const sites = await severalMeant(context, input, 'destroy')
  const known = await lastInventories(
    context,
    sites.map(({ id }) => id),
  )
  const { planItem, harms } = await plannerOf(context, known)
  const looked = sites.map((site) => planFor(site, known.get(site.id), selectionOf(input), planItem))
  const going = looked.filter(({ reason }) => reason === null)
  // Named sites keep their order; of others those that have something to update come first, for the first wave to tell something.
  if (!input.site_ids) going.sort((a, b) => waiting(b) - waiting(a))
  const waveSize = waveSizeOf(input, going.length)
  const waves = wavesOf(going.length, input.first_wave, waveSize)
  const placed = going.map((site, place) => ({ ...site, wave: waves[place] ?? null }))
  return { sites: [...placed, ...looked.filter(({ reason }) => reason !== null)], waves: waves.at(-1) ?? 0, waveSize, harms }
}

/** At most so many sites are begun before a wave that goes wrong can stop the rest; what is not stopped at half of a wave is not stopped. */
export async function sitesBeforeAStop(context: Context, input: RolloutInput): Promise<number> {
  if (input.dry_run) return 0
  if (input.site_id !== undefined) return 1
  const sites = input.site_ids?.length ?? (await context.fleet.all(context.workspaceId)).length
  if (input.stop_above_percent > leastFuse) return sites
  return Math.min(sites, Math.max(input.first_wave, waveSizeOf(input, sites)))
}

const waveSizeOf = ({ wave_percent, wave_size }: RolloutInput, sites: number) =>
  wave_percent === undefined ? wave_size : Math.max(1, Math.ceil((sites * wave_percent) / 100))

/** What of the selection is installed on a site: all of it where that is not known, undefined where nothing is. */
export function selectionThere(wanted: Selection, known: Installed | undefined): Selection | undefined {
  const { plugins, themes, core, translations } = wanted
  const nothingNamed = !plugins && !themes && !core && !translations
  if (nothingNamed || !known) return wanted
  const there = (type: 'plugin' | 'theme', names: readonly string[] = []) =>
    names.filter((name) => known.items.some((item) => item.type === type && named(item, name)))
  const found = { plugins: there('plugin', plugins), themes: there('theme', themes) }
  if (!core && !translations && found.plugins.length + found.themes.length === 0) return undefined
  return {
    ...(found.plugins.length > 0 && { plugins: found.plugins }),
    ...(found.themes.length > 0 && { themes: found.themes }),
    ...(core && { core }),
    ...(translations && { translations }),
  }
}

export const noneThere = 'Nothing of what is named is installed there.'

/** What is to be updated, without where and how. */
export function selectionOf({ plugins, themes, core, translations }: Selection): Selection {
  return { ...(plugins && { plugins }), ...(themes && { themes }), ...(core && { core }), ...(translations && { translations }) }
}

const waiting = ({ items }: PlannedSite) => (items?.some(({ reason }) => reason === null) ? 1 : 0)

/** Why nothing is begun on a site in this state. */
export const whyLeftOut = (status: Site['status']): string | null =>
  isUnpaired(status) || status === 'paused' || status === 'pending' ? `The site is ${inWords(status)}.` : null

/** One site in no wave yet, by what is known of it. */
export function planFor(site: Site, known: Installed | undefined, wanted: Selection, planItem: ItemPlanner): PlannedSite {
  const { id: site_id, name, url, status, synced_at } = site
  const base = { site_id, name, url, wave: null, items: null, status, inventory_at: known ? synced_at : null, note: noteOn(status, known) }
  const reason = whyLeftOut(status)
  if (reason !== null) return { ...base, reason }
  const there = selectionThere(wanted, known)
  if (!there) return { ...base, reason: noneThere }
  return { ...base, reason: null, items: known ? chosen(known, there).map((item) => planItem(site, item, there)) : null }
}

function noteOn(status: Site['status'], known: Installed | undefined): string | null {
  const notes = [
    ...(status === 'unreachable' ? ['It did not answer when it was last asked.'] : []),
    ...(known ? [] : ['Its inventory was never read, so what waits there is not known.']),
  ]
  return notes.join(' ') || null
}

/** How well the sites in the waves are known. */
export function knowledgeOf(sites: readonly PlannedSite[]) {
  const going = sites.filter(({ wave }) => wave !== null)
  const times = going.flatMap(({ inventory_at }) => inventory_at ?? [])
  return {
    unreachable: going.filter(({ status }) => status === 'unreachable').length,
    never_read: going.length - times.length,
    oldest_inventory_at: times.sort()[0] ?? null,
  }
}

type PlannedItem = NonNullable<PlannedSite['items']>[number]
/** What becomes of one item of one site. */
export type ItemPlanner = (site: Site, item: Updatable, wanted: Selection) => PlannedItem

/** With the rules that hold on these sites, and the versions that were taken back. */
export async function plannerOf(context: Context, known: ReadonlyMap<string, Installed>): Promise<{ planItem: ItemPlanner; harms: Harms }> {
  const judge: Judge = await rulesOn(context, [...known.keys()])
  const harms = await harmsOf(context, offersOf([...known.values()].flatMap((each) => chosen(each, {}))))
  const planItem: ItemPlanner = (site, item, wanted) => {
    const { type, slug, version: from_version, update } = item
    const reason = obstacle(item) ?? judge(site, item, wishOf(context, wanted)).reason
    const risks = reason === null ? offersOf([item]).flatMap((offered) => harms(offered, site.id)) : []
    return { type, slug, from_version, to_version: update?.version ?? from_version, reason, risks }
  }
  return { planItem, harms }
}

/** What of a plan an approval is given for: each site, its wave, and each item from which version to which. */
export function boundOf({ items, sites }: Pick<z.output<typeof RolloutAnswer>, 'items' | 'sites'>): (BoundSite & { wave?: number })[] {
  if (!sites) return [{ items: items && boundItems(items.filter(({ will_run }) => will_run)) }]
  return sites.flatMap(({ site_id, wave, items }) =>
    wave === null ? [] : [{ site_id, wave, items: items && boundItems(items.filter(({ reason }) => reason === null)) }],
  )
}
