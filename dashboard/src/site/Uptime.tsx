import { useMemo } from 'react'
import type { Output } from '../api.ts'
import { useCall } from '../queries.ts'
import { Asked, Empty, Facts, State, type Tone, When } from '../ui/parts.tsx'
import { inFull, lasting, percent } from '../words.ts'
import type { Site } from './SitePage.tsx'

const dayMs = 86_400_000
const shown = 30

const states: Record<string, [Tone, string]> = {
  up: ['good', 'Up'],
  down: ['bad', 'Down'],
  paused: ['unknown', 'Paused'],
  unknown: ['unknown', 'Not known'],
}

export function Uptime({ site }: { site: Site }) {
  const uptime = useCall('uptime.list', { site_id: site.id }, { every: 15_000 })
  const since = useMemo(() => new Date(Date.now() - shown * dayMs).toISOString().slice(0, 10), [])
  const history = useCall('uptime.history', { site_id: site.id, step: 'day', since }, { every: 60_000 })
  const hours = useCall(
    'uptime.history',
    { site_id: site.id, step: 'hour', since: useMemo(() => new Date(Date.now() - 2 * dayMs).toISOString(), []) },
    { every: 60_000 },
  )
  const incidents = useCall('uptime.incidents', { site_id: site.id, limit: 25 }, { every: 15_000 })
  return (
    <div className="cards">
      <section className="card">
        <h2>Now</h2>
        <Asked of={uptime} rows={2}>
          {([now]) => (now ? <Now now={now} /> : <p className="soft">Nobody looks at this site.</p>)}
        </Asked>
      </section>
      <section className="card wide">
        <h2>Last {shown} days</h2>
        <Asked of={history} rows={1}>
          {({ points }) => <Strip points={points} />}
        </Asked>
      </section>
      <section className="card wide">
        <h2>Time to answer, last two days</h2>
        <Asked of={hours} rows={2}>
          {({ points }) => <Line points={points} />}
        </Asked>
      </section>
      <section className="card wide">
        <h2>Incidents</h2>
        <Asked of={incidents}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="None is known">As long as the site was watched, it was not seen down.</Empty>
            ) : (
              <ul className="entries">
                {all.map((incident) => (
                  <li className="entry" key={incident.id}>
                    <p>
                      <State tone={incident.ended_at ? 'unknown' : 'bad'}>{incident.ended_at ? 'Over' : 'Going on'}</State>{' '}
                      {incident.message || incident.cause}
                      {incident.http_status && <span className="soft"> (HTTP {incident.http_status})</span>}
                    </p>
                    <span className="soft">
                      <When at={incident.started_at} />, {lasting(incident.duration_s)}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Asked>
      </section>
    </div>
  )
}

function Now({ now }: { now: Output<'uptime.list'>[number] }) {
  const [tone, words] = states[now.state] ?? (['unknown', now.state] as const)
  return (
    <>
      <State tone={tone}>{words}</State>
      {now.problem && <p>{now.problem}</p>}
      <Facts
        of={[
          ['24 hours', percent(now.ratios['24h'])],
          ['7 days', percent(now.ratios['7d'])],
          ['30 days', percent(now.ratios['30d'])],
          ['90 days', percent(now.ratios['90d'])],
          ['Answers in', now.response_ms === null ? 'not known' : `${now.response_ms} ms`],
          ['Looked at', <When key="l" at={now.checked_at} never="not yet" />],
          [
            'Certificate',
            now.certificate_ends_at ? (
              <>
                ends <When key="c" at={now.certificate_ends_at} />
              </>
            ) : (
              'not known'
            ),
          ],
        ]}
      />
    </>
  )
}

type Point = Output<'uptime.history'>['points'][number]

/** A bar for each day; grey where nobody looked. */
function Strip({ points }: { points: Point[] }) {
  const days = Array.from({ length: shown }, (_, back) => new Date(Date.now() - (shown - 1 - back) * dayMs).toISOString().slice(0, 10))
  const of = new Map(points.map((point) => [point.at.slice(0, 10), point]))
  const known = points.filter(({ ratio }) => ratio !== null)
  const worst = known.toSorted((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0))[0]
  return (
    <>
      <div className="strip" aria-hidden="true">
        {days.map((day) => {
          const ratio = of.get(day)?.ratio ?? null
          return (
            <i
              key={day}
              className={ratio === null ? '' : ratio >= 1 ? 'good' : ratio >= 0.99 ? 'warn' : 'bad'}
              title={`${day}: ${percent(ratio)}`}
            />
          )
        })}
      </div>
      <p className="soft">
        {known.length === 0
          ? 'Nobody has looked yet.'
          : `${known.length} of ${shown} days were watched${worst && (worst.ratio ?? 1) < 1 ? `; the worst was ${worst.at.slice(0, 10)} with ${percent(worst.ratio)}` : ', every check was answered'}.`}
      </p>
    </>
  )
}

/** The mean of each hour as a line, with a gap where nobody looked. */
function Line({ points }: { points: Point[] }) {
  const measured = points.filter((point): point is Point & { mean_ms: number } => point.mean_ms !== null)
  if (measured.length < 2) return <p className="soft">Not measured long enough yet.</p>
  const top = Math.max(...measured.map(({ mean_ms }) => mean_ms)) * 1.15
  const from = Date.parse(points[0]?.at ?? '')
  const to = Date.parse(points.at(-1)?.at ?? '')
  const x = (at: string) => ((Date.parse(at) - from) / Math.max(1, to - from)) * 600
  const path = measured
    .map((point, index) => {
      const before = measured[index - 1]
      const gap = !before || Date.parse(point.at) - Date.parse(before.at) > 3_600_000
      return `${gap ? 'M' : 'L'}${x(point.at).toFixed(1)} ${(110 - (point.mean_ms / top) * 105).toFixed(1)}`
    })
    .join('')
  const slowest = measured.toSorted((a, b) => b.mean_ms - a.mean_ms)[0]
  const words = `Between ${Math.min(...measured.map(({ mean_ms }) => mean_ms))} and ${slowest?.mean_ms} ms; slowest ${inFull(slowest?.at ?? '')}.`
  return (
    <>
      <svg className="chart" viewBox="0 0 600 112" preserveAspectRatio="none" role="img" aria-label={words}>
        <path d={path} fill="none" stroke="var(--mantine-color-anchor)" strokeWidth="2" vectorEffect="non-scaling-stroke" />
      </svg>
      <p className="soft">{words}</p>
    </>
  )
}
