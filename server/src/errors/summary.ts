import { sql } from 'kysely'
import { z } from 'zod'

/** When a site was asked is not told here: that changes all the time, and a site is read anew with each change. */
const Known = z
  .object({ open: z.int(), fatal: z.int() })
  .nullable()
  .describe('PHP errors that nobody resolved or muted; get_errors (GET /errors) tells more. null: the site has never been asked.')

export const summary = {
  php_errors: {
    shape: Known,
    sql: sql`(SELECT json_build_object('open', count(e.id), 'fatal', count(e.id) FILTER (WHERE e.level = 'fatal'))
      FROM php_error_collections c LEFT JOIN php_errors e ON (e.workspace_id, e.site_id, e.status) = (c.workspace_id, c.site_id, 'open')
      WHERE (c.workspace_id, c.site_id) = (s.workspace_id, s.id) AND c.since IS NOT NULL GROUP BY c.site_id)`,
  },
}
