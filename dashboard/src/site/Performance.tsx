import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Whole } from '../api.ts'
import { messageOf, useCall, useDo, useWhole } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Chart } from '../ui/Chart.tsx'
import { Asked, Empty, Facts, State, type Tone, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { inFull, size } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './SitePage.tsx'

type Told = Whole<'performance.list'>
type Trend = NonNullable<Told['trends']>[number]
type Sample = NonNullable<Told['points']>[number]

const dayMs = 86_400_000
const milliseconds = (value: number) => (value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`)
const metrics = { ttfb_ms: { name: 'Time to the first byte', say: milliseconds }, page_bytes: { name: 'Weight of the page', say: size } }
const moves: Record<Trend['direction'], [Tone, string]> = {
  better: ['good', 'Better'],
  steady: ['good', 'Steady'],
  worse: ['bad', 'Worse'],
  unknown: ['unknown', 'Not known'],
}

export function Performance({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const told = useWhole('performance.list', { site_id: site.id }, { every: 30_000 })
  const measuring = useDo('performance.measure', () => say('It is being measured.'))
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
            Measure now
          </Button>
        )}
        <span className="soft">
          The front page, as the service meets it once a day: the median of three, without DNS, connecting and TLS.
        </span>
      </div>
      <Going siteId={site.id} type="performance" />
      <Asked of={told} rows={6}>
        {(known) => <Measured site={site} known={known} />}
      </Asked>
    </>
  )
}

function Measured({ site, known }: { site: Site; known: Told }) {
  const since = useMemo(() => new Date(Date.now() - 31 * dayMs).toISOString().slice(0, 10), [])
  const changes = useCall('activity.list', { site_id: site.id, since, limit: 200 })
  const points = known.points ?? []
  const sample = known.sites[0]?.sample
  if (points.length === 0)
    return <Empty title="Not known yet">Nobody has measured this site so far. It happens by itself once a day.</Empty>
  const done = (changes.data ?? [])
    .filter(({ category, kind }) => kind !== 'maintenance' || category !== 'content')
    .filter(({ category }) => category !== 'backup')
    .map(({ id, performed_at, summary, job_id }) => ({ id, at: performed_at, words: summary, job_id: job_id ?? null }))
  return (
    <div className="cards">
      {(known.trends ?? []).map((trend) => (
        <section className="card wide" key={trend.metric}>
          <h2>{metrics[trend.metric].name}</h2>
          <Sentence trend={trend} days={known.window_days ?? 30} />
          {points.length > 1 && (
            <Chart
              points={points.map((point) => ({ at: point.collected_at, value: point[trend.metric] }))}
              say={metrics[trend.metric].say}
              label={`${metrics[trend.metric].name}: ${points.length} samples from ${inFull(points[0]?.collected_at ?? '')} to ${inFull(points.at(-1)?.collected_at ?? '')}.`}
              marks={done}
              gapMs={2.5 * dayMs}
            />
          )}
        </section>
      ))}
      <section className="card wide">
        <h2>Before and after each change</h2>
        <Changes done={done} points={points} />
      </section>
      {sample && (
        <section className="card wide">
          <h2>The last sample</h2>
          <Facts
            of={[
              ['When', <When key="w" at={sample.collected_at} />],
              ['First byte', milliseconds(sample.ttfb_ms)],
              ['The HTML', `${milliseconds(sample.total_ms)}, ${size(sample.html_bytes)}, ${sample.compression ?? 'not compressed'}`],
              ['With all it names', sample.page_bytes === null ? 'not known: something would not say its size' : size(sample.page_bytes)],
              ['Requests', String(sample.requests)],
              ['Cache in front', sample.cache_status ?? 'says nothing'],
              [
                'DNS, connect, TLS',
                [sample.dns_ms, sample.connect_ms, sample.tls_ms].map((ms) => (ms === null ? '–' : milliseconds(ms))).join(', '),
              ],
            ]}
          />
        </section>
      )}
    </div>
  )
}

function Sentence({ trend, days }: { trend: Trend; days: number }) {
  const { say } = metrics[trend.metric]
  const [tone, word] = moves[trend.direction]
  const { before, now, change_percent: percent, since, after, because } = trend
  return (
    <>
      <p>
        <State tone={tone}>{word}</State>{' '}
        {trend.direction === 'unknown'
          ? 'A trend takes four samples at least.'
          : trend.direction === 'steady'
            ? `As it was in the last ${days} days: ${now === null ? 'not known' : say(now)}.`
            : `${before === null ? '?' : say(before)} before, ${now === null ? '?' : say(now)} now${percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percent} %)`}${since ? `, since ${inFull(since)}` : ''}.`}
      </p>
      {after.length > 0 && (
        <p className="soft">
          {because ? 'It follows the one thing this service did in between: ' : 'In between this service did: '}
          {after.map(({ job_id, summary, type }, n) => (
            <span key={job_id}>
              {n > 0 && '; '}
              <Link href={`/jobs/${job_id}`}>{summary ?? type}</Link>
            </span>
          ))}
        </p>
      )}
      {(trend.direction === 'better' || trend.direction === 'worse') && after.length === 0 && (
        <p className="soft">This service did nothing to the site in between; who or what it was is not known.</p>
      )}
    </>
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
    return <p className="soft">Nothing is known to have been changed since the first sample: no update, no plugin switched on or off.</p>
  return (
    <table className="rows stack">
      <thead>
        <tr>
          <th scope="col">What was changed</th>
          <th scope="col">When</th>
          <th scope="col">First byte before</th>
          <th scope="col">After</th>
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
              <td data-label="First byte before">{old == null ? <span className="soft">not known</span> : milliseconds(old)}</td>
              <td data-label="After">
                {now == null ? <span className="soft">not known yet</span> : milliseconds(now)} {worse && <State tone="warn">Slower</State>}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
