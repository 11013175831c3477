import { sql } from 'kysely'
import { z } from 'zod'
import type { Site } from '../sites/schema.ts'
import { Severity, severities } from '../vulnerabilities/schema.ts'
import { pointsOf, severityOf, weights } from './weights.ts'

/** What a site tells of its open findings. */
const OpenFindings = z
  .object({
    open: z.int(),
    worst_severity: Severity.nullable(),
    score: z.int().describe('0 to 100; the score of get_security explains it.'),
    counts: z.object({ critical: z.int(), high: z.int(), medium: z.int(), low: z.int(), info: z.int(), unknown: z.int() }),
  })
  .nullable()
  .describe('Open findings. null: not examined yet.')

const rank = sql`f.rank`
const counts = severities.map((severity) => sql`${sql.lit(severity)}, count(*) FILTER (WHERE f.rank = ${sql.lit(weights[severity].rank)})`)

export const summary = {
  security: {
    shape: OpenFindings,
    sql: sql`CASE WHEN EXISTS (SELECT 1 FROM security_looks l
      WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id) AND l.checked_at IS NOT NULL)
    THEN (SELECT json_build_object('open', count(*), 'worst_severity', ${severityOf(sql`max(f.rank)`)},
        'score', greatest(0, 100 - coalesce(sum(${pointsOf(rank)}), 0)), 'counts', json_build_object(${sql.join(counts)}))
      FROM findings f WHERE (f.workspace_id, f.site_id, f.status) = (s.workspace_id, s.id, 'open')) END`,
  },
}

/** The part of a site that this capability made. */
export const openFindingsOf = (site: Site) => (site as Site & { security: z.infer<typeof OpenFindings> }).security
