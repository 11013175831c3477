// What the rules of a workspace let through: of a plugin, a theme or WordPress, on this site, now.
import { listOffered } from '../inventory/offered.ts'
import { jumpOf, jumps } from '../kernel/effects.ts'
import { counted } from '../kernel/job.ts'
import type { Site } from '../sites/schema.ts'
import type { DatedDb } from '../world.ts'
import type { Allow } from './rules-schema.ts'
import { listRules, type RuleRow } from './rules-store.ts'
import type { Selection, Updatable } from './schema.ts'
import { named } from './selection.ts'

const dayMs = 86_400_000

/** Who wants it: a person who names a thing has it at once. */
export interface Wish {
  wanted: Selection
  byPerson: boolean
}

/** What a rule says to one item. `reason`: why it is left out. `note`: what was passed over because somebody named it. `never`: no wish helps. */
export interface Ruling {
  reason: string | null
  note: string | null
  never: boolean
}

export type Judge = (site: Pick<Site, 'id' | 'tags'>, item: Updatable, wish: Wish) => Ruling

const free: Ruling = { reason: null, note: null, never: false }

/** What is said of these sites, read once. */
export async function rulesOn(here: DatedDb, siteIds: readonly string[]): Promise<Judge> {
  const rules = await listRules(here)
  if (rules.length === 0) return () => free
  const offered = rules.some(({ delay_days }) => delay_days > 0) ? await listOffered(here, siteIds) : []
  const keyOf = (site: string, type: string, slug: string, version: string) => JSON.stringify([site, type, slug, version])
  const since = new Map(offered.map((each) => [keyOf(each.site_id, each.type, each.slug, each.version), new Date(each.first_seen_at)]))
  const now = here.now()
  return (site, item, wish) => {
    const held = strictestFor(rules, site, item)
    if (!held || !item.update) return free
    const { update, type, slug, version } = item
    const seen = since.get(keyOf(site.id, type, slug, update.version)) ?? now
    return rulingOf(
      held,
      { jump: jumpOf({ type, from: version, to: update.version }), seen, now },
      isNamed(item, wish.wanted) && wish.byPerson,
    )
  }
}

interface Moment {
  jump: (typeof jumps)[number]
  seen: Date
  now: Date
}

function rulingOf(rule: RuleRow, { jump, seen, now }: Moment, isWished: boolean): Ruling {
  const { allow, delay_days } = rule
  if (allow === 'never') return { reason: `The rule “${nameOf(rule)}” leaves it out.`, note: null, never: true }
  if (jumps.indexOf(jump) > jumps.indexOf(allow))
    return { reason: `The rule “${nameOf(rule)}” leaves it out: this is a ${jump} version.`, note: null, never: false }
  const until = new Date(seen.getTime() + delay_days * dayMs)
  if (until <= now) return free
  const words = `The rule “${nameOf(rule)}” holds it back until ${until.toISOString().slice(0, 10)}`
  return isWished
    ? { reason: null, note: `${words}; it is updated now because it was named.`, never: false }
    : { reason: `${words}.`, note: null, never: false }
}

export const isNamed = (item: Updatable, { plugins = [], themes = [], core }: Selection): boolean =>
  item.type === 'core'
    ? core === true
    : (item.type === 'plugin' ? plugins : item.type === 'theme' ? themes : []).some((each) => named(item, each))

/** What is said of one plugin goes before what is said of all; of one site before its tags, and these before the rest. Of equals the strictest. */
function strictestFor(rules: readonly RuleRow[], { id, tags }: Pick<Site, 'id' | 'tags'>, item: Updatable): RuleRow | undefined {
  if (item.type === 'translations') return undefined
  const fits = rules.filter(
    ({ type, slug, site_id, tag }) =>
      (type === 'any' || type === item.type) &&
      (slug === null || slug.toLowerCase() === item.slug.toLowerCase() || slug === item.file) &&
      (site_id === null || site_id === id) &&
      (tag === null || tags.includes(tag)),
  )
  const most = Math.max(...fits.map(weightOf))
  return fits.filter((rule) => weightOf(rule) === most).toSorted(stricter)[0]
}

const weightOf = ({ type, slug, site_id, tag }: RuleRow) =>
  3 * (slug !== null ? 2 : type === 'any' ? 0 : 1) + (site_id !== null ? 2 : tag === null ? 0 : 1)

const order: readonly Allow[] = ['never', 'patch', 'minor', 'major']
const stricter = (a: RuleRow, b: RuleRow) => order.indexOf(a.allow) - order.indexOf(b.allow) || b.delay_days - a.delay_days

const lets: Record<Allow, string> = { never: 'never', patch: 'patches only', minor: 'no major versions', major: 'all versions' }
const of: Record<RuleRow['type'], string> = { plugin: 'all plugins', theme: 'all themes', core: 'WordPress', any: 'everything' }

/** `woocommerce: patches only, after 7 days, on sites with the tag shop`. */
export function nameOf({ type, slug, site_id, tag, allow, delay_days }: Omit<RuleRow, 'set_by' | 'set_at' | 'id'>): string {
  const place = site_id !== null ? ', on this site alone' : tag !== null ? `, on sites with the tag ${tag}` : ''
  return `${slug ?? of[type]}: ${lets[allow]}${allow !== 'never' && delay_days > 0 ? `, after ${counted(delay_days, 'day')}` : ''}${place}`
}
