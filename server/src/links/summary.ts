import { sql } from 'kysely'
import { z } from 'zod'
import { utc } from '../sites/store.ts'

const Known = z
  .object({ broken: z.int(), scanned_at: z.string().meta({ format: 'date-time' }) })
  .nullable()
  .describe('Broken links that nobody accepted. null: nobody has looked yet.')

export const summary = {
  broken_links: {
    shape: Known,
    sql: sql`(SELECT json_build_object('broken', (SELECT count(*) FROM broken_links b
        WHERE (b.workspace_id, b.site_id) = (s.workspace_id, s.id) AND b.confidence = 'broken' AND b.ignored IS NULL),
        'scanned_at', ${utc('l.completed_at')})
      FROM link_scans l WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id) AND l.completed_at IS NOT NULL
      ORDER BY l.started_at DESC LIMIT 1)`,
  },
}
