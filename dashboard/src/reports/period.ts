// The days that a report is about.
import { locale } from '../language.ts'

const month = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium' })
const dayMs = 86_400_000

/** "October 2026", or the first and the last day, as the client has them. */
export function periodOf({ first_day, last_day }: { first_day: string; last_day: string }): string {
  const [first, last] = [new Date(`${first_day}T00:00:00Z`), new Date(`${last_day}T00:00:00Z`)]
  const isMonth = first_day.endsWith('-01') && first_day.slice(0, 7) === last_day.slice(0, 7)
  return isMonth && new Date(last.getTime() + dayMs).getUTCDate() === 1 ? month.format(first) : `${day.format(first)} – ${day.format(last)}`
}
