// How a figure has moved, in words, and after what.
import { Link } from 'wouter'
import type { Whole } from '../api.ts'
import { t } from '../text.ts'
import { State, type Tone } from '../ui/parts.tsx'
import { inFull, plainly } from '../words.ts'

export type Trend = NonNullable<Whole<'performance.list'>['trends']>[number]

const moves: Record<Trend['direction'], [Tone, string]> = {
  better: ['good', t('Better')],
  steady: ['good', t('Steady')],
  worse: ['bad', t('Worse')],
  unknown: ['unknown', t('Not known')],
}

export function TrendSentence({ trend, days, say }: { trend: Trend; days: number; say: (value: number) => string }) {
  const [tone, word] = moves[trend.direction]
  const { before, now, change_percent: percent, since, after, because } = trend
  return (
    <>
      <p>
        <State tone={tone}>{word}</State>{' '}
        {trend.direction === 'unknown'
          ? t('A trend takes four samples at least.')
          : trend.direction === 'steady'
            ? t('As it was in the last {days} days: {now}.', { days, now: now === null ? t('not known') : say(now) })
            : t(
                '{before} before, {now} now{percent, select, none {} other { ({percent} %)}}{since, select, none {} other {, since {since}}}.',
                {
                  before: before === null ? '?' : say(before),
                  now: now === null ? '?' : say(now),
                  percent: percent === null ? 'none' : `${percent > 0 ? '+' : ''}${percent}`,
                  since: since ? inFull(since) : 'none',
                },
              )}
      </p>
      {after.length > 0 && (
        <p className="soft">
          {because ? t('It follows the one thing that was done in between:') : t('In between was done, as far as it is known:')}{' '}
          {after.map(({ job_id, activity_id, summary, type }, n) => (
            <span key={job_id ?? activity_id ?? n}>
              {n > 0 && '; '}
              {job_id ? <Link href={`/jobs/${job_id}`}>{summary ?? plainly(type)}</Link> : (summary ?? t('a change by somebody else'))}
            </span>
          ))}
        </p>
      )}
      {(trend.direction === 'better' || trend.direction === 'worse') && after.length === 0 && (
        <p className="soft">{t('Nothing is known that was done to the site in between; who or what it was is not known.')}</p>
      )}
    </>
  )
}
