import { sql } from 'kysely'
import type { Db } from '../world.ts'
import type { Level, Status } from './schema.ts'

/** What is known of an error that a site tells of again. */
export interface Known {
  id: string
  fingerprint: string
  status: Status
  resolved_at: Date | null
}

export async function holdErrors(
  { db, workspaceId }: Db,
  siteId: string,
  version: number,
  fingerprints: string[],
): Promise<Map<string, Known>> {
  const { rows } = await sql<Known>`SELECT id, fingerprint, status, (resolved ->> 'at')::timestamptz AS resolved_at FROM php_errors
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND fingerprint_version = ${version} AND fingerprint = ANY(${fingerprints})
    ORDER BY id FOR UPDATE`.execute(db)
  return new Map(rows.map((row) => [row.fingerprint, row]))
}

/** How far each file of the site was counted. */
export async function readCounted({ db, workspaceId }: Db, siteId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ source: string; counted: number }>`SELECT source, counted::float8 AS counted FROM php_error_sources
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
  return new Map(rows.map(({ source, counted }) => [source, counted]))
}

export interface Counted {
  source: string
  error_id: string
  counted: number
}

/** `whole`: the site told of all it has, so that what it did not tell of is gone. */
export async function saveCounted({ db, workspaceId }: Db, siteId: string, counted: readonly Counted[], whole: boolean): Promise<void> {
  if (whole)
    await sql`DELETE FROM php_error_sources WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}
      AND NOT source = ANY(${counted.map(({ source }) => source)})`.execute(db)
  if (counted.length === 0) return
  await sql`INSERT INTO php_error_sources (workspace_id, site_id, source, error_id, counted)
    SELECT ${workspaceId}, ${siteId}, r.source, r.error_id, r.counted
    FROM jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) AS r (source text, error_id text, counted bigint)
    ON CONFLICT (workspace_id, site_id, source) DO UPDATE SET counted = excluded.counted`.execute(db)
}

export interface Written {
  id: string
  fingerprint: string
  level: Level
  message: string
  file: string
  lines: number[]
  component: { type: string; slug: string }
  frames: string[]
  path: string | null
  php_version: string | null
  captured: number
  logged: number
  first: Date
  last: Date
  /** It was resolved, and is there again. */
  again: boolean
  alarm: boolean
}

const shape = sql.raw(`(id text, fingerprint text, level text, message text, file text, lines integer[], component jsonb, frames jsonb,
  path text, php_version text, captured bigint, logged bigint, first timestamptz, last timestamptz, again boolean, alarm boolean)`)
const mostLines = 10

/** `changing`: types of jobs that change a site. `since`: from when on errors were asked for; what happened before the first answer came after nothing that is known. */
export interface Circumstances {
  version: number
  changing: string[]
  since: Date | null
}

export async function insertErrors({ db, workspaceId }: Db, siteId: string, errors: readonly Written[], c: Circumstances): Promise<void> {
  if (errors.length === 0) return
  await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, frames,
      status, captured, logged, first_seen_at, last_seen_at, alarms, path, php_version, version, after_job_id)
    SELECT ${workspaceId}, r.id, ${siteId}, r.fingerprint, ${c.version}, r.level, r.message, r.file, r.lines, r.component, r.frames, 'open',
      r.captured, r.logged, r.first, r.last, r.alarm::int, r.path, r.php_version,
      (SELECT left(i ->> 'version', 50) FROM sites s, jsonb_array_elements(s.inventory -> 'items') i WHERE s.workspace_id = ${workspaceId}
        AND s.id = ${siteId} AND i ->> 'type' = r.component ->> 'type' AND i ->> 'slug' = r.component ->> 'slug' LIMIT 1),
      (SELECT j.id FROM jobs j WHERE j.workspace_id = ${workspaceId} AND j.site_id = ${siteId} AND j.type = ANY(${c.changing})
        AND j.started_at > ${c.since} AND j.started_at <= r.first AND j.status IN ('running', 'completed', 'failed') ORDER BY j.started_at DESC LIMIT 1)
    FROM jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) AS r ${shape}`.execute(db)
}

export async function updateErrors({ db, workspaceId }: Db, errors: readonly Written[], now: Date): Promise<void> {
  if (errors.length === 0) return
  await sql`UPDATE php_errors e SET message = r.message, component = r.component, frames = r.frames,
      path = coalesce(r.path, e.path), php_version = coalesce(r.php_version, e.php_version),
      lines = (array(SELECT l FROM unnest(r.lines || e.lines) WITH ORDINALITY AS t (l, n) GROUP BY l ORDER BY min(n)))[1:${sql.lit(mostLines)}],
      captured = e.captured + r.captured, logged = e.logged + r.logged, first_seen_at = least(e.first_seen_at, r.first),
      last_seen_at = greatest(e.last_seen_at, r.last), status = CASE WHEN r.again THEN 'open' ELSE e.status END,
      resolved = CASE WHEN r.again THEN NULL ELSE e.resolved END, regressed_at = CASE WHEN r.again THEN ${now} ELSE e.regressed_at END,
      alarms = e.alarms + r.alarm::int
    FROM jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) AS r ${shape} WHERE e.workspace_id = ${workspaceId} AND e.id = r.id`.execute(
    db,
  )
}

/** A site can make up errors without end: beyond so many the oldest go, those first that nobody need look at. */
export async function letGo({ db, workspaceId }: Db, siteId: string, most: number): Promise<void> {
  await sql`DELETE FROM php_errors WHERE workspace_id = ${workspaceId} AND id IN (
    SELECT id FROM php_errors WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}
    ORDER BY muted IS NOT NULL DESC, status = 'open' DESC, rank DESC, last_seen_at DESC, id DESC OFFSET ${most})`.execute(db)
}
