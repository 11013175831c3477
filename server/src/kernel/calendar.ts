// Months, days and hours as a time zone has them.
const dayMs = 86_400_000

/** What is asked for of these sites, of a time that ends before `to`. */
export interface SitesWithin {
  siteIds: readonly string[]
  from: Date
  to: Date
}

interface Local {
  year: number
  month: number
  day: number
  hour: number
  minute: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What a clock there shows. */
function localOf(at: Date, timeZone: string): Local {
  const options = {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-u-hc-h23', options)
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
  return { year, month, day, hour, minute }
}

/** The moment at which a clock there shows this. Months and days count on beyond their last and below 1. Of an hour that is left out, the one after it; of one that comes twice, the first. */
export function momentOf(timeZone: string, year: number, month: number, { day = 1, hour = 0, minute = 0 } = {}): Date {
  const wanted = Date.UTC(year, month - 1, day, hour, minute)
  const shown = (at: number) => {
    const local = localOf(new Date(at), timeZone)
    return Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute)
  }
  /** As the clock there goes at that time. */
  const by = (at: number) => wanted - (shown(at) - at)
  const [early, late] = [by(wanted - dayMs), by(wanted + dayMs)]
  return new Date(shown(early) !== wanted && shown(late) === wanted ? late : early)
}

/** The day that it is there: 2026-10-31. */
export function dayOf(at: Date, timeZone: string): string {
  const { year, month, day } = localOf(at, timeZone)
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** The whole month before this moment. */
export function monthBefore(now: Date, timeZone: string): { from: Date; to: Date } {
  const { year, month } = localOf(now, timeZone)
  return { from: momentOf(timeZone, year, month - 1), to: momentOf(timeZone, year, month) }
}

/** The month that is written 2026-10. */
export function monthOf(text: string, timeZone: string): { from: Date; to: Date } {
  const [year = 0, month = 1] = text.split('-').map(Number)
  return { from: momentOf(timeZone, year, month), to: momentOf(timeZone, year, month + 1) }
}

/** The next time it is that day of a month and that hour there. */
export function nextMonthly({ day, hour }: { day: number; hour: number }, timeZone: string, after: Date): Date {
  const { year, month } = localOf(new Date(after.getTime() - dayMs), timeZone)
  for (let ahead = 0; ; ahead++) {
    const next = momentOf(timeZone, year, month + ahead, { day, hour })
    if (next > after) return next
  }
}

/** When what there lasts each day from one time to another is over; undefined: this moment is in none of them. */
export function endOfHours({ from, to }: { from: string; to: string }, timeZone: string, now: Date): Date | undefined {
  const { year, month, day } = localOf(now, timeZone)
  const at = (text: string, later: number) =>
    momentOf(timeZone, year, month, { day: day + later, hour: Number(text.slice(0, 2)), minute: Number(text.slice(3)) })
  const nights = [-1, 0].map((begun) => ({ begin: at(from, begun), end: at(to, to < from ? begun + 1 : begun) }))
  return nights.find(({ begin, end }) => begin <= now && now < end)?.end
}
