import { sql } from 'kysely'
import { utc } from '../sites/store.ts'
import type { Context } from '../world.ts'

export interface Item {
  kind: string
  what: string
  every_s: number
  enabled: boolean
  last_at: string | null
  next_at: string | null
}

/** Of every capability what it does for a site again and again, in one question. */
export async function readTimetable({ db, workspaceId, recurring, config }: Context, siteId: string): Promise<Item[]> {
  const each = recurring.map(({ kind, what, every, last, isOn, on }) => {
    const enabled = isOn && !isOn(config) ? sql`false` : (on ?? sql`true`)
    return sql`SELECT ${kind}::text AS kind, ${what}::text AS what, ${every}::int AS every_s, ${enabled} AS enabled, ${last}::timestamptz AS last
      FROM sites s WHERE s.workspace_id = ${workspaceId} AND s.id = ${siteId}`
  })
  const { rows } = await sql<Item>`SELECT r.kind, r.what, r.every_s, r.enabled, ${utc('r.last')} AS last_at,
      CASE WHEN r.enabled THEN ${utc('t.due_at')} END AS next_at
    FROM (${sql.join(each, sql` UNION ALL `)}) r
    LEFT JOIN turns t ON t.workspace_id = ${workspaceId} AND t.site_id = ${siteId} AND t.kind = r.kind
    ORDER BY r.enabled DESC, t.due_at NULLS LAST, r.kind`.execute(db)
  return rows
}
