import { AppShell, Burger, Group, NavLink } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { hasApprovals, useWaiting } from './approvals/ask.ts'
import { FleetPage } from './fleet/FleetPage.tsx'
import { useMay, useSession } from './session.tsx'
import { settingsPlaces } from './settings/places.ts'
import { useChanges } from './stream.ts'
import { t } from './text.ts'
import { Icon, type IconName, Mark } from './ui/icons.tsx'
import { PaletteButton } from './ui/PaletteButton.tsx'
import { Nothing, Waiting } from './ui/parts.tsx'
import { PersonMenu, SchemeButton, WorkspaceMenu } from './ui/top.tsx'

const SignInPage = lazy(async () => ({ default: (await import('./sign-in/SignInPage.tsx')).SignInPage }))
const JoinPage = lazy(async () => ({ default: (await import('./sign-in/WaysIn.tsx')).JoinPage }))
const RecoverPage = lazy(async () => ({ default: (await import('./sign-in/WaysIn.tsx')).RecoverPage }))
const SitePage = lazy(async () => ({ default: (await import('./site/SitePage.tsx')).SitePage }))
const UpdatesPage = lazy(async () => ({ default: (await import('./updates/UpdatesPage.tsx')).UpdatesPage }))
const RolloutPage = lazy(async () => ({ default: (await import('./updates/RolloutPage.tsx')).RolloutPage }))
const ApprovalsPage = lazy(async () => ({ default: (await import('./approvals/ApprovalsPage.tsx')).ApprovalsPage }))
const ApprovalPage = lazy(async () => ({ default: (await import('./approvals/ApprovalPage.tsx')).ApprovalPage }))
const ActivityPage = lazy(async () => ({ default: (await import('./activity/ActivityPage.tsx')).ActivityPage }))
const JobsPage = lazy(async () => ({ default: (await import('./jobs/JobsPage.tsx')).JobsPage }))
const JobPage = lazy(async () => ({ default: (await import('./jobs/JobPage.tsx')).JobPage }))
const AgentsPage = lazy(async () => ({ default: (await import('./agents/AgentsPage.tsx')).AgentsPage }))
const MembersPage = lazy(async () => ({ default: (await import('./members/MembersPage.tsx')).MembersPage }))
const PoliciesPage = lazy(async () => ({ default: (await import('./policies/PoliciesPage.tsx')).PoliciesPage }))
const AuditPage = lazy(async () => ({ default: (await import('./audit/AuditPage.tsx')).AuditPage }))
const RulesPage = lazy(async () => ({ default: (await import('./updates/RulesPage.tsx')).RulesPage }))
const ReportsPage = lazy(async () => ({ default: (await import('./reports/ReportsPage.tsx')).ReportsPage }))
const ReportPage = lazy(async () => ({ default: (await import('./reports/ReportPage.tsx')).ReportPage }))
const ClientsPage = lazy(async () => ({ default: (await import('./reports/ClientsPage.tsx')).ClientsPage }))
const ClientPage = lazy(async () => ({ default: (await import('./reports/ClientPage.tsx')).ClientPage }))
const SettingsPage = lazy(async () => ({ default: (await import('./settings/SettingsPage.tsx')).SettingsPage }))
const ThingPage = lazy(async () => ({ default: (await import('./updates/ThingPage.tsx')).ThingPage }))
const WeaknessesPage = lazy(async () => ({ default: (await import('./updates/WeaknessesPage.tsx')).WeaknessesPage }))
const NotificationsPage = lazy(async () => ({ default: (await import('./notifications/NotificationsPage.tsx')).NotificationsPage }))
const BackupSettings = lazy(async () => ({ default: (await import('./settings/BackupSettings.tsx')).BackupSettings }))
const ServiceSettings = lazy(async () => ({ default: (await import('./settings/ServiceSettings.tsx')).ServiceSettings }))

const AccountPage = lazy(async () => ({ default: (await import('./account/AccountPage.tsx')).AccountPage }))
const SecondStep = lazy(async () => ({ default: (await import('./sign-in/SecondStep.tsx')).SecondStep }))

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
  ...(hasApprovals ? [{ path: '/approvals', label: t('Approvals'), icon: 'approvals' } as const] : []),
  { path: '/activity', label: t('Activity'), icon: 'activity' },
  { path: '/jobs', label: t('Jobs'), icon: 'jobs' },
  { path: '/reports', label: t('Reports'), icon: 'reports' },
  { path: '/agents', label: t('Agents & API'), icon: 'agents', managers: true },
  { path: '/members', label: t('Members'), icon: 'members', managers: true },
  { path: '/settings', label: t('Settings'), icon: 'settings' },
]

export function App() {
  const { session, half } = useSession()
  const [path] = useLocation()
  const way = half ? (
    <SecondStep half={half} />
  ) : path === '/join' ? (
    <JoinPage />
  ) : path === '/recover' ? (
    <RecoverPage />
  ) : session.user === null ? (
    <SignInPage />
  ) : undefined
  return way ? <Suspense fallback={<Waiting />}>{way}</Suspense> : <SignedIn />
}

function SignedIn() {
  const { session } = useSession()
  const [opened, { toggle, close }] = useDisclosure()
  const [path] = useLocation()
  const manages = useMay('manage')
  // People of a client see their sites, and nothing that is about the whole workspace.
  const guest = session.workspace?.sees != null
  // Beyond the edge of a narrow screen nobody should come to it with the keyboard either.
  const narrow = useMediaQuery('(max-width: 61.99em)')
  const waiting = useWaiting()
  useChanges(session.workspace !== null)
  const reached = places.filter(({ path: to, managers }) => (manages || !managers) && (!guest || to === '/'))
  const goals = [
    ...reached.map(({ path: to, label }) => ({ label, about: t('Page'), path: to })),
    { label: t('Account'), about: t('You'), path: '/account' },
    ...(guest ? [] : settingsPlaces(manages).map(([to, label]) => ({ label, about: t('Settings'), path: to }))),
  ]
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere is done with the menu
  useEffect(close, [path])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'lg' }}
    >
      <a href="#content" className="skip">
        {t('Skip to the content')}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={opened ? t('Close the menu') : t('Open the menu')}
            />
            <Link href="/" className="brand" aria-label={t('Site fleet, all sites')}>
              <Mark />
            </Link>
            <WorkspaceMenu />
          </Group>
          <Group gap={6} wrap="nowrap">
            <PaletteButton pages={goals} />
            <SchemeButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="side" component="nav" inert={narrow === true && !opened} aria-label={t('Main')}>
        {reached.map(({ path: to, label, icon }) => {
          const here = isWithin(to, path)
          return (
            <NavLink
              key={to}
              component={Link}
              href={to}
              label={label}
              leftSection={<Icon name={icon} />}
              rightSection={to === '/approvals' && waiting > 0 ? <span className="waiting">{waiting}</span> : undefined}
              active={here}
              aria-current={here ? 'page' : undefined}
            />
          )
        })}
        <p className="foot">
          <a href="/docs">{t('API reference')}</a>
        </p>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>{session.workspace === null ? <NoWorkspace /> : <Places />}</Suspense>
      </AppShell.Main>
    </AppShell>
  )
}

/** Whether a path is a page of this place. */
function isWithin(place: string, path: string): boolean {
  if (place === '/') return path === '/' || path.startsWith('/sites/')
  return path.startsWith(place) || (place === '/reports' && path.startsWith('/clients'))
}

const NoWorkspace = () => (
  <Nothing title={t('No workspace to show')}>
    {t('You are no member of this workspace any more. Choose another one above, or ask whoever invited you.')}
  </Nothing>
)

const Places = () => (
  <Switch>
    <Route path="/" component={FleetPage} />
    <Route path="/sites/:site/:part?">{({ site, part }) => <SitePage key={site} site={site} part={part ?? 'overview'} />}</Route>
    <Route path="/updates" component={UpdatesPage} />
    <Route path="/updates/rules" component={RulesPage} />
    <Route path="/updates/:type/:slug">{({ type, slug }) => <ThingPage key={`${type} ${slug}`} type={type} slug={slug} />}</Route>
    <Route path="/weaknesses" component={WeaknessesPage} />
    <Route path="/rollouts/:rollout">{({ rollout }) => <RolloutPage rollout={rollout} />}</Route>
    {hasApprovals && <Route path="/approvals" component={ApprovalsPage} />}
    {hasApprovals && <Route path="/approvals/:approval">{({ approval }) => <ApprovalPage key={approval} id={approval} />}</Route>}
    <Route path="/activity" component={ActivityPage} />
    <Route path="/jobs" component={JobsPage} />
    <Route path="/jobs/:job">{({ job }) => <JobPage job={job} />}</Route>
    <Route path="/reports" component={ReportsPage} />
    <Route path="/reports/:report">{({ report }) => <ReportPage key={report} report={report} />}</Route>
    <Route path="/clients" component={ClientsPage} />
    <Route path="/clients/:client">{({ client }) => <ClientPage key={client} client={client} />}</Route>
    <Route path="/agents" component={AgentsPage} />
    <Route path="/members" component={MembersPage} />
    <Route path="/settings" component={SettingsPage} />
    <Route path="/settings/policies" component={PoliciesPage} />
    <Route path="/settings/audit" component={AuditPage} />
    <Route path="/settings/notifications" component={NotificationsPage} />
    <Route path="/settings/backups" component={BackupSettings} />
    <Route path="/settings/service" component={ServiceSettings} />
    <Route path="/account" component={AccountPage} />
    <Route path="/sign-in">
      <Redirect to="/" replace />
    </Route>
    <Route>
      <Nothing title={t('There is no such page')} action={<Link href="/">{t('To the sites')}</Link>}>
        {t('Perhaps it was moved, or the address is not complete.')}
      </Nothing>
    </Route>
  </Switch>
)
