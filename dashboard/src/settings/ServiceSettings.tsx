import { List } from '@mantine/core'
import { Link } from 'wouter'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Asked, Page, Snippet, State, When } from '../ui/parts.tsx'
import { count, webAddress } from '../words.ts'
import { SettingsNav } from './SettingsNav.tsx'

/** What of the whole service can be seen from here; what only its operator may do is said with the command. */
export function ServiceSettings() {
  const manages = useMay('manage')
  return (
    <Page title="Feed, keys and danger zone">
      <SettingsNav here="/settings/service" />
      <div className="cards">
        <section className="card wide">
          <h2>Known vulnerabilities</h2>
          <Feed />
        </section>
        <section className="card wide">
          <h2>Recovery kit</h2>
          <p className="soft">
            Backups are sealed with keys of this service. With the store and a recovery kit everything is brought back on another machine;
            without the kit nobody can read a backup. It is printed where the service runs, never shown here. Keep it elsewhere, and print
            it again after a workspace was made or the master key replaced.
          </p>
          <Snippet label="Command that prints the recovery kit" text="npm run -s admin -- keys export" />
          <p className="soft">Replaces the master key; print a new kit afterwards:</p>
          <Snippet label="Command that replaces the master key" text="npm run -s admin -- keys rotate" />
        </section>
        <section className="card wide">
          <h2>Danger zone</h2>
          <List spacing="xs" size="sm">
            {manages && (
              <List.Item>
                All agents at once are stopped under <Link href="/agents">Agents &amp; API</Link>.
              </List.Item>
            )}
            <List.Item>One backup is deleted, or taken as right although it is much smaller, in the menu beside it.</List.Item>
            <List.Item>A site is removed, with its backups here, in its own settings. The site itself stays as it is.</List.Item>
            {manages && (
              <List.Item>
                Somebody loses every right with the next request when <Link href="/members">removed from the members</Link>.
              </List.Item>
            )}
            <List.Item>A workspace as a whole is not deleted from here: nothing does it yet, neither here nor for the operator.</List.Item>
          </List>
          <p className="soft">Somebody who cannot sign in any more gets a link to a new password with</p>
          <Snippet label="Command that makes a link to a new password" text="npm run -s admin -- person reset --email you@example.com" />
        </section>
      </div>
    </Page>
  )
}

function Feed() {
  const feed = useCall('vulnerabilities.feed', {}, { every: 60_000 })
  return (
    <Asked of={feed} rows={2}>
      {({ configured, message, records, sources, notices }) => (
        <>
          <p>
            <State tone={!configured || records === 0 ? 'unknown' : 'good'}>{configured ? count(records, 'record') : 'No feed'}</State>{' '}
            {message}
          </p>
          {sources.length > 0 && (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">Source</th>
                  <th scope="col">Records</th>
                  <th scope="col">Last read</th>
                  <th scope="col">Next</th>
                </tr>
              </thead>
              <tbody>
                {sources.map((source) => (
                  <tr key={`${source.kind} ${source.format} ${source.next_at}`}>
                    <td>
                      {source.format ?? 'not read yet'} <span className="soft">from {source.kind === 'url' ? 'an address' : 'a file'}</span>
                      {source.error && <div className="soft">The last look failed: {source.error.message}</div>}
                    </td>
                    <td data-label="Records">
                      {source.records}
                      {source.unreadable > 0 && <span className="soft">, {source.unreadable} not readable</span>}
                    </td>
                    <td data-label="Last read">
                      <When at={source.refreshed_at} />
                    </td>
                    <td data-label="Next">
                      <When at={source.next_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {notices.map(({ notice, license, license_url }) => (
            <p className="soft" key={notice}>
              {notice} {webAddress(license_url) ? <a href={webAddress(license_url)}>{license || 'Licence'}</a> : license}
            </p>
          ))}
          <p className="soft">
            Which feeds are read is said when the service is started (SERVICE_VULNERABILITY_FEED). Its operator reads them at once with
          </p>
          <Snippet label="Command that reads the feed" text="npm run -s admin -- feed refresh" />
        </>
      )}
    </Asked>
  )
}
