import { Link } from 'wouter'
import { backupOf, offersUnread, securityOf, updatesOf, uptimeOf } from '../fleet/judge.ts'
import { JobRows } from '../jobs/JobRows.tsx'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { inLanguage, T, t } from '../text.ts'
import { Asked, Facts, SiteSaid, State, When } from '../ui/parts.tsx'
import { milliseconds } from '../words.ts'
import { AskNow } from './AskNow.tsx'
import { holds, type Site } from './nouns.ts'
import { scheduleOf } from './schedule.ts'

const yesNo = (known: boolean | null) => (known === null ? t('not known') : known ? t('yes') : t('no'))

/** What waits, of each kind that does. */
const waitingOf = ({ plugins, themes, core }: NonNullable<Site['updates_available']>) =>
  [
    core > 0 && 'WordPress',
    plugins > 0 && t('{plugins, plural, one {# plugin} other {# plugins}}', { plugins }),
    themes > 0 && t('{themes, plural, one {# theme} other {# themes}}', { themes }),
  ]
    .filter(Boolean)
    .join(', ') || t('No update is known.')

export function Overview({ site }: { site: Site }) {
  const [uptime, security, backup, updates] = [uptimeOf(site), securityOf(site), backupOf(site), updatesOf(site)]
  const jobs = useCall('jobs.list', { site_id: site.id, limit: 5 }, { every: 4000 })
  const error = site.connection.last_error
  const [works, manages] = [useMay('write'), useMay('manage')]
  const stands = error !== null && site.status !== 'connected'
  const askNow = works && site.status !== 'disconnected' && <AskNow site={site} />
  return (
    <div className="cards">
      {stands && (
        <section className="card wide">
          <h2>{t('What stands in the way')}</h2>
          <p>{error.message}</p>
          {error.next && <p>{inLanguage(error.next)}</p>}
          <SiteSaid text={error.site_said?.text} />
          <p className="soft">
            <T message="{when}, for the reason {reason}" when={<When at={error.at} />} reason={<code>{error.reason}</code>} />
          </p>
          {manages && error.reason === 'login_wall' && (
            <p>
              <Link href={`/sites/${site.id}/settings`}>{t('Give the service the password')}</Link>
            </p>
          )}
          {askNow}
        </section>
      )}
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/uptime`}>{t('Uptime')}</Link>
        </h2>
        <State tone={uptime.tone}>{uptime.words}</State>
        <p className="soft">
          {site.uptime && site.uptime.state !== 'unknown' ? (
            <T message="Since {when}" when={<When at={site.uptime.since} />} />
          ) : (
            uptime.why
          )}
        </p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/security`}>{t('Security')}</Link>
        </h2>
        <State tone={security.tone}>{security.words}</State>
        <p className="soft">{security.why ?? t('No finding is open.')}</p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/updates`}>{t('Updates')}</Link>
        </h2>
        <State tone={updates === null ? 'unknown' : updates > 0 ? 'warn' : 'good'}>
          {updates === null ? t('Not known') : updates === 0 ? t('Up to date') : t('{updates} waiting', { updates })}
        </State>
        <p className="soft">{site.updates_available ? waitingOf(site.updates_available) : offersUnread}</p>
      </section>
      <section className="card">
        <h2>
          <Link href={`/sites/${site.id}/backups`}>{t('Backups')}</Link>
        </h2>
        <State tone={backup.tone}>{backup.words}</State>
        <p className="soft">
          {site.last_good_backup ? (
            <T
              message="Last good one {when} ({type})"
              when={<When at={site.last_good_backup.completed_at} />}
              type={holds[site.last_good_backup.type]}
            />
          ) : (
            backup.why
          )}
        </p>
        <p className="soft">{scheduleOf(site)}</p>
      </section>
      <section className="card">
        <h2>{t('Facts')}</h2>
        <Facts
          of={[
            ['WordPress', site.wp_version ?? t('not known')],
            ['PHP', site.php_version ?? t('not known')],
            [t('Server'), site.server_software ?? t('not known')],
            [t('Theme'), site.active_theme ?? t('not known')],
            [t('Multisite'), yesNo(site.is_multisite)],
            ['HTTPS', yesNo(site.is_ssl)],
          ]}
        />
      </section>
      <section className="card">
        <h2>{t('Connection')}</h2>
        <Facts
          of={[
            [t('Last answer'), <When key="a" at={site.connection.last_seen_at} />],
            [t('Took'), site.connection.latency_ms === null ? t('not known') : milliseconds(site.connection.latency_ms)],
            [t('Door'), site.connection.door ?? t('none yet')],
            [t('Plugin'), site.connector_version ?? t('not known')],
            [t('Inventory'), <When key="i" at={site.synced_at} never={t('never read')} />],
            [t('Added'), <When key="c" at={site.created_at} />],
          ]}
        />
        {!stands && askNow}
      </section>
      {site.notes && (
        <section className="card wide">
          <h2>{t('Notes')}</h2>
          <p style={{ whiteSpace: 'pre-wrap', margin: 0 }}>{site.notes}</p>
        </section>
      )}
      <section className="card wide">
        <h2>{t('Latest jobs')}</h2>
        <Asked of={jobs}>
          {(latest) => (latest.length === 0 ? <p className="soft">{t('None yet.')}</p> : <JobRows jobs={latest} ofSite />)}
        </Asked>
      </section>
    </div>
  )
}
