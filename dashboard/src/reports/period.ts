// The days that a report is about.
import { locale } from '../language.ts'

const month = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium' })
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const monthDays: readonly number[] = [28, 29, 30, 31]

/** "October 2026", or the first and the last day, which may not be over; the client's days, whatever zone that is in, of 23 to 25 hours. */
export function periodOf({ period_from, period_to }: { period_from: string; period_to: string }): string {
  const first = new Date(Date.parse(period_from) + dayMs / 2)
  const days = Math.max(1, Math.ceil((Date.parse(period_to) - Date.parse(period_from) - hourMs) / dayMs))
  const last = new Date(first.getTime() + (days - 1) * dayMs)
  const isMonth = first.getUTCDate() === 1 && monthDays.includes(days) && first.getUTCMonth() === last.getUTCMonth()
  return isMonth && new Date(last.getTime() + dayMs).getUTCDate() === 1 ? month.format(first) : `${day.format(first)} – ${day.format(last)}`
}
