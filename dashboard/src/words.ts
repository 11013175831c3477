// Numbers, times and states in words; dates in the viewer's zone and language.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const numbers = new Intl.NumberFormat('en')

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "3 hours ago", "in 2 days". */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return unit === 'second' ? (seconds > 0 ? 'in a moment' : 'just now') : relative.format(Math.trunc(seconds / size), unit)
}

export const inFull = (time: string) => whole.format(new Date(time))

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
/** A time of day in UTC, `22:00`, as it is today where the viewer is. */
export function localTime(utc: string): string {
  const [hours = 0, minutes = 0] = utc.split(':').map(Number)
  const at = new Date()
  at.setUTCHours(hours, minutes, 0, 0)
  return Number.isNaN(at.getTime()) ? utc : clock.format(at)
}

export function size(bytes: number | null): string {
  if (bytes === null) return '–'
  const step = Math.min(4, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)))
  return `${(bytes / 1024 ** step).toFixed(step === 0 || bytes / 1024 ** step >= 100 ? 0 : 1)} ${['B', 'KB', 'MB', 'GB', 'TB'][step]}`
}

export const count = (number: number, one: string, many = `${one}s`) => `${numbers.format(number)} ${number === 1 ? one : many}`

export function lasting(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** A ratio of uptime without ever rounding up to 100. */
export function percent(ratio: number | null): string {
  if (ratio === null) return 'unknown'
  const value = ratio <= 1 ? ratio * 100 : ratio
  return value === 100 ? '100 %' : `${(Math.floor(value * 100) / 100).toFixed(2)} %`
}

/** `pre_update` → "Pre update". */
export function plainly(term: string): string {
  const words = term.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The host of an address, or what there is. */
export const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host + new URL(url).pathname.replace(/\/$/, '') : url)

/** An address that may be a link: what a site names may be anything. */
export const webAddress = (url: string | null | undefined) =>
  url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined
