import { Link } from 'wouter'
import { useCall } from '../queries.ts'
import { t } from '../text.ts'
import { Asked, Facts } from '../ui/parts.tsx'
import { hostOf, size } from '../words.ts'

/** What the workspace takes in the store, and the sites that take most of it. */
export function StorageUsed() {
  const storage = useCall('workspaces.storage', {}, { every: 60_000 })
  return (
    <Asked of={storage} rows={4}>
      {({ backups, stored_bytes, size_bytes, pictures_bytes, reports_bytes, sites }) => (
        <>
          <Facts
            of={[
              [t('Backups'), t('{backups, plural, one {# backup} other {# backups}}', { backups })],
              [t('They take'), size(stored_bytes)],
              [t('They hold'), size_bytes === null ? t('not known') : size(size_bytes)],
              [t('Pictures of updates'), size(pictures_bytes)],
              [t('Published reports'), size(reports_bytes)],
            ]}
          />
          <p className="soft">
            {t('What several backups hold is kept once, packed; so they take less than they hold. The ten sites whose backups added most:')}
          </p>
          {sites.length > 0 && (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">{t('Site')}</th>
                  <th scope="col">{t('Backups')}</th>
                  <th scope="col">{t('Added to the store')}</th>
                  <th scope="col">{t('Held')}</th>
                </tr>
              </thead>
              <tbody>
                {sites.map(({ site_id, name, url, backups: its, added_bytes, size_bytes: held }) => (
                  <tr key={site_id}>
                    <td>
                      <Link href={`/sites/${site_id}/backups`}>{name || hostOf(url)}</Link> <span className="soft">{hostOf(url)}</span>
                    </td>
                    <td data-label={t('Backups')}>{its}</td>
                    <td data-label={t('Added to the store')}>{added_bytes === null ? t('not known') : size(added_bytes)}</td>
                    <td data-label={t('Held')}>{held === null ? t('not known') : size(held)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Asked>
  )
}
