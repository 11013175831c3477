import { Link } from 'wouter'
import { isRestoreOfToday } from '../jobs/tell.tsx'
import { UndoRestore } from '../jobs/UndoRestore.tsx'
import { useCall } from '../queries.ts'
import { T } from '../text.ts'
import { When } from '../ui/parts.tsx'

/** The restore that a site is as it is by, as long as it may be undone. */
export function LastRestore({ siteId }: { siteId: string }) {
  const jobs = useCall('jobs.list', { site_id: siteId, type: 'restore', limit: 1 }, { every: 6000 })
  const job = jobs.data?.find(isRestoreOfToday)
  if (!job) return null
  return (
    <section className="card" style={{ marginBottom: '1rem' }}>
      <p>
        <T
          message="<a>Restored</a> {when}, asked by {name}"
          a={(words) => <Link href={`/jobs/${job.id}`}>{words}</Link>}
          when={<When at={job.completed_at} />}
          name={job.requested_by.name}
        />
      </p>
      <UndoRestore job={job} />
    </section>
  )
}
