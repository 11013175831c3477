import { memo } from 'react'
import { Link } from 'wouter'
import { State, When } from '../ui/parts.tsx'
import { count, hostOf } from '../words.ts'
import { backupOf, connectionOf, type Site, securityOf, updatesOf, uptimeOf, type Verdict } from './judge.ts'

const Told = ({ tone, words, why }: Verdict) => (
  <State tone={tone} why={why}>
    {words}
  </State>
)

/** The names are the sites' own: they are shown as text, whatever they hold. */
export const SiteRows = ({ sites }: { sites: Site[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">Site</th>
        <th scope="col">Connection</th>
        <th scope="col">Uptime</th>
        <th scope="col">Security</th>
        <th scope="col">Updates</th>
        <th scope="col">Backup</th>
        <th scope="col">Versions</th>
      </tr>
    </thead>
    <tbody>
      {sites.map((site) => (
        <Row key={site.id} site={site} />
      ))}
    </tbody>
  </table>
)

const Row = memo(({ site }: { site: Site }) => {
  const updates = updatesOf(site)
  const backup = backupOf(site)
  return (
    <tr>
      <td>
        <Link href={`/sites/${site.id}`} className="name">
          {site.name || hostOf(site.url)}
        </Link>
        <br />
        <small>
          {hostOf(site.url)}
          {site.client && ` · ${site.client}`}
        </small>{' '}
        <span className="tags">
          {site.tags.map((tag) => (
            <span className="tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
      </td>
      <td>
        <Told {...connectionOf(site)} />
      </td>
      <td data-label="Uptime">
        <Told {...uptimeOf(site)} />
      </td>
      <td data-label="Security">
        <Told {...securityOf(site)} />
      </td>
      <td>
        {updates === null ? (
          <State tone="unknown" why="Its inventory was never read.">
            Not known
          </State>
        ) : (
          <State tone={updates > 0 ? 'warn' : 'good'}>{updates > 0 ? count(updates, 'update') : 'Up to date'}</State>
        )}
      </td>
      <td data-label="Backup">
        <Told {...backup} />
        {site.last_good_backup && (
          <>
            {' '}
            <small>
              <When at={site.last_good_backup.completed_at} />
            </small>
          </>
        )}
      </td>
      <td data-label="Versions">
        <small>
          {[site.wp_version && `WP ${site.wp_version}`, site.php_version && `PHP ${site.php_version}`].filter(Boolean).join(' · ') ||
            'not known'}
        </small>
      </td>
    </tr>
  )
})
