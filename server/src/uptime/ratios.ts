// What share of its checks a site answered, of what was put away and of the hour at work.
import { sumOf, unpackSamples } from './samples.ts'
import type { Known, SumsOf } from './store.ts'

const dayMs = 86_400_000
const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const
type Span = keyof typeof days

export function ratiosOf(
  { hour, samples }: Pick<Known, 'hour' | 'samples'>,
  sums: SumsOf | undefined,
  now: Date,
): Record<Span, number | null> {
  const away: Record<Span, [number | null | undefined, number | null | undefined]> = {
    '24h': [sums?.c1, sums?.u1],
    '7d': [sums?.c7, sums?.u7],
    '30d': [sums?.c30, sums?.u30],
    '90d': [sums?.c90, sums?.u90],
  }
  const current = hour && samples ? { hour, sum: sumOf(unpackSamples(hour, samples)) } : undefined
  const ratio = (span: Span) => {
    const [checks, ups] = away[span].map((n) => n ?? 0) as [number, number]
    const counts = current && now.getTime() - current.hour.getTime() < days[span] * dayMs ? current.sum : { checks: 0, ups: 0 }
    return ratioOf(checks + counts.checks, ups + counts.ups)
  }
  return { '24h': ratio('24h'), '7d': ratio('7d'), '30d': ratio('30d'), '90d': ratio('90d') }
}

/** To five places; one failure in a hundred thousand still shows, and what was not whole is never rounded up to it. */
export const ratioOf = (checks: number, ups: number): number | null =>
  checks === 0 ? null : Math.floor((ups / checks) * 100_000) / 100_000
