import { Button, Select } from '@mantine/core'
import { Link, useSearchParams } from 'wouter'
import type { Input } from '../api.ts'
import { usePages } from '../queries.ts'
import { T, t } from '../text.ts'
import { Empty, Page, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { plainly } from '../words.ts'
import { type Job, JobProgress, JobState } from './tell.tsx'

const statuses = ['queued', 'running', 'awaiting_approval', 'completed', 'failed', 'canceled'] as const

export function JobsPage() {
  const [asked, ask] = useSearchParams()
  const status = asked.get('status')
  const outcome = asked.get('outcome')
  const set = (name: string, value: string | null) =>
    ask((before) => {
      const next = new URLSearchParams(before)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const input = { limit: 50, ...(status && { status }), ...(outcome && { outcome }) } as Input<'jobs.list'>
  const jobs = usePages('jobs.list', input, { every: 4000 })
  return (
    <Page title={t('Jobs')} about={t('Work that takes a while: backups, updates, restores, checks.')}>
      <search className="filters">
        <Select
          label={t('State')}
          clearable
          allowDeselect
          placeholder={t('Any')}
          value={status}
          onChange={(value) => set('status', value)}
          data={statuses.map((value) => ({ value, label: plainly(value) }))}
        />
        <Select
          label={t('What came of it')}
          clearable
          allowDeselect
          placeholder={t('Anything')}
          value={outcome}
          onChange={(value) => set('outcome', value)}
          data={['done', 'partly', 'taken_back', 'failed'].map((value) => ({ value, label: plainly(value) }))}
        />
      </search>
      {jobs.error && <Trouble error={jobs.error} again={() => void jobs.refetch()} />}
      {jobs.isPending ? (
        <Waiting rows={6} />
      ) : jobs.items.length === 0 ? (
        <Empty title={t('No job')}>
          {status || outcome ? t('None is like that.') : t('Nothing was started yet. Backups, updates and checks show up here.')}
        </Empty>
      ) : (
        <JobRows jobs={jobs.items} />
      )}
      {jobs.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void jobs.fetchNextPage()} loading={jobs.isFetchingNextPage}>
          <T message="Show more of {jobs, plural, one {# job} other {# jobs}}" jobs={jobs.total} />
        </Button>
      )}
    </Page>
  )
}

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
              <Link href={`/jobs/${job.id}`} className="name">
                {plainly(job.type)}
              </Link>
              {job.summary && <div className="soft">{job.summary}</div>}
              {job.error && <div className="soft">{job.error.message}</div>}
              <JobProgress job={job} />
            </td>
            <td>
              <JobState job={job} />
            </td>
            {!ofSite && (
              <td>
                {job.site_id ? (
                  <Link href={`/sites/${job.site_id}`}>{names(job.site_id)}</Link>
                ) : (
                  <span className="soft">{t('the workspace')}</span>
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
