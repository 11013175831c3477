import { Progress, Text } from '@mantine/core'
import type { Item } from '../api.ts'
import { t } from '../text.ts'
import { State, type Tone } from '../ui/parts.tsx'
import { plainly, size } from '../words.ts'

export type Job = Item<'jobs.list'>

export const isGoing = ({ status }: Pick<Job, 'status'>) => status === 'queued' || status === 'running' || status === 'awaiting_approval'

/** As long as a site keeps what a restore replaced. */
const keptMs = 86_400_000
export const isRestoreOfToday = ({ type, status, completed_at }: Job) =>
  type === 'restore' && status === 'completed' && Date.now() - Date.parse(completed_at ?? '') <= keptMs

const outcomes: Record<NonNullable<Job['outcome']>, [Tone, string]> = {
  done: ['good', t('Done')],
  partly: ['warn', t('Done in part')],
  taken_back: ['warn', t('Taken back')],
  failed: ['bad', t('Failed')],
}
const statuses: Record<Job['status'], [Tone, string]> = {
  awaiting_approval: ['warn', t('Waits for approval')],
  queued: ['unknown', t('Waiting')],
  running: ['unknown', t('Running')],
  completed: ['good', t('Completed')],
  failed: ['bad', t('Failed')],
  canceled: ['unknown', t('Canceled')],
}

export function JobState({ job }: { job: Pick<Job, 'status' | 'outcome'> }) {
  const [tone, words] = (job.status === 'completed' && job.outcome && outcomes[job.outcome]) || statuses[job.status]
  return <State tone={tone}>{words}</State>
}

/** How far it is; nothing once it has ended. */
export function JobProgress({ job }: { job: Job }) {
  if (!isGoing(job)) return null
  const percent = job.progress?.percent ?? null
  return (
    <div role="status">
      <Progress.Root size="lg" mt={4}>
        <Progress.Section
          value={percent ?? 100}
          animated={job.status === 'running'}
          striped={percent === null}
          aria-label={`${plainly(job.type)}: ${percent === null ? t('under way') : `${percent} %`}`}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {[
          job.phase ? plainly(job.phase) : job.status === 'queued' ? t('Waits for its turn') : t('Under way'),
          percent !== null && `${percent} %`,
          job.progress?.bytes && size(job.progress.bytes),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  )
}
