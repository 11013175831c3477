// Whether a figure has moved, by more than it moves anyway. Arithmetic alone.
import type { Metric } from './schema.ts'

export interface Moved {
  direction: 'better' | 'steady' | 'worse' | 'unknown'
  before: number | null
  now: number | null
  /** The first one that is otherwise. */
  from: number | null
}

/** Figures are judged over so many days; lab runs come once a week. */
export const probeDays = 30
export const labDays = 180

export const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * 86_400_000)

const least = 4
/** What a figure moves anyway is judged by so many before it. */
const window = 7
/** A move is more than twice the spread, and more than somebody notices: so much, and such a share. `parts`: of one that are told apart. */
const noticed: Record<Metric, { by: number; share: number; more: 'worse' | 'better'; parts: number }> = {
  ttfb_ms: { by: 200, share: 0.2, more: 'worse', parts: 1 },
  page_bytes: { by: 200_000, share: 0.2, more: 'worse', parts: 1 },
  score: { by: 5, share: 0.05, more: 'better', parts: 1 },
  lcp_ms: { by: 300, share: 0.2, more: 'worse', parts: 1 },
  cls: { by: 0.05, share: 0.2, more: 'worse', parts: 1000 },
  tbt_ms: { by: 100, share: 0.2, more: 'worse', parts: 1 },
}

/** `values`: oldest first. The longest end of them of which each lies outside of what came before. */
export function movedOf(metric: Metric, values: readonly number[]): Moved {
  const now = values.at(-1) ?? null
  const { by, share, more, parts } = noticed[metric]
  const less = more === 'worse' ? 'better' : 'worse'
  if (values.length < least) return { direction: 'unknown', before: null, now, from: null }
  for (let from = least - 1; from < values.length; from++) {
    const earlier = values.slice(Math.max(0, from - window), from)
    const rest = values.slice(from)
    const before = medianOf(earlier, parts)
    const limit = Math.max(2 * spreadOf(earlier, before), by, share * before)
    const direction = rest.every((value) => value - before > limit) ? more : rest.every((value) => before - value > limit) ? less : null
    if (direction) return { direction, before, now: medianOf(rest, parts), from }
  }
  return { direction: 'steady', before: medianOf(values, parts), now, from: null }
}

export function medianOf(values: readonly number[], parts = 1): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const value = sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  return Math.round(parts * value) / parts
}

/** From the middle to the farthest of them but one: a single odd one says nothing. */
function spreadOf(values: readonly number[], middle: number): number {
  const distances = values.map((value) => Math.abs(value - middle)).toSorted((a, b) => a - b)
  return distances.at(values.length > 3 ? -2 : -1) ?? 0
}

/** Those that say something of the page: what was taken while a job of ours was at work on the site says more of that. */
export const countingOf = <Of extends { during: string | null }>(samples: readonly Of[]): Of[] =>
  samples.filter(({ during }) => during === null)
