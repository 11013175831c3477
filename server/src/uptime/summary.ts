import { sql } from 'kysely'
import { z } from 'zod'
import { utc } from '../sites/store.ts'
import { setting } from './settings-store.ts'
import { appUpOf, here, isUnproven } from './sweep-store.ts'

/** A check that finds nothing new makes no site be read again, so its figures are those of when it was last read (sites/fleet.ts). */
const Known = z
  .object({
    state: z.enum(['up', 'down', 'unknown']),
    since: z.string().meta({ format: 'date-time' }),
    unproven_since: z
      .string()
      .meta({ format: 'date-time' })
      .nullable()
      .describe('It was up, and since then it is not known, because our own network may be in trouble.'),
    app_up: z.boolean().nullable(),
    app_was_down: z.boolean().describe('true: WordPress itself failed when it was last seen, and its incident lasts.'),
    connector_silent: z.boolean().nullable(),
    ratio_30d: z.number().nullable().describe('Of the hours that are over. null: no check of them counted.'),
    response_ms: z.int().nullable().describe('Of the last answer.'),
    checked_at: z.string().meta({ format: 'date-time' }).nullable().describe('The check that these figures go up to, minutes ago at most.'),
  })
  .nullable()
  .describe('Whether it answers; get_uptime (GET /uptime) tells more. null: not looked at yet.')

export const summary = {
  uptime: {
    shape: Known,
    sql: sql`(SELECT json_build_object('state', CASE WHEN NOT ${setting(sql`enabled`, sql`true`)} OR ${isUnproven('u')} THEN 'unknown' WHEN u.up THEN 'up' WHEN NOT u.up THEN 'down' ELSE 'unknown' END,
        'since', CASE WHEN ${isUnproven('u')} THEN ${utc('u.unproven_since')} ELSE ${utc('u.since')} END,
        'unproven_since', CASE WHEN ${isUnproven('u')} THEN ${utc('u.unproven_since')} END, 'app_up', ${appUpOf('u')}, 'app_was_down', coalesce(NOT u.app_up, false), 'connector_silent', CASE WHEN NOT u.interrupted THEN u.connector_silent END,
        'ratio_30d', (SELECT (floor(sum(d.ups) * 100000.0 / nullif(sum(d.checks), 0)) / 100000)::float8 FROM uptime_days d
          WHERE (d.workspace_id, d.site_id, d.location) = (u.workspace_id, u.site_id, u.location)
            AND d.day >= date_trunc('day', m.checked_at, 'UTC') - interval '29 days'),
        'response_ms', m.response_ms, 'checked_at', ${utc('m.checked_at')})
      FROM uptime_states u LEFT JOIN uptime_monitors m USING (workspace_id, site_id, location) WHERE (u.workspace_id, u.site_id, u.location) = (s.workspace_id, s.id, ${sql.lit(here)}))`,
  },
}
