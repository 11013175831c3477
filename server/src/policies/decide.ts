// What holds for a call: of each thing it would do, on each site, the strictest word.
import type { Effected } from '../kernel/effects.ts'
import type { Site } from '../sites/schema.ts'
import { alwaysAsks, type Cell, hasJumps, titleOf, usualOf } from './effects.ts'
import type { DecidedBy, Decision, Place, Rule } from './schema.ts'
import type { Version } from './store.ts'

export const strictness: Record<Decision, number> = { auto: 0, ask: 1, never: 2 }

/** A decision, and what it is of. */
type Word = Cell & Place & { decision: Decision }

/** The strictest, the first of equals. */
const strictest = (words: readonly Word[]): Word | undefined =>
  words.reduce<Word | undefined>((all, each) => (all && strictness[all.decision] >= strictness[each.decision] ? all : each), undefined)

export const rulesOf = (rules: readonly Rule[], { effect, jump }: Cell): Rule[] =>
  rules.filter((rule) => rule.effect === effect && rule.jump === jump)

/** For sites about which nothing else is said. */
export function baseOf(rules: readonly Rule[], cell: Cell): Word {
  const said = rulesOf(rules, cell).find(({ site_id, tag }) => site_id === null && tag === null)
  return said ?? { ...cell, site_id: null, tag: null, decision: usualOf(cell) }
}

/** Of one site: what is said of it goes before what its tags say, and that before the rest. Of no site: whatever is said anywhere. */
function wordFor(rules: readonly Rule[], cell: Cell, site: Pick<Site, 'id' | 'tags'> | null): Word {
  const ours = rulesOf(rules, cell)
  const base = baseOf(rules, cell)
  const found = site
    ? (ours.find(({ site_id }) => site_id === site.id) ??
      strictest(ours.filter(({ tag }) => tag !== null && site.tags.includes(tag))) ??
      base)
    : (strictest([...ours, base]) ?? base)
  return alwaysAsks(cell) && found.decision === 'auto' ? { ...found, decision: 'ask' } : found
}

/** By which policy what an agent asks for is done, asked of a person or refused. `sites`: those it is about, none: any of the workspace. */
export function decide(
  { version, rules, set_by }: Version,
  effected: readonly Effected[],
  sites: readonly Pick<Site, 'id' | 'tags'>[],
): DecidedBy {
  const words = effected.flatMap(({ effect, jump, site_id }) => {
    const cell = { effect, jump: hasJumps(effect) ? (jump ?? 'major') : null }
    const meant = site_id === undefined ? sites : sites.filter(({ id }) => id === site_id)
    return meant.length === 0 ? [wordFor(rules, cell, null)] : meant.map((site) => wordFor(rules, cell, site))
  })
  const word = strictest(words)
  if (!word) return { version, decision: 'ask', rule: 'Nothing is said of what this would do: ask', set_by }
  return { version, decision: word.decision, rule: inWords(word), set_by }
}

/** `Restores on sites with the tag “shop”: never`. */
export function inWords({ decision, ...word }: Word): string {
  return `${titleOf(word)}${placeInWords(word)}: ${decision}`
}

const placeInWords = ({ site_id, tag }: Place) =>
  site_id !== null ? ` on the site ${site_id}` : tag !== null ? ` on sites with the tag “${tag}”` : ''

/** Whether anything would be asked for less than before, on any site there is or may come to be. */
export function isLooser(rules: readonly Rule[], place: Cell & Place, after: Decision | null): boolean {
  const ours = rulesOf(rules, place)
  const base = baseOf(rules, place).decision
  const same = (rule: Rule) => rule.site_id === place.site_id && rule.tag === place.tag
  const before = ours.find(same)?.decision
  const tags = ours.filter((rule) => rule.tag !== null && !same(rule)).map(({ decision }) => decision)
  const below = (one: Decision, other: Decision) => strictness[one] < strictness[other]
  if (place.site_id === null && place.tag === null) return below(after ?? usualOf(place), base)
  // What it gives way to when it goes: the least of what may hold then.
  if (after === null) return before !== undefined && [base, ...tags].some((other) => below(other, before))
  if (before !== undefined) return below(after, before)
  // A site's own word goes before whatever its tags say, now or later.
  return [base, ...(place.site_id === null ? [] : tags)].some((other) => below(after, other))
}
