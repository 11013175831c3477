// Numbers, times and states in words, in the language of the page; dates in the viewer's zone.
import { language, lazily, locale } from './language.ts'
import { inLanguage, number, t } from './text.ts'

const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
const whole = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** What clocks are apart: so little ahead of ours is not to come, but now. */
const skewS = 10
/** What was given a day ends in a day, although a moment of it is over. */
const nearly = 0.98

/** Where a job is told; work on many sites has a page of its own. */
export const jobPath = (id: string) => (id.startsWith('rollout_') ? `/rollouts/${id}` : `/jobs/${id}`)

/** "3 hours ago", "in 2 days": what is over is not told as longer ago than it is, what is to come as near as it is. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000
  const [unit, size] = units.find(([, each]) => seconds >= each * nearly || -seconds >= each) ?? ['second', 1]
  if (unit === 'second') return seconds > skewS ? t('in a moment') : t('just now')
  return relative().format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit)
}

export const inFull = (time: string) => whole().format(new Date(time))

const clock = lazily(() => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }))
/** Today at a time of day in UTC, `22:00`; undefined: that is none. */
function todayAt(utc: string): Date | undefined {
  const [hours = Number.NaN, minutes = Number.NaN] = utc.split(':').map(Number)
  const at = new Date()
  at.setUTCHours(hours, minutes, 0, 0)
  return Number.isNaN(at.getTime()) ? undefined : at
}

/** A time of day in UTC as it is today where the viewer is. */
export function localTime(utc: string): string {
  const at = todayAt(utc)
  return at ? clock().format(at) : utc
}

/** The day of the week that it is where the viewer is, at a time of day on one in UTC; 0 is a Sunday. */
export function localWeekday(weekday: number, utc: string): number {
  const at = todayAt(utc)
  return at ? (weekday + at.getDay() - at.getUTCDay() + 7) % 7 : weekday
}

/** The same in words, beside what it is in UTC. */
export function hourOf(utc: string): string {
  if (new Date().getTimezoneOffset() === 0) return t('{utc} UTC', { utc })
  return t('{utc} UTC ({here} your time)', { utc, here: localTime(utc) })
}

export function size(bytes: number | null): string {
  if (bytes === null) return '–'
  const step = Math.min(4, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)))
  const value = bytes / 1024 ** step
  return `${number(value, step === 0 || value >= 100 ? 0 : 1)} ${[t('B'), t('KB'), t('MB'), t('GB'), t('TB')][step]}`
}

export const milliseconds = (value: number) =>
  value >= 1000 ? t('{seconds} s', { seconds: number(value / 1000, 1) }) : t('{value} ms', { value: Math.round(value) })

export function lasting(seconds: number): string {
  if (seconds < 90) return t('{seconds} s', { seconds: Math.round(seconds) })
  if (seconds < 5400) return t('{minutes} min', { minutes: Math.round(seconds / 60) })
  if (seconds < 172_800) return t('{hours} h', { hours: number(Math.round(seconds / 360) / 10) })
  return t('{days, plural, one {# day} other {# days}}', { days: Math.round(seconds / 86_400) })
}

/** A ratio of uptime without ever rounding up to 100. */
export function percent(ratio: number | null): string {
  if (ratio === null) return t('unknown')
  const value = ratio <= 1 ? ratio * 100 : ratio
  return value === 100 ? '100 %' : `${number(Math.floor(value * 100) / 100, 2)} %`
}

/** `pre_update` → "Pre update"; the catalogue has the terms of the contract. */
export function plainly(term: string): string {
  const words = term.replaceAll('_', ' ')
  return inLanguage(words.charAt(0).toUpperCase() + words.slice(1))
}

/** A term within a sentence, where English writes it small. */
export const amid = (words: string) => (language === 'en' ? words.charAt(0).toLowerCase() + words.slice(1) : words)

/** The host of an address, or what there is. */
export function hostOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return host + pathname.replace(/\/$/, '')
}

/** An address that may be a link: what a site names may be anything. */
export const webAddress = (url: string | null | undefined) =>
  url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined
