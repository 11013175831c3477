import { Button, Code } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { nextHere } from '../next.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { Asked, Facts, Page, SiteSaid, When } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { amid, lasting, plainly } from '../words.ts'
import { Items } from './Items.tsx'
import { itemsOf } from './item-done.ts'
import { isGoing, type Job, JobProgress, JobState } from './tell.tsx'
import { UndoRestore } from './UndoRestore.tsx'
import { UndoUpdate } from './UndoUpdate.tsx'

const Pictures = lazy(async () => ({ default: (await import('../updates/Pictures.tsx')).Pictures }))

export function JobPage({ job: id }: { job: string }) {
  const job = useCall('jobs.get', { job_id: id }, { every: (known) => (known && !isGoing(known) ? false : 1500) })
  const say = useSay()
  const canceling = useDo('jobs.cancel', () => say(t('The job is asked to stop at its next safe point.')))
  const works = useMay('write')
  return (
    <Page
      title={job.data ? plainly(job.data.type) : t('Job')}
      above={<Link href="/jobs">{t('Jobs')}</Link>}
      actions={
        works &&
        job.data &&
        isGoing(job.data) && (
          <Button
            variant="default"
            loading={canceling.isPending}
            onClick={() => canceling.mutate({ job_id: id }, { onError: (error) => say(messageOf(error)) })}
          >
            {t('Cancel the job')}
          </Button>
        )
      }
    >
      <Asked of={job}>{(known) => <Told job={known} />}</Asked>
    </Page>
  )
}

/** Where a site's jobs of a type are begun, of the pages of the site. */
const begunAt: Record<string, string> = {
  ...{ backup: 'backups', restore: 'backups', undo_restore: 'backups', update: 'updates', tweak: 'security', security_check: 'security' },
  ...{ link_scan: 'links', performance: 'performance', connect: 'settings' },
}

/** Begun again it is asked for as it was the first time: with its plan, and by whoever may. */
function Again({ job: { type, site_id } }: { job: Job }) {
  const part = begunAt[type]
  return (
    <p className="soft">
      {t('Trying again may help.')}{' '}
      {site_id && part && <Link href={`/sites/${site_id}/${part}`}>{t('Open the page where it is begun')}</Link>}
    </p>
  )
}

function Told({ job }: { job: Job }) {
  const names = useSiteNames()
  const items = itemsOf(job)
  const pictured = items.filter(({ pictures }) => pictures?.before)
  const tookS = job.started_at && job.completed_at ? (Date.parse(job.completed_at) - Date.parse(job.started_at)) / 1000 : undefined
  return (
    <div className="cards">
      <section className="card wide">
        <JobState job={job} />
        <JobProgress job={job} />
        {job.summary && <p>{job.summary}</p>}
        <UndoRestore job={job} />
        <UndoUpdate job={job} />
        {job.error && (
          <>
            <p>{job.error.message}</p>
            <SiteSaid text={job.error.site_said?.text} />
            <p className="soft">{nextHere[job.error.code]}</p>
            {job.error.retryable && <Again job={job} />}
          </>
        )}
      </section>
      {items.length > 0 && <Items items={items} />}
      <section className="card">
        <h2>{t('About')}</h2>
        <Facts
          of={[
            [
              t('Site'),
              job.site_id ? (
                <Link key="site" href={`/sites/${job.site_id}`}>
                  {names(job.site_id)}
                </Link>
              ) : (
                t('the whole workspace')
              ),
            ],
            [t('Asked by'), t('{name} ({type})', { name: job.requested_by.name, type: amid(plainly(job.requested_by.type)) })],
            [t('Asked'), <When key="c" at={job.created_at} />],
            [t('Started'), <When key="s" at={job.started_at} never={t('not yet')} />],
            [t('Ended'), <When key="e" at={job.completed_at} never={t('not yet')} />],
            [t('Took'), tookS === undefined ? '–' : lasting(tookS)],
            [t('Attempt'), String(job.attempt)],
            [t('Id'), <Code key="i">{job.id}</Code>],
          ]}
        />
      </section>
      {job.steps.length > 0 && (
        <section className="card">
          <h2>{t('Steps')}</h2>
          <ol className="entries">
            {job.steps.map(({ name, finished_at }) => (
              <li key={name} className="entry">
                <p>{plainly(name)}</p>
                <span className="soft">{finished_at ? <When at={finished_at} /> : t('not yet')}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {pictured.length > 0 && (
        <Suspense>
          <Pictures items={pictured} />
        </Suspense>
      )}
      {job.result && (
        <section className="card wide">
          <h2>{t('Result, whole')}</h2>
          <details>
            <summary>{t('Show it as the API answers it')}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
            <section className="plain" tabIndex={0} aria-label={t('The result as JSON')}>
              <pre>{JSON.stringify(job.result, undefined, 2)}</pre>
            </section>
          </details>
        </section>
      )}
    </div>
  )
}
