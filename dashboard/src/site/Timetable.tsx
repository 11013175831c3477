import { useCall } from '../queries.ts'
import { t } from '../text.ts'
import { Asked, State, When } from '../ui/parts.tsx'
import { lasting } from '../words.ts'
import type { Site } from './nouns.ts'

/** What is done for the site by itself. */
export function Timetable({ site }: { site: Site }) {
  const timetable = useCall('timetable.get', { site_id: site.id }, { every: 30_000 })
  return (
    <Asked of={timetable} rows={6}>
      {({ asked, items }) => (
        <>
          <p className="soft">
            {asked
              ? t('What the service does for this site by itself, what comes next first.')
              : t('The site is not connected, so nothing of this is done at present.')}
          </p>
          <table className="rows stack">
            <thead>
              <tr>
                <th scope="col">{t('What')}</th>
                <th scope="col">{t('State')}</th>
                <th scope="col">{t('Last done')}</th>
                <th scope="col">{t('Next')}</th>
                <th scope="col">{t('Comes every')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ kind, what, enabled, last_at, next_at, every_s }) => (
                <tr key={kind}>
                  <td>
                    <b>{what}</b>
                  </td>
                  <td>
                    <State tone={enabled && asked ? 'good' : 'unknown'}>{enabled ? (asked ? t('On') : t('Waits')) : t('Off')}</State>
                  </td>
                  <td data-label={t('Last done')}>
                    <When at={last_at} never={t('never')} />
                  </td>
                  <td data-label={t('Next')}>
                    <When at={next_at} never={enabled ? t('has no turn yet') : '–'} />
                  </td>
                  <td data-label={t('Every')}>{lasting(every_s)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Asked>
  )
}
