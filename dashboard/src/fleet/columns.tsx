import type { ReactNode } from 'react'
import type { Item } from '../api.ts'
import { State, When } from '../ui/parts.tsx'
import { count, size } from '../words.ts'
import { backupOf, connectionOf, securityOf, updatesOf, uptimeOf, type Verdict } from './judge.ts'

export type FleetSite = Item<'fleet.list'>

const Told = ({ tone, words, why }: Verdict) => (
  <State tone={tone} why={why}>
    {words}
  </State>
)
const unknown = (why: string): Verdict => ({ tone: 'unknown', words: 'Not known', why })

interface Column {
  label: string
  /** Said beside the value where there is no head of a table. */
  isNamed?: boolean
  usual?: boolean
  show: (site: FleetSite) => ReactNode
}

/** What can be shown of each site; the names are the sites' own, and are shown as text whatever they hold. */
export const columns = {
  connection: { label: 'Connection', usual: true, show: (site) => <Told {...connectionOf(site)} /> },
  uptime: { label: 'Uptime', usual: true, isNamed: true, show: (site) => <Told {...uptimeOf(site)} /> },
  security: { label: 'Security', usual: true, isNamed: true, show: (site) => <Told {...securityOf(site)} /> },
  updates: {
    label: 'Updates',
    usual: true,
    show: (site) => {
      const waiting = updatesOf(site)
      if (waiting === null) return <Told {...unknown('Its inventory was never read.')} />
      return <State tone={waiting > 0 ? 'warn' : 'good'}>{waiting > 0 ? count(waiting, 'update') : 'Up to date'}</State>
    },
  },
  backup: {
    label: 'Backup',
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
    label: 'Versions',
    usual: true,
    isNamed: true,
    show: ({ wp_version: wp, php_version: php }) => (
      <small>{[wp && `WP ${wp}`, php && `PHP ${php}`].filter(Boolean).join(' · ') || 'not known'}</small>
    ),
  },
  errors: {
    label: 'PHP errors',
    isNamed: true,
    show: ({ php_errors: known }) =>
      known === null ? (
        <Told {...unknown('The site was never asked.')} />
      ) : (
        <State tone={known.fatal > 0 ? 'bad' : known.open > 0 ? 'warn' : 'good'}>{known.open === 0 ? 'None' : `${known.open} open`}</State>
      ),
  },
  links: {
    label: 'Broken links',
    isNamed: true,
    show: ({ broken_links: known }) =>
      known === null ? (
        <Told {...unknown('Nobody has looked yet.')} />
      ) : (
        <State tone={known.broken > 0 ? 'warn' : 'good'}>{known.broken === 0 ? 'None' : `${known.broken} broken`}</State>
      ),
  },
  performance: {
    label: 'Performance',
    isNamed: true,
    show: ({ performance: known }) => (
      <small>
        {known === null ? 'not known' : `${known.ttfb_ms} ms${known.page_bytes === null ? '' : ` · ${size(known.page_bytes)}`}`}
      </small>
    ),
  },
  added: { label: 'Added', isNamed: true, show: ({ created_at }) => <When at={created_at} /> },
} as const satisfies Record<string, Column>
export type ColumnName = keyof typeof columns

export const columnOf = (name: ColumnName): Column => columns[name]
export const usualColumns = (Object.keys(columns) as ColumnName[]).filter((name) => columnOf(name).usual)
