import type { ReactNode } from 'react'
import type { Item, Output } from '../api.ts'
import { t } from '../text.ts'
import { State, When } from '../ui/parts.tsx'
import { size } from '../words.ts'
import { backupOf, connectionOf, offersUnread, securityOf, updatesOf, uptimeOf, type Verdict } from './judge.ts'

export type FleetSite = Item<'fleet.list'>

const Told = ({ tone, words, why }: Verdict) => (
  <State tone={tone} why={why}>
    {words}
  </State>
)
const unknown = (why: string): Verdict => ({ tone: 'unknown', words: t('Not known'), why })

interface Column {
  label: string
  /** Said beside the value where there is no head of a table. */
  isNamed?: boolean
  usual?: boolean
  show: (site: FleetSite) => ReactNode
}

/** What a view may keep. */
export type ColumnName = NonNullable<Output<'views.save'>['columns']>[number]

/** What can be shown of each site; the names are the sites' own, and are shown as text whatever they hold. */
export const columns = {
  connection: { label: t('Connection'), usual: true, show: (site) => <Told {...connectionOf(site)} /> },
  uptime: { label: t('Uptime'), usual: true, isNamed: true, show: (site) => <Told {...uptimeOf(site)} /> },
  security: { label: t('Security'), usual: true, isNamed: true, show: (site) => <Told {...securityOf(site)} /> },
  updates: {
    label: t('Updates'),
    usual: true,
    show: (site) => {
      const waiting = updatesOf(site)
      if (waiting === null) return <Told {...unknown(offersUnread)} />
      return (
        <State tone={waiting > 0 ? 'warn' : 'good'}>
          {waiting > 0 ? t('{updates, plural, one {# update} other {# updates}}', { updates: waiting }) : t('Up to date')}
        </State>
      )
    },
  },
  backup: {
    label: t('Backup'),
    usual: true,
    isNamed: true,
    show: (site) => (
      <>
        <Told {...backupOf(site)} />
        {site.last_good_backup && (
          <>
            {' '}
            <small>
              <When at={site.last_good_backup.completed_at} />
            </small>
          </>
        )}
      </>
    ),
  },
  versions: {
    label: t('Versions'),
    usual: true,
    isNamed: true,
    show: ({ wp_version: wp, php_version: php }) => (
      <small>{[wp && t('WP {wp}', { wp }), php && t('PHP {php}', { php })].filter(Boolean).join(' · ') || t('not known')}</small>
    ),
  },
  errors: {
    label: t('PHP errors'),
    isNamed: true,
    show: ({ php_errors: known }) =>
      known === null ? (
        <Told {...unknown(t('The site was never asked.'))} />
      ) : (
        <State tone={known.fatal > 0 ? 'bad' : known.open > 0 ? 'warn' : 'good'}>
          {known.open === 0 ? t('None') : t('{open} open', { open: known.open })}
        </State>
      ),
  },
  links: {
    label: t('Broken links'),
    isNamed: true,
    show: ({ broken_links: known }) =>
      known === null ? (
        <Told {...unknown(t('Nobody has looked yet.'))} />
      ) : (
        <State tone={known.broken > 0 ? 'warn' : 'good'}>
          {known.broken === 0 ? t('None') : t('{broken} broken', { broken: known.broken })}
        </State>
      ),
  },
  performance: {
    label: t('Performance'),
    isNamed: true,
    show: ({ performance: known }) => (
      <small>
        {known === null
          ? t('not known')
          : t('{ttfb_ms} ms{page_bytes}', {
              ttfb_ms: known.ttfb_ms,
              page_bytes: known.page_bytes === null ? '' : ` · ${size(known.page_bytes)}`,
            })}
      </small>
    ),
  },
  added: { label: t('Added'), isNamed: true, show: ({ created_at }) => <When at={created_at} /> },
} as const satisfies Record<ColumnName, Column>

export const columnOf = (name: ColumnName): Column => columns[name]
export const usualColumns = (Object.keys(columns) as ColumnName[]).filter((name) => columnOf(name).usual)
