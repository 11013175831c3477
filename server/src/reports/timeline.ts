// What happened that matters, in its order.
import type { Facts } from './facts.ts'
import type { Shows } from './in-short.ts'
import type { Language } from './language.ts'
import { alike, oftenSaid, problemOf } from './parts.ts'

export interface TimelineEvent {
  /** RFC 3339, to the minute. */
  at: string
  text: string
}

/** An outage of less is told in its own section alone. */
const leastSeconds = 300
const most = 60
/** An outage of more is as grave as a problem of high severity. */
const graveSeconds = 3600
/** Of problems; others are told in their own section alone. */
const weights: ReadonlyMap<string, number> = new Map([
  ['critical', 3],
  ['high', 2],
])

/** The gravest, where there are too many, and of those that are alike the last. Of a hidden section nothing is told here either. */
export function eventsOf(facts: Facts, language: Language, shows: Shows): { events: TimelineEvent[]; more: number } {
  const { say, lasted } = language
  const { uptime, updates, restores, security } = facts
  const within = (at: string | null): at is string => at !== null && at >= facts.from && at < facts.to
  const outages = uptime.incidents
    .filter(({ seconds }) => seconds >= leastSeconds)
    .map(({ at, site, kind, seconds }) => ({
      ...{ at, text: say(`event.${kind}`, { site, lasted: lasted(seconds) }) },
      weight: seconds >= graveSeconds ? 2 : 1,
    }))
  const core = updates.items
    .filter(({ type }) => type === 'core')
    .map(({ last_at, to, sites }) => ({ at: last_at, text: say('event.core', { n: sites, version: to }), weight: 1 }))
  const back = updates.back.map(({ at, name, version, site }) => ({
    ...{ at, text: say('event.taken_back', { name, version, site }) },
    weight: 2,
  }))
  const problems = security.items
    .filter(({ severity }) => weights.has(severity))
    .flatMap(({ site, kind, severity, component, found_at, fixed_at }) => {
      const weight = weights.get(severity) ?? 1
      const gaps = { problem: problemOf(language, kind, component), site, severity: say(`severity.${severity}`) }
      return [
        ...(within(found_at) ? [{ at: found_at, text: say('event.found', gaps), weight }] : []),
        ...(within(fixed_at) ? [{ at: fixed_at, text: say('event.fixed', gaps), weight }] : []),
      ]
    })
  const restored = restores.map(({ at, site, undone }) => ({
    ...{ at, text: say(undone ? 'event.undone' : 'event.restored', { site }) },
    weight: 2,
  }))
  const all = [
    ...(shows('uptime') ? outages : []),
    ...(shows('updates') ? [...core, ...back] : []),
    ...(shows('security') ? problems : []),
    ...(shows('backups') ? restored : []),
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
  const entries = alike(all, ({ at, text, weight }) => [`${at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`, text, String(weight)])
  const weightOf = ({ cells: [, , weight] }: (typeof entries)[number]) => Number(weight)
  const kept = new Set(
    entries
      .toReversed()
      .sort((a, b) => weightOf(b) - weightOf(a))
      .slice(0, most),
  )
  const events = entries
    .filter((each) => kept.has(each))
    .map(({ cells: [at = '', text = ''], n }) => ({ at, text: oftenSaid(language, text, n) }))
  return { events, more: Math.max(0, entries.length - most) }
}
