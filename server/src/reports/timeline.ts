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
const grave: ReadonlySet<string> = new Set(['critical', 'high'])

/** Of a hidden section nothing is told here either. */
export function eventsOf(facts: Facts, language: Language, shows: Shows): { events: TimelineEvent[]; more: number } {
  const { say, lasted } = language
  const { uptime, updates, restores, security } = facts
  const within = (at: string | null): at is string => at !== null && at >= facts.from && at < facts.to
  const outages = uptime.incidents
    .filter(({ seconds }) => seconds >= leastSeconds)
    .map(({ at, site, kind, seconds }) => ({ at, text: say(`event.${kind}`, { site, lasted: lasted(seconds) }) }))
  const core = updates.items
    .filter(({ type }) => type === 'core')
    .map(({ last_at, to, sites }) => ({ at: last_at, text: say('event.core', { n: sites, version: to }) }))
  const back = updates.back.map(({ at, name, version, site }) => ({ at, text: say('event.taken_back', { name, version, site }) }))
  const problems = security.items
    .filter(({ severity }) => grave.has(severity))
    .flatMap(({ site, kind, severity, component, found_at, fixed_at }) => {
      const gaps = { problem: problemOf(language, kind, component), site, severity: say(`severity.${severity}`) }
      return [
        ...(within(found_at) ? [{ at: found_at, text: say('event.found', gaps) }] : []),
        ...(within(fixed_at) ? [{ at: fixed_at, text: say('event.fixed', gaps) }] : []),
      ]
    })
  const restored = restores.map(({ at, site, undone }) => ({ at, text: say(undone ? 'event.undone' : 'event.restored', { site }) }))
  const all = [
    ...(shows('uptime') ? outages : []),
    ...(shows('updates') ? [...core, ...back] : []),
    ...(shows('security') ? problems : []),
    ...(shows('backups') ? restored : []),
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
  const told = alike(all, ({ at, text }) => [`${at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`, text])
  const events = told.slice(0, most).map(({ cells: [at = '', text = ''], n }) => ({ at, text: oftenSaid(language, text, n) }))
  return { events, more: Math.max(0, told.length - most) }
}
