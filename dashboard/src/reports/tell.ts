// What people are told of reports and clients.
import type { Item, Output } from '../api.ts'
import { t } from '../text.ts'
import type { Tone } from '../ui/parts.tsx'

export type Report = Item<'reports.list'>
export type WholeReport = Output<'reports.get'>
export type Client = Output<'clients.get'>
export type Section = WholeReport['shown'][number]

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
