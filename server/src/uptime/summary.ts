import { sql } from 'kysely'
import { z } from 'zod'
import { utc } from '../sites/store.ts'
import { appUpOf, here } from './sweep-store.ts'

/** What changes seldom: a check that finds nothing new makes no site be read again. */
const Known = z
  .object({
    state: z.enum(['up', 'down', 'unknown']),
    since: z.string().meta({ format: 'date-time' }),
    app_up: z.boolean().nullable(),
    connector_silent: z.boolean().nullable(),
  })
  .nullable()
  .describe('Whether it answers; get_uptime (GET /uptime) tells more. null: not looked at yet.')

export const summary = {
  uptime: {
    shape: Known,
    sql: sql`(SELECT json_build_object('state', CASE u.up WHEN true THEN 'up' WHEN false THEN 'down' ELSE 'unknown' END,
        'since', ${utc('u.since')}, 'app_up', ${appUpOf('u')}, 'connector_silent', CASE WHEN NOT u.interrupted THEN u.connector_silent END)
      FROM uptime_states u WHERE (u.workspace_id, u.site_id, u.location) = (s.workspace_id, s.id, ${sql.lit(here)}))`,
  },
}
