import { Link } from 'wouter'
import { T, t } from '../text.ts'
import { State, When } from '../ui/parts.tsx'
import { plainly } from '../words.ts'
import { periodOf } from './period.ts'
import { type Report, toneOf } from './tell.ts'

export const ReportRows = ({ reports, ofClient = false }: { reports: readonly Report[]; ofClient?: boolean }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Report')}</th>
        <th scope="col">{t('State')}</th>
        {!ofClient && <th scope="col">{t('Client')}</th>}
        <th scope="col">{t('Version')}</th>
        <th scope="col">{t('Since')}</th>
      </tr>
    </thead>
    <tbody>
      {reports.map((report) => (
        <tr key={report.id}>
          <td>
            <Link href={`/reports/${report.id}`} className="name">
              {periodOf(report)}
            </Link>
            {report.send_at && (
              <div className="soft">
                <T message="Published and sent {when} unless somebody discards it" when={<When at={report.send_at} />} />
              </div>
            )}
          </td>
          <td>
            <State tone={toneOf(report)}>{plainly(report.status)}</State>
          </td>
          {!ofClient && (
            <td data-label={t('Client')}>
              <Link href={`/clients/${report.client_id}`}>{report.client_name}</Link>
            </td>
          )}
          <td data-label={t('Version')}>{report.version}</td>
          <td data-label={t('Since')}>
            <When at={report.published_at ?? report.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
