// Days of the viewer: what is chosen and shown as a day begins and ends at his midnight, not at that of UTC.
import { locale } from './language.ts'

const medium = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** His time zone, by its name. */
export const timeZone = medium.resolvedOptions().timeZone

/** The first moment of a day that was chosen, `2026-11-20`, or of a later one; what is no day stays as it is. */
function beginning(day: string, later = 0): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return day
  const at = new Date(2000, 0, 1)
  at.setFullYear(year, month - 1, date + later)
  return at.toISOString()
}

/** The moment a day that was chosen is over. */
export const endOf = (day: string): string => beginning(day, 1)

/** From which moment to before which, as the service takes them. */
export const between = ({ since, until }: { since?: string | null; until?: string | null }) => ({
  ...(since && { since: beginning(since) }),
  ...(until && { until: endOf(until) }),
})

/** Where the day of so many days ago begins. */
export function daysAgo(days: number, now = new Date()): Date {
  const at = new Date(now)
  at.setHours(0, 0, 0, 0)
  at.setDate(at.getDate() - days)
  return at
}

/** The same for every moment of one day. */
export const dayOf = (at: Date) => at.toDateString()

/** A day in words. */
export const inDays = (at: Date) => medium.format(at)
