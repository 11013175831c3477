import { Link } from 'wouter'
import { backupOf, securityOf, updatesOf, uptimeOf } from '../fleet/judge.ts'
import { JobRows } from '../jobs/JobsPage.tsx'
import { useCall } from '../queries.ts'
import { Asked, Facts, SiteSaid, State, When } from '../ui/parts.tsx'
import { count, plainly } from '../words.ts'
import type { Site } from './SitePage.tsx'

const yesNo = (known: boolean | null) => (known === null ? 'not known' : known ? 'yes' : 'no')

export function Overview({ site }: { site: Site }) {
  const [uptime, security, backup, updates] = [uptimeOf(site), securityOf(site), backupOf(site), updatesOf(site)]
  const jobs = useCall('jobs.list', { site_id: site.id, limit: 5 }, { every: 4000 })
  const error = site.connection.last_error
  return (
    <div className="cards">
      {error && site.status !== 'connected' && (
        <section className="card wide">
          <h2>What stands in the way</h2>
          <p>{error.message}</p>
          <SiteSaid text={error.site_said?.text} />
          <p className="soft">
            <When at={error.at} />. <a href="/docs#start">What to do</a> depends on the reason: {plainly(error.reason).toLowerCase()}.
          </p>
        </section>
      )}
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/uptime`}>Uptime</Link>
        </h2>
        <State tone={uptime.tone}>{uptime.words}</State>
        <p className="soft">
          {site.uptime && site.uptime.state !== 'unknown' ? (
            <>
              Since <When at={site.uptime.since} />
            </>
          ) : (
            uptime.why
          )}
        </p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/security`}>Security</Link>
        </h2>
        <State tone={security.tone}>{security.words}</State>
        <p className="soft">{security.why ?? 'No finding is open.'}</p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/updates`}>Updates</Link>
        </h2>
        <State tone={updates === null ? 'unknown' : updates > 0 ? 'warn' : 'good'}>
          {updates === null ? 'Not known' : updates === 0 ? 'Up to date' : `${updates} waiting`}
        </State>
        <p className="soft">
          {site.updates_available
            ? `${count(site.updates_available.plugins, 'plugin')}, ${count(site.updates_available.themes, 'theme')}${site.updates_available.core ? ', WordPress itself' : ''}`
            : 'Its inventory was never read.'}
        </p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/backups`}>Backups</Link>
        </h2>
        <State tone={backup.tone}>{backup.words}</State>
        <p className="soft">
          {site.last_good_backup ? (
            <>
              Last good one <When at={site.last_good_backup.completed_at} /> ({site.last_good_backup.type})
            </>
          ) : (
            backup.why
          )}
          {site.schedule ? `; daily at ${site.schedule.at}` : '; no schedule'}
        </p>
      </section>
      <section className="card">
        <h2>Facts</h2>
        <Facts
          of={[
            ['WordPress', site.wp_version ?? 'not known'],
            ['PHP', site.php_version ?? 'not known'],
            ['Server', site.server_software ?? 'not known'],
            ['Theme', site.active_theme ?? 'not known'],
            ['Network', yesNo(site.is_multisite)],
            ['HTTPS', yesNo(site.is_ssl)],
          ]}
        />
      </section>
      <section className="card">
        <h2>Connection</h2>
        <Facts
          of={[
            ['Last answer', <When key="a" at={site.connection.last_seen_at} />],
            ['Took', site.connection.latency_ms === null ? 'not known' : `${site.connection.latency_ms} ms`],
            ['Door', site.connection.door ?? 'none yet'],
            ['Plugin', site.connector_version ?? 'not known'],
            ['Inventory', <When key="i" at={site.synced_at} never="never read" />],
            ['Added', <When key="c" at={site.created_at} />],
          ]}
        />
      </section>
      {site.notes && (
        <section className="card wide">
          <h2>Notes</h2>
          <p style={{ whiteSpace: 'pre-wrap', margin: 0 }}>{site.notes}</p>
        </section>
      )}
      <section className="card wide">
        <h2>Latest jobs</h2>
        <Asked of={jobs}>{(latest) => (latest.length === 0 ? <p className="soft">None yet.</p> : <JobRows jobs={latest} ofSite />)}</Asked>
      </section>
    </div>
  )
}
