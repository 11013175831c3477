// How much each severity weighs; the column `rank` of a finding and its points follow from here alone.
import { type RawBuilder, sql } from 'kysely'
import type { Severity } from '../vulnerabilities/schema.ts'

/** `rank`: the worst is highest. `points`: what an open finding takes of the 100 a site begins with. */
export const weights: Record<Severity, { rank: number; points: number }> = {
  critical: { rank: 6, points: 40 },
  high: { rank: 5, points: 15 },
  medium: { rank: 4, points: 5 },
  unknown: { rank: 3, points: 5 },
  low: { rank: 2, points: 1 },
  info: { rank: 1, points: 0 },
}

const byRank = Object.entries(weights).toSorted(([, a], [, b]) => a.rank - b.rank)

/** The severity of a rank. */
export const severityOf = (rank: RawBuilder<unknown>) => sql`(ARRAY[${sql.join(byRank.map(([severity]) => sql.lit(severity)))}])[${rank}]`

/** The points of a rank. */
export const pointsOf = (rank: RawBuilder<unknown>) => sql`(ARRAY[${sql.join(byRank.map(([, { points }]) => sql.lit(points)))}])[${rank}]`
