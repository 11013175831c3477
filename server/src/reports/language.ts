// How a report says things: its texts, numbers, dates and lengths of time in one language and one time zone.
import { type Catalogue, catalogueOf } from '../kernel/languages.ts'

type Gap = string | number

export interface Language {
  code: string
  /** The text of this name, its gaps filled; where it has plural forms, by the number `n`. */
  say(name: string, gaps?: Record<string, Gap>): string
  number(value: number): string
  percent(ratio: number): string
  day(at: string): string
  /** A day without a time zone: 2026-10-31. */
  date(day: string): string
  moment(at: string): string
  lasted(seconds: number): string
  list(words: readonly string[]): string
}

export function languageOf(code: string, timeZone: string): Language {
  const texts: Catalogue = catalogueOf(code)
  const plural = new Intl.PluralRules(code)
  const numbers = new Intl.NumberFormat(code)
  const percents = new Intl.NumberFormat(code, { style: 'percent', minimumFractionDigits: 0, maximumFractionDigits: 3 })
  const days = new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'long' })
  const dates = new Intl.DateTimeFormat(code, { timeZone: 'UTC', dateStyle: 'medium' })
  const moments = new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'medium', timeStyle: 'short' })
  const lists = new Intl.ListFormat(code)

  const say: Language['say'] = (name, gaps = {}) => {
    const found = texts[name]
    if (found === undefined) throw new RangeError(`No language has a text ${name}.`)
    const text = typeof found === 'string' ? found : (found[plural.select(Number(gaps.n ?? 0))] ?? found.other)
    return text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => filled(gaps[gap] ?? ''))
  }
  const filled = (gap: Gap) => (typeof gap === 'number' ? numbers.format(gap) : gap)

  return {
    code,
    say,
    number: (value) => numbers.format(value),
    // What was not whole is never rounded up to it.
    percent: (ratio) => percents.format(Math.floor(ratio * 100_000) / 100_000),
    day: (at) => days.format(new Date(at)),
    date: (day) => dates.format(new Date(`${day}T00:00:00Z`)),
    moment: (at) => moments.format(new Date(at)),
    lasted(seconds) {
      const [unit, size] = (
        [
          ['days', 172_800],
          ['hours', 7200],
          ['minutes', 120],
        ] as const
      ).find(([, least]) => seconds >= least) ?? ['seconds', 1]
      const n = Math.round(seconds / { days: 86_400, hours: 3600, minutes: 60, seconds: 1 }[unit])
      return say(unit, { n: size === 1 ? Math.round(seconds) : n })
    },
    list: (words) => lists.format(words),
  }
}
