import { JobRows } from '../jobs/JobRows.tsx'
import { usePages } from '../queries.ts'
import { t } from '../text.ts'
import { Empty, More, Trouble, Waiting } from '../ui/parts.tsx'
import type { Site } from './nouns.ts'

export function SiteJobs({ site }: { site: Site }) {
  const jobs = usePages('jobs.list', { site_id: site.id, limit: 50 }, { every: 4000 })
  if (jobs.error) return <Trouble error={jobs.error} again={() => void jobs.refetch()} />
  if (jobs.isPending) return <Waiting />
  if (jobs.items.length === 0) return <Empty title={t('No job yet')}>{t('Backups, updates and checks of this site show up here.')}</Empty>
  return (
    <>
      <JobRows jobs={jobs.items} ofSite />
      <More of={jobs} />
    </>
  )
}
