// What a browser makes of the page: Lighthouse's figures over time, and what it takes to have them.
import { Button } from '@mantine/core'
import type { Whole } from '../api.ts'
import { messageOf, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { number, t } from '../text.ts'
import { Chart } from '../ui/Chart.tsx'
import { Empty, Facts, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { inFull, milliseconds } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './nouns.ts'
import { TrendSentence } from './TrendSentence.tsx'

type Told = Whole<'performance.list'>
type Point = NonNullable<Told['lab_points']>[number]

const dayMs = 86_400_000
const metrics = [
  { metric: 'score', name: t('Score'), say: (value: number) => number(value, 0) },
  { metric: 'lcp_ms', name: t('Largest part there (LCP)'), say: milliseconds },
  { metric: 'cls', name: t('How much it jumps (CLS)'), say: (value: number) => number(value, 2) },
  { metric: 'tbt_ms', name: t('Kept from answering (TBT)'), say: milliseconds },
] as const

export function Lab({ site, known }: { site: Site; known: Told }) {
  const works = useMay('write')
  const say = useSay()
  const looking = useDo('performance.measure', () => say(t('The browser looks at it; that takes some minutes.')))
  const { lab_unavailable: missing = null, lab_points: points = [] } = known
  return (
    <section aria-label={t('In a browser')}>
      <div className="toolbar" style={{ marginTop: '1.5rem' }}>
        <h2 style={{ margin: 0 }}>{t('In a browser')}</h2>
        {works && (
          <Button
            variant="default"
            loading={looking.isPending}
            disabled={site.status !== 'connected' || missing !== null}
            onClick={() => looking.mutate({ site_id: site.id, lab: true }, { onError: (error) => say(messageOf(error)) })}
          >
            {t('Run Lighthouse now')}
          </Button>
        )}
        <span className="soft">
          {t('The front page on a slow phone, as Lighthouse reckons it: the run in the middle of three, once a week.')}
        </span>
      </div>
      <Going siteId={site.id} type="lab" />
      {points.length === 0 ? (
        <Empty title={t('Not known')}>
          {missing === null ? t('Lighthouse has not looked at this site so far. It happens by itself once a week.') : missing}
        </Empty>
      ) : (
        <Figures known={known} points={points} missing={missing} />
      )}
    </section>
  )
}

function Figures({ known, points, missing }: { known: Told; points: Point[]; missing: string | null }) {
  const counting = points.filter(({ discarded }) => discarded === null)
  const discarded = points.filter((point) => point.discarded !== null).toReversed()
  const last = known.sites[0]?.lab
  const days = known.lab_window_days ?? 180
  return (
    <div className="cards">
      {metrics.map(({ metric, name, say }) => (
        <section className={metric === 'score' ? 'card wide' : 'card'} key={metric}>
          <h2>{name}</h2>
          {(known.trends ?? []).map((trend) =>
            trend.metric === metric ? <TrendSentence key={metric} trend={trend} days={days} say={say} /> : null,
          )}
          {counting.length > 1 && (
            <Chart
              points={counting.map((point) => ({ at: point.collected_at, value: point[metric] }))}
              say={say}
              label={t('{name}: {runs} lab runs from {from} to {to}.', {
                name,
                runs: counting.length,
                from: inFull(counting[0]?.collected_at ?? ''),
                to: inFull(counting.at(-1)?.collected_at ?? ''),
              })}
              gapMs={16 * dayMs}
            />
          )}
        </section>
      ))}
      <section className="card wide">
        <h2>{t('The last lab run')}</h2>
        {missing !== null && <p className="soft">{t('{reason} No more are made until then.', { reason: missing })}</p>}
        {last ? (
          <Facts
            of={[
              [t('When'), <When key="w" at={last.collected_at} />],
              [t('Score'), t('{score} of 100', { score: last.score })],
              [
                t('FCP, LCP, CLS, TBT'),
                `${last.fcp_ms === null ? t('not known') : milliseconds(last.fcp_ms)}, ${milliseconds(last.lcp_ms)}, ${number(last.cls, 2)}, ${milliseconds(last.tbt_ms)}`,
              ],
              [t('Scores of the runs'), last.runs.map(({ score }) => score).join(', ')],
              [t('Made by'), t('Lighthouse {lighthouse}, Chromium {chromium}', { lighthouse: last.lighthouse, chromium: last.chromium })],
              [t('Speed of the machine'), t('{index} (Lighthouse’s benchmark index)', { index: last.benchmark_index })],
            ]}
          />
        ) : (
          <p>
            <State tone="unknown">{t('Not known')}</State> {t('No run counts so far.')}
          </p>
        )}
        {discarded.length > 0 && (
          <>
            <h2 style={{ marginTop: '1rem' }}>{t('Discarded')}</h2>
            <ul>
              {discarded.slice(0, 5).map((point) => (
                <li key={point.collected_at}>
                  <When at={point.collected_at} /> {point.discarded}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </div>
  )
}
