import { Select } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { Input } from '../api.ts'
import { usePages } from '../queries.ts'
import { T, t } from '../text.ts'
import { Empty, More, Page, Trouble, Waiting } from '../ui/parts.tsx'
import { plainly } from '../words.ts'
import { JobRows } from './JobRows.tsx'

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
  const input = {
    limit: 50,
    ...(status && { status }),
    ...(outcome && status !== 'awaiting_approval' && { outcome }),
  } as Input<'jobs.list'>
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
      <More of={jobs}>
        <T message="Show more of {jobs, plural, one {# job} other {# jobs}}" jobs={jobs.total} />
      </More>
    </Page>
  )
}
