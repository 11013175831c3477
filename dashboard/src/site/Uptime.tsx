import { Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Item, Output } from '../api.ts'
import { dayOf, daysAgo, inDays, timeZone } from '../days.ts'
import { inDoubt } from '../fleet/judge.ts'
import { useCall, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Chart } from '../ui/Chart.tsx'
import { Asked, Empty, Facts, More, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { inFull, lasting, percent } from '../words.ts'
import { Maintenance } from './Maintenance.tsx'
import type { Site } from './nouns.ts'
import { SiteWatch } from './WatchForm.tsx'

const dayMs = 86_400_000
const shown = 90

const states: Record<Output<'uptime.list'>[number]['state'], [Tone, string]> = {
  up: ['good', t('Up')],
  down: ['bad', t('Down')],
  paused: ['unknown', t('Paused')],
  unknown: ['unknown', t('Not known')],
}

export function Uptime({ site }: { site: Site }) {
  const works = useMay('write')
  const uptime = useCall('uptime.list', { site_id: site.id }, { every: 15_000 })
  const since = useMemo(() => daysAgo(shown - 1).toISOString(), [])
  const history = useCall('uptime.history', { site_id: site.id, step: 'day', since, time_zone: timeZone }, { every: 60_000 })
  const hours = useCall(
    'uptime.history',
    { site_id: site.id, step: 'hour', since: useMemo(() => new Date(Date.now() - 2 * dayMs).toISOString(), []) },
    { every: 60_000 },
  )
  return (
    <div className="cards">
      <section className="card">
        <h2>{t('Now')}</h2>
        <Asked of={uptime} rows={2}>
          {([now]) => (now ? <Now now={now} /> : <p className="soft">{t('Nobody looks at this site.')}</p>)}
        </Asked>
      </section>
      <section className="card wide">
        <h2>
          <T message="Last {shown} days" shown={shown} />
        </h2>
        <Asked of={history} rows={1}>
          {({ points }) => <Strip points={points} />}
        </Asked>
      </section>
      <section className="card wide">
        <h2>{t('Time to answer, last two days')}</h2>
        <Asked of={hours} rows={2}>
          {({ points }) => <Line points={points} />}
        </Asked>
      </section>
      <section className="card wide">
        <h2>{t('Incidents')}</h2>
        <Incidents site={site} />
      </section>
      {works && (
        <section className="card wide">
          <h2>{t('How it is watched')}</h2>
          <SiteWatch siteId={site.id} />
        </section>
      )}
      {works && (
        <section className="card wide">
          <h2>{t('Maintenance')}</h2>
          <Maintenance siteId={site.id} />
        </section>
      )}
    </div>
  )
}

/** Its pages may be up while something behind them is not, or is not known to be. */
function stateOf({ state, app_up, problem }: Output<'uptime.list'>[number]): readonly [Tone, string] {
  if (state === 'up' && app_up === false) return ['bad', t('App down')]
  if (state === 'up' && problem !== null) return ['warn', t('Pages up')]
  return states[state]
}

function Now({ now }: { now: Output<'uptime.list'>[number] }) {
  const [tone, words] = stateOf(now)
  const problem = now.unproven_since ? inDoubt(now.unproven_since) : now.problem
  return (
    <>
      <State tone={tone}>{words}</State>
      {problem && <p>{problem}</p>}
      <Facts
        of={[
          [t('24 hours'), percent(now.ratios['24h'])],
          [t('7 days'), percent(now.ratios['7d'])],
          [t('30 days'), percent(now.ratios['30d'])],
          [t('90 days'), percent(now.ratios['90d'])],
          [t('Answers in'), now.response_ms === null ? t('not known') : t('{response_ms} ms', { response_ms: now.response_ms })],
          [t('Looked at'), <When key="l" at={now.checked_at} never={t('not yet')} />],
          [
            t('Certificate'),
            now.certificate_ends_at ? <T key="c" message="ends {when}" when={<When at={now.certificate_ends_at} />} /> : t('not known'),
          ],
        ]}
      />
    </>
  )
}

type Point = Output<'uptime.history'>['points'][number]

/** A bar for each day; grey where nobody looked. */
function Strip({ points }: { points: Point[] }) {
  const days = Array.from({ length: shown }, (_, day) => daysAgo(shown - 1 - day))
  const of = new Map(points.map((point) => [dayOf(new Date(point.at)), point]))
  const known = points.filter(({ ratio }) => ratio !== null)
  const worst = known.toSorted((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0))[0]
  return (
    <>
      <div className="strip" aria-hidden="true">
        {days.map((day) => {
          const ratio = of.get(dayOf(day))?.ratio ?? null
          return (
            <i
              key={day.getTime()}
              className={ratio === null ? '' : ratio >= 1 ? 'good' : ratio >= 0.99 ? 'warn' : 'bad'}
              title={`${inDays(day)}: ${percent(ratio)}`}
            />
          )
        })}
      </div>
      <p className="soft">
        {known.length === 0
          ? t('No day was watched yet.')
          : worst && (worst.ratio ?? 1) < 1
            ? t('{known} of {shown} days were watched; the worst was {day} with {ratio}.', {
                known: known.length,
                shown,
                day: inDays(new Date(worst.at)),
                ratio: percent(worst.ratio),
              })
            : t('{known} of {shown} days were watched, every check was answered.', { known: known.length, shown })}
      </p>
    </>
  )
}

/** The mean of each hour as a line, with a gap where nobody looked. */
function Line({ points }: { points: Point[] }) {
  const measured = points.filter((point): point is Point & { mean_ms: number } => point.mean_ms !== null)
  if (measured.length < 2) return <p className="soft">{t('Not measured long enough yet.')}</p>
  const slowest = measured.toSorted((a, b) => b.mean_ms - a.mean_ms)[0]
  const words = t('Between {least} and {most} ms; slowest {at}.', {
    least: Math.min(...measured.map(({ mean_ms }) => mean_ms)),
    most: slowest?.mean_ms,
    at: inFull(slowest?.at ?? ''),
  })
  return (
    <Chart
      points={points.map(({ at, mean_ms }) => ({ at, value: mean_ms }))}
      say={(value) => t('{value} ms', { value: Math.round(value) })}
      label={words}
      gapMs={3_600_000}
    />
  )
}

const kinds = { down: t('Down'), app_down: t('WordPress behind its cache'), connector_silent: t('Connector silent') } as const
type Kind = keyof typeof kinds

const causes: Record<Item<'uptime.incidents'>['cause'], string> = {
  dns: t('Its name is not in DNS.'),
  connect: t('Its server could not be reached.'),
  tls: t('Its certificate or TLS is not in order.'),
  timeout: t('It did not answer in time.'),
  http: t('It answered with an error.'),
  content: t('Its page did not say what is expected of it.'),
  protocol: t('What it answered is no proper HTTP.'),
  connector: t('The site answers, its connector does not.'),
}

function Incidents({ site }: { site: Site }) {
  const [kind, setKind] = useState<Kind | null>(null)
  const incidents = usePages('uptime.incidents', { site_id: site.id, limit: 25, ...(kind && { kind }) }, { every: 15_000 })
  return (
    <>
      <Select
        label={t('Kind')}
        clearable
        allowDeselect
        placeholder={t('Any')}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(value) => setKind(value as Kind | null)}
        className="medium"
      />
      {incidents.error && <Trouble error={incidents.error} again={() => void incidents.refetch()} />}
      {incidents.isPending ? (
        <Waiting />
      ) : incidents.items.length === 0 ? (
        <Empty title={t('None is known')}>{t('As long as the site was watched, nothing of the kind was seen.')}</Empty>
      ) : (
        <ul className="entries">
          {incidents.items.map((incident) => (
            <li className="entry" key={incident.id}>
              <p>
                <State tone={incident.ended_at ? 'unknown' : 'bad'}>{incident.ended_at ? t('Over') : t('Going on')}</State>{' '}
                <b>{kinds[incident.kind]}</b> {causes[incident.cause]} <span className="soft">{incident.message}</span>{' '}
                {incident.http_status && (
                  <span className="soft">
                    <T message="(HTTP {http_status})" http_status={incident.http_status} />
                  </span>
                )}
              </p>
              <span className="soft">
                <When at={incident.started_at} />,{' '}
                {incident.ended_at ? lasting(incident.duration_s) : t('{time} so far', { time: lasting(incident.duration_s) })}
              </span>
            </li>
          ))}
        </ul>
      )}
      <More of={incidents}>
        <T message="Show more of {incidents, plural, one {# incident} other {# incidents}}" incidents={incidents.total} />
      </More>
    </>
  )
}
