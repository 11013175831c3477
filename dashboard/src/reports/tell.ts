// What people are told of reports and clients.
import type { Item, Output } from '../api.ts'
import { locale } from '../language.ts'
import { t } from '../text.ts'
import type { Tone } from '../ui/parts.tsx'

export type Report = Item<'reports.list'>
export type WholeReport = Output<'reports.get'>
export type Client = Output<'clients.get'>
export type Section = WholeReport['shown'][number]

const month = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium' })
const halfDayMs = 43_200_000
const monthDays: readonly number[] = [28, 29, 30, 31]

/** "October 2026", or the first and the last day; the client's days, whatever zone that is in. */
export function periodOf({ period_from, period_to }: Pick<Report, 'period_from' | 'period_to'>): string {
  const first = new Date(Date.parse(period_from) + halfDayMs)
  const last = new Date(Date.parse(period_to) - halfDayMs)
  const days = Math.round((last.getTime() - first.getTime()) / (2 * halfDayMs)) + 1
  const isMonth = first.getUTCDate() === 1 && monthDays.includes(days) && first.getUTCMonth() === last.getUTCMonth()
  return isMonth && new Date(last.getTime() + 2 * halfDayMs).getUTCDate() === 1
    ? month.format(first)
    : `${day.format(first)} – ${day.format(last)}`
}

export const toneOf = ({ status }: Pick<Report, 'status'>): Tone => (status === 'published' ? 'good' : 'warn')

export const sectionNames: Record<Section, string> = {
  state: t('State of the sites'),
  timeline: t('What happened'),
  work: t('Work done'),
  updates: t('Updates'),
  backups: t('Backups'),
  uptime: t('Availability'),
  performance: t('Speed'),
  security: t('Security'),
  links: t('Links'),
}
export const sections = Object.keys(sectionNames) as Section[]
