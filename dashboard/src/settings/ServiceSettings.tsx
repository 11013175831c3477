import { List } from '@mantine/core'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Asked, Page, State, type Tone, When } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { webAddress } from '../words.ts'
import { DeleteWorkspace } from './DeleteWorkspace.tsx'
import { SettingsNav } from './SettingsNav.tsx'

/** What of the whole service can be seen from here; what only its operator may do is said with the command. */
export function ServiceSettings() {
  const manages = useMay('manage')
  return (
    <Page title={t('Feed, keys and danger zone')}>
      <SettingsNav here="/settings/service" />
      <div className="cards">
        <section className="card wide">
          <h2>{t('Known vulnerabilities')}</h2>
          <Feed />
        </section>
        <section className="card wide">
          <h2>{t('Recovery kit')}</h2>
          <p className="soft">
            {t(
              'Backups are sealed with keys of this service. With the store and a recovery kit everything is brought back on another machine; without the kit nobody can read a backup. It is printed where the service runs, never shown here. Keep it elsewhere, and print it again after a workspace was made or the master key replaced.',
            )}
          </p>
          {manages && <Kit />}
          <Snippet label={t('Command that prints the recovery kit')} text="npm run -s admin -- keys export" />
          <p className="soft">{t('Replaces the master key; print a new kit afterwards:')}</p>
          <Snippet label={t('Command that replaces the master key')} text="npm run -s admin -- keys rotate" />
        </section>
        <section className="card wide">
          <h2>{t('Danger zone')}</h2>
          <List spacing="xs" size="sm">
            {manages && (
              <List.Item>
                <T message="All agents at once are stopped under <a>Agents & API</a>." a={(words) => <Link href="/agents">{words}</Link>} />
              </List.Item>
            )}
            <List.Item>{t('One backup is deleted, or taken as right although it is much smaller, in the menu beside it.')}</List.Item>
            <List.Item>{t('A site is removed, with its backups here, in its own settings. The site itself stays as it is.')}</List.Item>
            {manages && (
              <List.Item>
                <T
                  message="Somebody loses every right with the next request when <a>removed from the members</a>."
                  a={(words) => <Link href="/members">{words}</Link>}
                />
              </List.Item>
            )}
          </List>
          <p className="soft">{t('Somebody who cannot sign in any more gets a link to a new password with')}</p>
          <Snippet
            label={t('Command that makes a link to a new password')}
            text="npm run -s admin -- person reset --email you@example.com"
          />
          <DeleteWorkspace />
        </section>
      </div>
    </Page>
  )
}

const kits: Record<Output<'workspaces.recovery_kit'>['state'], [Tone, string]> = {
  never: ['bad', t('Never printed')],
  older_than_key: ['bad', t('Older than the master key')],
  current: ['good', t('Printed with this key')],
}

/** Whether there is one that brings this workspace back. */
function Kit() {
  const kit = useCall('workspaces.recovery_kit', {})
  return (
    <Asked of={kit} rows={1}>
      {({ state, exported_at }) => (
        <p>
          <State tone={kits[state][0]}>{kits[state][1]}</State> {exported_at && <When at={exported_at} />}
        </p>
      )}
    </Asked>
  )
}

function Feed() {
  const feed = useCall('vulnerabilities.feed', {}, { every: 60_000 })
  return (
    <Asked of={feed} rows={2}>
      {({ configured, message, records, sources, notices }) => (
        <>
          <p>
            <State tone={!configured || records === 0 ? 'unknown' : 'good'}>
              {configured ? t('{records, plural, one {# record} other {# records}}', { records }) : t('No feed')}
            </State>{' '}
            {message}
          </p>
          {sources.length > 0 && (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">{t('Source')}</th>
                  <th scope="col">{t('Records')}</th>
                  <th scope="col">{t('Last read')}</th>
                  <th scope="col">{t('Next')}</th>
                </tr>
              </thead>
              <tbody>
                {sources.map((source) => (
                  <tr key={`${source.kind} ${source.format} ${source.next_at}`}>
                    <td>
                      {source.format ?? t('not read yet')}{' '}
                      <span className="soft">{source.kind === 'url' ? t('from an address') : t('from a file')}</span>
                      {source.error && (
                        <div className="soft">
                          <T message="The last look failed: {words}" words={source.error.message} />
                        </div>
                      )}
                    </td>
                    <td data-label={t('Records')}>
                      {source.records}
                      {source.unreadable > 0 && (
                        <span className="soft">, {t('{unreadable} not readable', { unreadable: source.unreadable })}</span>
                      )}
                    </td>
                    <td data-label={t('Last read')}>
                      <When at={source.refreshed_at} />
                    </td>
                    <td data-label={t('Next')}>
                      <When at={source.next_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {notices.map(({ notice, license, license_url }) => (
            <p className="soft" key={notice}>
              {notice} {webAddress(license_url) ? <a href={webAddress(license_url)}>{license || t('Licence')}</a> : license}
            </p>
          ))}
          <p className="soft">
            {t(
              'Which feeds are read is said when the service is started (SERVICE_VULNERABILITY_FEED). Its operator reads them at once with',
            )}
          </p>
          <Snippet label={t('Command that reads the feed')} text="npm run -s admin -- feed refresh" />
        </>
      )}
    </Asked>
  )
}
