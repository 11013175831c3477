import { Progress, Text } from '@mantine/core'
import type { Item } from '../api.ts'
import { State, type Tone } from '../ui/parts.tsx'
import { plainly, size } from '../words.ts'

export type Job = Item<'jobs.list'>

export const isGoing = ({ status }: Pick<Job, 'status'>) => status === 'queued' || status === 'running' || status === 'awaiting_approval'

const outcomes: Record<string, [Tone, string]> = {
  done: ['good', 'Done'],
  partly: ['warn', 'Done in part'],
  taken_back: ['warn', 'Taken back'],
  failed: ['bad', 'Failed'],
}
const statuses: Record<Job['status'], [Tone, string]> = {
  awaiting_approval: ['warn', 'Waits for approval'],
  queued: ['unknown', 'Waiting'],
  running: ['unknown', 'Running'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
  canceled: ['unknown', 'Canceled'],
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
          aria-label={`${plainly(job.type)}: ${percent === null ? 'under way' : `${percent} %`}`}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {[
          job.phase ? plainly(job.phase) : job.status === 'queued' ? 'Waits for its turn' : 'Under way',
          percent !== null && `${percent} %`,
          job.progress?.bytes && size(job.progress.bytes),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  )
}
