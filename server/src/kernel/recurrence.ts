import { createHash } from 'node:crypto'

const minuteMs = 60_000
const dayMs = 86_400_000

/** When backups begin: from `at` (HH:MM, UTC) on, the sites spread over so many minutes. */
export interface Slot {
  at: string
  spread_minutes: number
}

/** The next beginning for this site after a moment. A site keeps its place in the window, so a fleet never starts at once. */
export function nextRun({ at, spread_minutes }: Slot, siteId: string, after: Date): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const offset = Math.floor((hours * 60 + minutes + placeOf(siteId) * spread_minutes) * minuteMs)
  const today = Math.floor(after.getTime() / dayMs) * dayMs
  // A window that began yesterday may reach into today.
  let next = today - dayMs + offset
  while (next <= after.getTime()) next += dayMs
  return dateOf(next)
}

/** The next beginning where each site has one moment in so many days. */
export function nextOfDays(days: number, siteId: string, after: Date): Date {
  const round = days * dayMs
  const place = placeOf(siteId) * round
  return dateOf(place + Math.floor((after.getTime() - place) / round + 1) * round)
}

/** When what comes once a day begins with a new site: soon where it is one of few, and the more there are the more widely spread, a thousand over the whole day. */
export function firstTurn(siteId: string, { soonMs, sites }: { soonMs: number; sites: number }, now: Date): Date {
  return dateOf(now.getTime() + soonMs + placeOf(siteId) * Math.min(1, sites / 1000) * dayMs)
}

/** From 0 to 1, always the same for one site. */
const placeOf = (siteId: string) => createHash('sha256').update(siteId).digest().readUInt32BE(0) / 2 ** 32

export const dateOf = (ms: number): Date => new Date(Math.floor(ms))
