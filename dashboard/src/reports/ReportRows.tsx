import { Link } from 'wouter'
import { State, When } from '../ui/parts.tsx'
import { plainly } from '../words.ts'
import { periodOf, type Report, toneOf } from './tell.ts'

export const ReportRows = ({ reports, ofClient = false }: { reports: readonly Report[]; ofClient?: boolean }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">Report</th>
        <th scope="col">State</th>
        {!ofClient && <th scope="col">Client</th>}
        <th scope="col">Version</th>
        <th scope="col">Since</th>
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
                Published and sent <When at={report.send_at} /> unless somebody discards it
              </div>
            )}
          </td>
          <td>
            <State tone={toneOf(report)}>{plainly(report.status)}</State>
          </td>
          {!ofClient && (
            <td data-label="Client">
              <Link href={`/clients/${report.client_id}`}>{report.client_name}</Link>
            </td>
          )}
          <td data-label="Version">{report.version}</td>
          <td data-label="Since">
            <When at={report.published_at ?? report.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
