import { Burger } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useWaiting } from '../approvals/ask.ts'
import { useMay, useSession } from '../session.tsx'
import { settingsPlaces } from '../settings/places.ts'
import { useChanges } from '../stream.ts'
import { t } from '../text.ts'
import { Icon, type IconName, Mark } from '../ui/icons.tsx'
import { keepFocus } from '../ui/keepFocus.ts'
import type { Goal } from '../ui/Palette.tsx'
import { PaletteButton } from '../ui/PaletteButton.tsx'
import { Waiting } from '../ui/parts.tsx'
import { PersonMenu, SchemeButton, WorkspaceMenu } from '../ui/top.tsx'
import { Places } from './Places.tsx'

export { loadPage } from './Places.tsx'

const NoWorkspace = lazy(async () => ({ default: (await import('./NoWorkspace.tsx')).NoWorkspace }))

interface Place {
  path: string
  label: string
  icon: IconName
  managers?: boolean
}

const places: Place[] = [
  { path: '/', label: t('Sites'), icon: 'sites' },
  { path: '/updates', label: t('Updates'), icon: 'updates' },
  { path: '/weaknesses', label: t('Weaknesses'), icon: 'weaknesses' },
  { path: '/approvals', label: t('Approvals'), icon: 'approvals' },
  { path: '/activity', label: t('Activity'), icon: 'activity' },
  { path: '/jobs', label: t('Jobs'), icon: 'jobs' },
  { path: '/reports', label: t('Reports'), icon: 'reports' },
  { path: '/agents', label: t('Agents & API'), icon: 'agents', managers: true },
  { path: '/members', label: t('Members'), icon: 'members', managers: true },
  { path: '/settings', label: t('Settings'), icon: 'settings' },
]

const actions: Goal[] = [
  { label: t('Add a site'), about: t('Action'), dialog: 'pair' },
  { label: t('Pause all agents'), about: t('Action'), dialog: 'pause' },
]

export function Frame() {
  const { session } = useSession()
  const [opened, { toggle, close }] = useDisclosure()
  const [path] = useLocation()
  const manages = useMay('manage')
  // People of a client see their sites, and nothing that is about the whole workspace.
  const guest = session.workspace?.sees != null
  // Beyond the edge of a narrow screen nobody should come to it with the keyboard either.
  const narrow = useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false })
  useChanges(session.workspace !== null)
  useEffect(keepFocus, [])
  const reached = places.filter(({ path: to, managers }) => (manages || !managers) && (!guest || to === '/'))
  const goals: Goal[] = [
    ...reached.map(({ path: to, label }) => ({ label, about: t('Page'), path: to })),
    { label: t('Account'), about: t('You'), path: '/account' },
    ...(manages ? actions : []),
    ...(guest ? [] : settingsPlaces(manages).map(([to, label]) => ({ label, about: t('Settings'), path: to }))),
  ]
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere is done with the menu
  useEffect(close, [path])
  return (
    <div className="frame">
      <a href="#content" className="skip">
        {t('Skip to the content')}
      </a>
      <header className="top">
        <div>
          <Burger
            className="burger"
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? t('Close the menu') : t('Open the menu')}
          />
          <Link href="/" className="brand" aria-label={t('Site fleet, all sites')}>
            <Mark />
          </Link>
          <WorkspaceMenu />
        </div>
        <div>
          <PaletteButton pages={goals} />
          <SchemeButton />
          <PersonMenu />
        </div>
      </header>
      <nav className={opened ? 'side opened' : 'side'} inert={narrow && !opened} aria-label={t('Main')}>
        {reached.map(({ path: to, label, icon }) => (
          <Link key={to} href={to} aria-current={isWithin(to, path) ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{label}</span>
            {to === '/approvals' && <WaitingCount />}
          </Link>
        ))}
        <p className="foot">
          <a href="/docs">{t('API reference')}</a>
        </p>
      </nav>
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>{session.workspace === null ? <NoWorkspace /> : <Places />}</Suspense>
      </main>
    </div>
  )
}

/** By itself, so that what is answered draws this alone. */
function WaitingCount() {
  const waiting = useWaiting()
  return waiting !== undefined && waiting > 0 && <span className="waiting">{waiting}</span>
}

/** Whether a path is a page of this place. */
function isWithin(place: string, path: string): boolean {
  if (place === '/') return path === '/' || path.startsWith('/sites/')
  return path.startsWith(place) || (place === '/reports' && path.startsWith('/clients'))
}
