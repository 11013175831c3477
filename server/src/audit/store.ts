import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { Db } from '../world.ts'
import type { AuditRow } from './schema.ts'

export interface AuditFilter {
  /** The id of whoever called, or the name of a token or the e-mail address of a person. */
  by?: string | undefined
  /** An operation, or with a dot at its end all that begin so. */
  operation?: string | undefined
  outcome?: string | undefined
  siteId?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** Not these. */
  except?: readonly string[] | undefined
}

const joined = sql`audit a LEFT JOIN tokens t ON (t.workspace_id, t.id) = (a.workspace_id, a.caller_id)
  LEFT JOIN users u ON a.caller_type = 'user' AND u.id = a.caller_id
  LEFT JOIN sites s ON (s.workspace_id, s.id) = (a.workspace_id, a.site_id)`

function matching({ workspaceId }: Db, { by, operation, outcome, siteId, since, until, except = [] }: AuditFilter) {
  const all = [
    sql`a.workspace_id = ${workspaceId}`,
    ...(by === undefined ? [] : [sql`(a.caller_id = ${by} OR t.name = ${by} OR lower(u.email) = lower(${by}))`]),
    ...(operation === undefined
      ? []
      : [operation.endsWith('.') ? sql`starts_with(a.operation, ${operation})` : sql`a.operation = ${operation}`]),
    ...(outcome === undefined
      ? []
      : [outcome === 'refused' ? sql`a.outcome NOT IN ('ok', 'awaiting_approval')` : sql`a.outcome = ${outcome}`]),
    ...(siteId === undefined ? [] : [sql`a.site_id = ${siteId}`]),
    ...(since === undefined ? [] : [sql`a.at >= ${since}`]),
    ...(until === undefined ? [] : [sql`a.at < ${until}`]),
    ...(except.length === 0 ? [] : [sql`a.operation <> ALL(${except})`]),
  ]
  return sql.join(all, sql` AND `)
}

/** Newest first. */
export async function listAudit(context: Db, filter: AuditFilter, { limit, after }: PageOf): Promise<AuditRow[]> {
  const before = after === undefined ? sql`true` : sql`a.seq < ${after[0]}::bigint`
  const { rows } = await sql<AuditRow>`SELECT a.seq::text AS id, a.at, json_build_object('type', a.caller_type, 'id', a.caller_id,
      'name', coalesce(t.name, u.email)) AS by, a.operation, a.outcome, a.face AS via, a.site_id, s.name AS site_name, a.request_id
    FROM ${joined} WHERE ${matching(context, filter)} AND ${before} ORDER BY a.seq DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export const countAudit = (context: Db, filter: AuditFilter): Promise<number> =>
  countRows(context.db, sql`${joined} WHERE ${matching(context, filter)}`)
