import type { Item } from '../api.ts'
import { usePages } from '../queries.ts'
import { t } from '../text.ts'
import { Empty, More, State, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { words } from './words.ts'

/** Who set what, version by version. */
export function Versions() {
  const versions = usePages('policies.history', { limit: 20 }, { every: 15_000 })
  const names = useSiteNames()
  if (versions.error && !versions.data) return <Trouble error={versions.error} again={() => void versions.refetch()} />
  if (versions.isPending) return <Waiting rows={2} />
  if (versions.items.length === 0) return <Empty title={t('As usual')}>{t('Nobody has set anything yet.')}</Empty>
  return (
    <>
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">{t('Version')}</th>
            <th scope="col">{t('What')}</th>
            <th scope="col">{t('Change')}</th>
            <th scope="col">{t('By')}</th>
            <th scope="col">{t('When')}</th>
          </tr>
        </thead>
        <tbody>
          {versions.items.map(({ version, title, change, set_by, set_at }: Item<'policies.history'>) => (
            <tr key={version}>
              <td>{version}</td>
              <td>
                {title}
                {(change.site_id || change.tag) && (
                  <div className="soft">{change.site_id ? names(change.site_id) : t('Tag {tag}', { tag: change.tag })}</div>
                )}
              </td>
              <td data-label={t('Change')}>
                {change.before ? words[change.before] : t('As usual')} → {change.after ? words[change.after] : t('as usual')}
                {change.looser && <State tone="warn">{t('asks less')}</State>}
              </td>
              <td data-label={t('By')}>{set_by.name}</td>
              <td data-label={t('When')}>
                <When at={set_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More of={versions} />
    </>
  )
}
