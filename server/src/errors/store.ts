import { sql } from 'kysely'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import { utc } from '../sites/store.ts'
import { itemOf } from '../updates/done-store.ts'
import type { Db } from '../world.ts'
import type { ErrorWithTrace, Level, PhpError, Status } from './schema.ts'

export interface Filter {
  siteId?: string | undefined
  level?: Level | undefined
  component?: string | undefined
  status: Status
}

export type ErrorRow = PhpError & { rank: number; frames: string[]; lines: number[] }

const columns = sql`e.id, e.fingerprint, e.path, e.php_version, e.site_id, left(s.name, 100) AS site_name, e.level, e.rank, e.message, e.file, e.lines[1] AS line, e.lines, e.frames,
  e.component || jsonb_build_object('version', e.version) AS component, e.status, greatest(e.captured, e.logged)::float8 AS count,
  ${utc('e.first_seen_at')} AS first_seen_at, ${utc('e.last_seen_at')} AS last_seen_at, ${utc('e.regressed_at')} AS regressed_at, e.resolved, e.muted,
  CASE WHEN j.id IS NOT NULL THEN json_build_object('job_id', j.id, 'type', j.type, 'summary', j.summary, 'at', ${utc('coalesce(j.completed_at, j.started_at)')}, 'item', ${itemOf(`e.component ->> 'slug'`)}) END AS after`
const joined = sql.raw(`php_errors e JOIN sites s ON (s.workspace_id, s.id) = (e.workspace_id, e.site_id)
  LEFT JOIN jobs j ON (j.workspace_id, j.id) = (e.workspace_id, e.after_job_id)`)

const where = (
  { workspaceId }: Db,
  { siteId, level, component, status }: Filter,
) => sql`e.workspace_id = ${workspaceId} AND e.status = ${status}
  ${siteId === undefined ? sql`` : sql`AND e.site_id = ${siteId}`} ${level === undefined ? sql`` : sql`AND e.level = ${level}`}
  ${component === undefined ? sql`` : sql`AND e.component ->> 'slug' = ${component}`}`

/** Worst first, of equals the last one met. */
export async function listErrors(context: Db, filter: Filter, { limit, after }: PageOf): Promise<ErrorRow[]> {
  const behind =
    after === undefined
      ? sql`true`
      : sql`(e.rank, e.last_seen_at, e.id) < (${after[0]}::smallint, ${after[1]}::timestamptz, ${after[2]}::text)`
  const { rows } = await sql<ErrorRow>`SELECT ${columns} FROM ${joined} WHERE ${where(context, filter)} AND ${behind}
    ORDER BY e.rank DESC, e.last_seen_at DESC, e.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export function countErrors(context: Db, filter: Filter): Promise<number> {
  return countRows(context.db, sql`php_errors e WHERE ${where(context, filter)}`)
}

export async function findError({ db, workspaceId }: Db, siteId: string, id: string): Promise<ErrorWithTrace | undefined> {
  const { rows } = await sql<ErrorRow>`SELECT ${columns} FROM ${joined}
    WHERE e.workspace_id = ${workspaceId} AND e.site_id = ${siteId} AND e.id = ${id}`.execute(db)
  return rows[0]
}

/** Of those that are open. */
export async function countLevels({ db, workspaceId }: Db, siteId: string | undefined): Promise<Map<Level, number>> {
  const ofSite = siteId === undefined ? sql`true` : sql`site_id = ${siteId}`
  const { rows } = await sql<{ level: Level; n: number }>`SELECT level, count(*)::int AS n FROM php_errors
    WHERE workspace_id = ${workspaceId} AND status = 'open' AND ${ofSite} GROUP BY 1`.execute(db)
  return new Map(rows.map(({ level, n }) => [level, n]))
}

/** How many sites have ever answered. */
export async function countCollected({ db, workspaceId }: Db): Promise<number> {
  return countRows(db, sql`php_error_collections WHERE workspace_id = ${workspaceId} AND since IS NOT NULL`)
}

/** What somebody decided about one. */
export interface Decided {
  status: Status
  resolved: object | null
  muted: object | null
}

export async function writeDecided({ db, workspaceId }: Db, id: string, { status, resolved, muted }: Decided): Promise<void> {
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  await sql`UPDATE php_errors SET status = ${status}, resolved = ${json(resolved)}::jsonb, muted = ${json(muted)}::jsonb,
      regressed_at = CASE WHEN ${status} = 'resolved' THEN NULL ELSE regressed_at END
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}
