import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Site } from '../sites/schema.ts'
import { Severity, severities } from '../vulnerabilities/schema.ts'
import type { Source } from './schema.ts'
import { pointsOf, severityOf, weights } from './weights.ts'

/** What a site tells of its open findings. */
const OpenFindings = z
  .object({
    open: z.int(),
    worst_severity: Severity.nullable(),
    score: z.int().nullable().describe('0 to 100; the score of get_security explains it. null: not everything was looked at yet.'),
    vulnerabilities: z.int().nullable().describe('Known ones of what is installed. null: they were not looked for.'),
    counts: z.object({ critical: z.int(), high: z.int(), medium: z.int(), low: z.int(), info: z.int(), unknown: z.int() }),
  })
  .nullable()
  .describe('Open findings. null: not examined yet.')

const rank = sql`f.rank`
const counts = severities.map((severity) => sql`${sql.lit(severity)}, count(*) FILTER (WHERE f.rank = ${sql.lit(weights[severity].rank)})`)

const looked = (by: RawBuilder<unknown>) => sql`EXISTS (SELECT 1 FROM security_looks l
  WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id) AND l.checked_at IS NOT NULL ${by})`

/** What any site can be asked, and whether that was tried. What a site keeps from us, or WordPress's checksums or a feed would tell, stands in `gaps`. */
const needed = ['facts', 'inventory', 'outside'] satisfies Source[]
const wholly = sql`(SELECT count(*) FROM security_looks l WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id)
  AND (l.checked_at IS NOT NULL OR l.error IS NOT NULL) AND l.source = ANY(${needed})) = ${sql.lit(needed.length)}`

export const summary = {
  security: {
    shape: OpenFindings,
    sql: sql`CASE WHEN ${looked(sql``)}
    THEN (SELECT json_build_object('open', count(*), 'worst_severity', ${severityOf(sql`max(f.rank)`)},
        'vulnerabilities', CASE WHEN ${looked(sql`AND l.source = 'feed'`)} THEN count(*) FILTER (WHERE f.kind = 'vulnerability') END,
        'score', CASE WHEN ${wholly} THEN greatest(0, 100 - coalesce(sum(${pointsOf(rank)}), 0)) END, 'counts', json_build_object(${sql.join(counts)}))
      FROM findings f WHERE (f.workspace_id, f.site_id, f.status) = (s.workspace_id, s.id, 'open')) END`,
    filters: {
      vulnerable: {
        input: z.boolean().optional().describe('Known to be.'),
        keeps: (findings: z.infer<typeof OpenFindings>, wanted: boolean) => {
          const known = findings?.vulnerabilities
          return known === undefined || known === null ? undefined : known > 0 === wanted
        },
      },
    },
  },
}

/** The part of a site that this capability made. */
export const openFindingsOf = (site: Site) => (site as Site & { security: z.infer<typeof OpenFindings> }).security
