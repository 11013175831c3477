import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { T, t } from '../text.ts'
import { When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { jobPath, plainly } from '../words.ts'
import { isRestoreOfToday, type Job, JobProgress, JobState } from './tell.tsx'

const UndoRestore = lazy(async () => ({ default: (await import('./UndoRestore.tsx')).UndoRestore }))

export function JobRows({ jobs, ofSite = false }: { jobs: Job[]; ofSite?: boolean }) {
  const names = useSiteNames(!ofSite)
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">{t('Job')}</th>
          <th scope="col">{t('State')}</th>
          {!ofSite && <th scope="col">{t('Site')}</th>}
          <th scope="col">{t('Asked by')}</th>
          <th scope="col">{t('Since')}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td>
              <Link href={jobPath(job.id)} className="name">
                {plainly(job.type)}
              </Link>
              {job.summary && <div className="soft">{job.summary}</div>}
              {job.error && <div className="soft">{job.error.message}</div>}
              <JobProgress job={job} />
              {isRestoreOfToday(job) && (
                <Suspense>
                  <UndoRestore job={job} />
                </Suspense>
              )}
            </td>
            <td>
              <JobState job={job} />
            </td>
            {!ofSite && (
              <td>
                {job.site_id ? (
                  <Link href={`/sites/${job.site_id}`}>{names(job.site_id)}</Link>
                ) : (
                  <span className="soft">
                    {job.progress?.unit === 'sites' ? (
                      <T message="{sites, plural, one {# site} other {# sites}}" sites={job.progress.total} />
                    ) : (
                      t('the workspace')
                    )}
                  </span>
                )}
              </td>
            )}
            <td data-label={t('Asked by')}>{job.requested_by.name}</td>
            <td>
              <When at={job.completed_at ?? job.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
