// Every page of the dashboard by its address; each is loaded when somebody goes there.
import { lazy } from 'react'
import { Link, Redirect, Route, Switch } from 'wouter'
import { t } from '../text.ts'
import { coming, Later } from '../ui/later.tsx'
import { Nothing } from '../ui/parts.tsx'

const fleetPage = coming(async () => (await import('../fleet/FleetPage.tsx')).FleetPage)
const sitePage = coming(async () => (await import('../site/SitePage.tsx')).SitePage)
const UpdatesPage = lazy(async () => ({ default: (await import('../updates/UpdatesPage.tsx')).UpdatesPage }))
const RolloutPage = lazy(async () => ({ default: (await import('../updates/RolloutPage.tsx')).RolloutPage }))
const ApprovalsPage = lazy(async () => ({ default: (await import('../approvals/ApprovalsPage.tsx')).ApprovalsPage }))
const ApprovalPage = lazy(async () => ({ default: (await import('../approvals/ApprovalPage.tsx')).ApprovalPage }))
const ActivityPage = lazy(async () => ({ default: (await import('../activity/ActivityPage.tsx')).ActivityPage }))
const JobsPage = lazy(async () => ({ default: (await import('../jobs/JobsPage.tsx')).JobsPage }))
const JobPage = lazy(async () => ({ default: (await import('../jobs/JobPage.tsx')).JobPage }))
const AgentsPage = lazy(async () => ({ default: (await import('../agents/AgentsPage.tsx')).AgentsPage }))
const MembersPage = lazy(async () => ({ default: (await import('../members/MembersPage.tsx')).MembersPage }))
const PoliciesPage = lazy(async () => ({ default: (await import('../policies/PoliciesPage.tsx')).PoliciesPage }))
const AuditPage = lazy(async () => ({ default: (await import('../audit/AuditPage.tsx')).AuditPage }))
const RulesPage = lazy(async () => ({ default: (await import('../updates/RulesPage.tsx')).RulesPage }))
const ReportsPage = lazy(async () => ({ default: (await import('../reports/ReportsPage.tsx')).ReportsPage }))
const ReportPage = lazy(async () => ({ default: (await import('../reports/ReportPage.tsx')).ReportPage }))
const ClientsPage = lazy(async () => ({ default: (await import('../reports/ClientsPage.tsx')).ClientsPage }))
const ClientPage = lazy(async () => ({ default: (await import('../reports/ClientPage.tsx')).ClientPage }))
const SettingsPage = lazy(async () => ({ default: (await import('../settings/SettingsPage.tsx')).SettingsPage }))
const ThingPage = lazy(async () => ({ default: (await import('../updates/ThingPage.tsx')).ThingPage }))
const WeaknessesPage = lazy(async () => ({ default: (await import('../updates/WeaknessesPage.tsx')).WeaknessesPage }))
const NotificationsPage = lazy(async () => ({ default: (await import('../notifications/NotificationsPage.tsx')).NotificationsPage }))
const BackupSettings = lazy(async () => ({ default: (await import('../settings/BackupSettings.tsx')).BackupSettings }))
const ServiceSettings = lazy(async () => ({ default: (await import('../settings/ServiceSettings.tsx')).ServiceSettings }))
const AccountPage = lazy(async () => ({ default: (await import('../account/AccountPage.tsx')).AccountPage }))

/** The pages most people begin with are there when the frame is. */
export async function loadPage(path: string): Promise<void> {
  if (path === '/') await fleetPage.load()
  else if (path.startsWith('/sites/')) await sitePage.load()
}

export const Places = () => (
  <Switch>
    <Route path="/">
      <Later of={fleetPage} with={{}} />
    </Route>
    <Route path="/sites/:site/:part?">
      {({ site, part }) => <Later key={site} of={sitePage} with={{ site, part: part ?? 'overview' }} />}
    </Route>
    <Route path="/updates" component={UpdatesPage} />
    <Route path="/updates/rules" component={RulesPage} />
    <Route path="/updates/:type/:slug">{({ type, slug }) => <ThingPage key={`${type} ${slug}`} type={type} slug={slug} />}</Route>
    <Route path="/weaknesses" component={WeaknessesPage} />
    <Route path="/rollouts/:rollout">{({ rollout }) => <RolloutPage rollout={rollout} />}</Route>
    <Route path="/approvals" component={ApprovalsPage} />
    <Route path="/approvals/:approval">{({ approval }) => <ApprovalPage key={approval} id={approval} />}</Route>
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
