import { Link } from 'wouter'
import { isGoing, JobProgress, JobState } from '../jobs/tell.tsx'
import { useCall } from '../queries.ts'
import { plainly } from '../words.ts'

/** The jobs of a site that are under way, as they go. */
export function Going({ siteId, type }: { siteId: string; type: string }) {
  const jobs = useCall('jobs.list', { site_id: siteId, type, limit: 10 }, { every: (known) => (known?.some(isGoing) ? 1500 : 6000) })
  const going = jobs.data?.filter(isGoing) ?? []
  return (
    <>
      {going.map((job) => (
        <section className="card" key={job.id} style={{ marginBottom: '1rem' }}>
          <Link href={`/jobs/${job.id}`} className="name">
            {plainly(job.type)}
          </Link>{' '}
          <JobState job={job} />
          <JobProgress job={job} />
        </section>
      ))}
    </>
  )
}
