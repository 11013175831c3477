import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { isGoing, isRestoreOfToday, type Job } from './tell.tsx'

/** The way back behind a restore, or why there is none any more; for those who may take it. */
export function UndoRestore({ job }: { job: Job }) {
  const works = useMay('write')
  const [asking, setAsking] = useState(false)
  const known = job.next_steps !== null
  const whole = useCall('jobs.get', { job_id: job.id }, { enabled: works && !known && isRestoreOfToday(job), every: 6000 })
  const steps = known ? job.next_steps : whole.data?.next_steps
  if (!works || job.type !== 'restore' || job.status !== 'completed') return null
  if (!isRestoreOfToday(job))
    return <p className="soft">{t('It can no longer be undone: a site keeps what was there before for 24 hours.')}</p>
  if (!steps) return null
  if (!steps.some(({ tool }) => tool === 'undo_restore')) return <Overtaken job={job} />
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('Undo the restore …')}
      </Button>
      {asking && <UndoDialog job={job} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Why a restore of the last day is not undone any more. */
function Overtaken({ job }: { job: Job }) {
  const undos = useCall('jobs.list', { ...(job.site_id && { site_id: job.site_id }), type: 'undo_restore', limit: 1 }, { every: 6000 })
  if (!undos.data) return null
  const undo = undos.data.find(({ created_at, status }) => created_at > job.created_at && status !== 'failed' && status !== 'canceled')
  const follow = (words: React.ReactNode) => <Link href={`/jobs/${undo?.id}`}>{words}</Link>
  return (
    <p className="soft">
      {!undo ? (
        t('It can no longer be undone: the site was restored again after it.')
      ) : isGoing(undo) ? (
        <T message="It is <a>being undone</a>." a={follow} />
      ) : (
        <T message="It was <a>undone</a> {when}." a={follow} when={<When at={undo.completed_at} />} />
      )}
    </p>
  )
}

function UndoDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const say = useSay()
  const names = useSiteNames()
  const site = job.site_id ?? ''
  const undoing = useDo('restores.undo', () => {
    say(t('The restore is being undone.'))
    onClose()
  })
  return (
    <Confirm
      title={t('Undo this restore?')}
      verb={t('Undo restore')}
      working={undoing.isPending}
      error={undoing.error && messageOf(undoing.error)}
      onClose={onClose}
      onConfirm={() => undoing.mutate({ site_id: site })}
    >
      <Text size="sm">
        <T
          message="{site} becomes what it was before the restore {when}: the files and tables that it replaced are put back. What was written since then, orders and comments too, is gone. An undo cannot be undone itself; the safety backup, where one was made, stays."
          site={<b>{names(site)}</b>}
          when={<When at={job.completed_at} />}
        />
      </Text>
    </Confirm>
  )
}
