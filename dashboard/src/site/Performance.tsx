import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { Whole } from '../api.ts'
import { daysAgo } from '../days.ts'
import { messageOf, useCall, useDo, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { Chart } from '../ui/Chart.tsx'
import { Asked, Empty, Facts, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { inFull, milliseconds, plainly, size } from '../words.ts'
import { Going } from './Going.tsx'
import { Lab } from './Lab.tsx'
import type { Site } from './nouns.ts'
import { TrendSentence } from './TrendSentence.tsx'

type Told = Whole<'performance.list'>
type Sample = NonNullable<Told['points']>[number]

const dayMs = 86_400_000
const metrics = [
  { metric: 'ttfb_ms', name: t('Time to the first byte'), say: milliseconds },
  { metric: 'page_bytes', name: t('Weight of the page'), say: size },
] as const
export function Performance({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const listed = useWhole('performance.list', { site_id: site.id }, { every: 30_000 })
  const measuring = useDo('performance.measure', () => say(t('It is being measured.')))
  return (
    <>
      <div className="toolbar">
        {works && (
          <Button
            variant="default"
            loading={measuring.isPending}
            disabled={site.status !== 'connected'}
            onClick={() => measuring.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
          >
            {t('Measure now')}
          </Button>
        )}
        <span className="soft">
          {t('The front page, as the service meets it once a day: the median of three, without DNS, connecting and TLS.')}
        </span>
      </div>
      <Going siteId={site.id} type="performance" />
      <Asked of={listed} rows={6}>
        {(known) => (
          <>
            <Measured site={site} known={known} />
            <Lab site={site} known={known} />
          </>
        )}
      </Asked>
    </>
  )
}

function Measured({ site, known }: { site: Site; known: Told }) {
  const since = useMemo(() => daysAgo(31).toISOString(), [])
  const changes = useCall('activity.list', { site_id: site.id, since, limit: 200 })
  const points = known.points ?? []
  const counting = points.filter(({ during }) => during === null)
  const sample = known.sites[0]?.sample
  if (points.length === 0)
    return <Empty title={t('Not known yet')}>{t('Nobody has measured this site so far. It happens by itself once a day.')}</Empty>
  const done = (changes.data ?? [])
    .filter(({ category, kind }) => kind !== 'maintenance' || category !== 'content')
    .filter(({ category }) => category !== 'backup')
    .map(({ id, performed_at, summary, job_id }) => ({ id, at: performed_at, words: summary, job_id: job_id ?? null }))
  return (
    <div className="cards">
      {metrics.map(({ metric, name, say }) => (
        <section className="card wide" key={metric}>
          <h2>{name}</h2>
          {(known.trends ?? []).map((trend) =>
            trend.metric === metric ? <TrendSentence key={metric} trend={trend} days={known.window_days ?? 30} say={say} /> : null,
          )}
          {counting.length > 1 && (
            <Chart
              points={counting.map((point) => ({ at: point.collected_at, value: point[metric] }))}
              say={say}
              label={t('{name}: {points} samples from {collected_at} to {collected_at2}.', {
                name,
                points: counting.length,
                collected_at: inFull(counting[0]?.collected_at ?? ''),
                collected_at2: inFull(counting.at(-1)?.collected_at ?? ''),
              })}
              marks={done}
              gapMs={2.5 * dayMs}
            />
          )}
        </section>
      ))}
      <section className="card wide">
        <h2>{t('Before and after each change')}</h2>
        <Asked of={changes} rows={2}>
          {() => <Changes done={done} points={counting} />}
        </Asked>
      </section>
      {sample && (
        <section className="card wide">
          <h2>{t('The last sample')}</h2>
          {sample.during !== null && (
            <p>
              <State tone="unknown">{t('It does not count')}</State>{' '}
              {t('While it was taken, a job of this service was at work on the site: {job}.', { job: plainly(sample.during) })}
            </p>
          )}
          <Facts
            of={[
              [t('When'), <When key="w" at={sample.collected_at} />],
              [t('First byte'), milliseconds(sample.ttfb_ms)],
              [t('The HTML'), `${milliseconds(sample.total_ms)}, ${size(sample.html_bytes)}, ${sample.compression ?? t('not compressed')}`],
              [
                t('With all it names'),
                sample.page_bytes === null ? t('not known: something would not say its size') : size(sample.page_bytes),
              ],
              [t('Requests'), String(sample.requests)],
              [t('Cache in front'), sample.cache_status ?? t('says nothing')],
              [
                t('DNS, connect, TLS'),
                [sample.dns_ms, sample.connect_ms, sample.tls_ms].map((ms) => (ms === null ? '–' : milliseconds(ms))).join(', '),
              ],
            ]}
          />
        </section>
      )}
    </div>
  )
}

const around = 7
function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

/** The median of up to seven samples on either side of each change; with fewer than two on one side nobody knows. */
function Changes({ done, points }: { done: { id: string; at: string; words: string }[]; points: Sample[] }) {
  const from = points[0]?.collected_at ?? ''
  const within = done.filter(({ at }) => at >= from).slice(0, 25)
  if (within.length === 0)
    return (
      <p className="soft">{t('Nothing is known to have been changed since the first sample: no update, no plugin switched on or off.')}</p>
    )
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">{t('What was changed')}</th>
          <th scope="col">{t('When')}</th>
          <th scope="col">{t('First byte before')}</th>
          <th scope="col">{t('After')}</th>
        </tr>
      </thead>
      <tbody>
        {within.map(({ id, at, words }) => {
          const before = points.filter(({ collected_at }) => collected_at < at).slice(-around)
          const after = points.filter(({ collected_at }) => collected_at >= at).slice(0, around)
          const [old, now] = [before, after].map((some) => (some.length < 2 ? null : medianOf(some.map(({ ttfb_ms }) => ttfb_ms))))
          const worse = old != null && now != null && now > old * 1.2 && now - old > 200
          return (
            <tr key={id}>
              <td>{words}</td>
              <td>
                <When at={at} />
              </td>
              <td data-label={t('First byte before')}>
                {old == null ? <span className="soft">{t('not known')}</span> : milliseconds(old)}
              </td>
              <td data-label={t('After')}>
                {now == null ? <span className="soft">{t('not known yet')}</span> : milliseconds(now)}{' '}
                {worse && <State tone="warn">{t('Slower')}</State>}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
