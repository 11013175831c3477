import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../world.ts'
import type { Settings, Window } from './schema.ts'
import { here } from './sweep-store.ts'

/** Of the site `s`: as it has it, or else the workspace. */
export const setting = (column: RawBuilder<unknown>, usual: RawBuilder<unknown>) =>
  sql`coalesce((SELECT ${column} FROM uptime_settings WHERE workspace_id = s.workspace_id AND site_id = s.id),
    (SELECT ${column} FROM uptime_settings WHERE workspace_id = s.workspace_id AND site_id IS NULL), ${usual})`

/** What was set for one site, or with null for the workspace; null in a field: nothing was. */
export type Given = { [Field in keyof Settings]: Settings[Field] | null }

const fields = ['enabled', 'interval_s', 'path', 'statuses', 'text_wanted', 'text_refused', 'recovery_s'] as const
const columns = sql.join(fields.map((field) => sql.ref(field)))

export async function findSettings({ db, workspaceId }: Db, siteId: string | null): Promise<Given | undefined> {
  const { rows } = await sql<Given>`SELECT ${columns} FROM uptime_settings WHERE workspace_id = ${workspaceId}
    AND site_id IS NOT DISTINCT FROM ${siteId}`.execute(db)
  return rows[0]
}

export async function writeSettings({ db, workspaceId }: Db, siteId: string | null, given: Given): Promise<void> {
  const changes = fields.map((field) => sql`${sql.ref(field)} = excluded.${sql.ref(field)}`)
  await sql`INSERT INTO uptime_settings (workspace_id, site_id, ${columns})
    VALUES (${workspaceId}, ${siteId}, ${sql.join(fields.map((field) => sql`${given[field]}`))})
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET ${sql.join(changes)}`.execute(db)
}

/** Has every node read a site anew, or with null all: whether anybody looks at it is told with it. */
export async function announceWatch({ db, workspaceId }: Db, siteId: string | null): Promise<void> {
  await sql`UPDATE uptime_states SET since = since
    WHERE workspace_id = ${workspaceId} AND location = ${here} AND (${siteId}::text IS NULL OR site_id = ${siteId})`.execute(db)
}

/** Ends what was open of a site, or with null of all, where nobody looks any more. What it was like then, or was not known to be, is known no longer. How many. */
export async function endAtPause({ db, workspaceId }: Db, siteId: string | null, now: Date): Promise<number> {
  const { rows } = await sql<{ ended: number }>`WITH paused AS (
      SELECT s.id AS site_id FROM sites s
        LEFT JOIN uptime_settings own ON (own.workspace_id, own.site_id) = (s.workspace_id, s.id)
        LEFT JOIN uptime_settings house ON house.workspace_id = s.workspace_id AND house.site_id IS NULL
      WHERE s.workspace_id = ${workspaceId} AND (${siteId}::text IS NULL OR s.id = ${siteId}) AND NOT coalesce(own.enabled, house.enabled, true)),
    ended AS (
      UPDATE uptime_incidents SET ended_at = greatest(${now}, started_at), ended_by_pause = true
      WHERE workspace_id = ${workspaceId} AND location = ${here} AND site_id IN (SELECT site_id FROM paused) AND ended_at IS NULL
      RETURNING site_id),
    unproven AS (
      SELECT site_id FROM uptime_monitors
      WHERE workspace_id = ${workspaceId} AND location = ${here} AND site_id IN (SELECT site_id FROM paused) AND unproven_since IS NOT NULL),
    states AS (
      UPDATE uptime_states SET up = CASE WHEN unproven_since IS NULL THEN nullif(up, false) END, app_up = CASE WHEN app_up IS NOT NULL THEN true END, app_known = false,
        connector_silent = CASE WHEN connector_silent IS NOT NULL THEN false END, interrupted = true,
        since = CASE WHEN up AND unproven_since IS NULL THEN since ELSE ${now} END, unproven_since = NULL
      WHERE workspace_id = ${workspaceId} AND location = ${here} AND site_id IN (SELECT site_id FROM ended UNION SELECT site_id FROM unproven)),
    monitors AS (
      UPDATE uptime_monitors SET good_since = NULL, app_checked_at = NULL, app_misses = 0, connector_misses = 0, unproven_since = NULL
      WHERE workspace_id = ${workspaceId} AND location = ${here} AND site_id IN (SELECT site_id FROM ended UNION SELECT site_id FROM unproven))
    SELECT count(*)::int AS ended FROM ended`.execute(db)
  return rows[0]?.ended ?? 0
}

type WindowRow = Omit<Window, 'starts_at' | 'ends_at'> & { starts_at: Date; ends_at: Date }

/** Those that are not over, of a site and of all sites; with null of every site. One that was ended before it began is over. */
export async function listWindows({ db, workspaceId }: Db, siteId: string | null, now: Date): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`SELECT id, site_id, starts_at, ends_at, reason, requested_by FROM uptime_windows
    WHERE workspace_id = ${workspaceId} AND ends_at > greatest(${now}, starts_at)
      AND (${siteId}::text IS NULL OR site_id IS NULL OR site_id = ${siteId})
    ORDER BY starts_at, id LIMIT 200`.execute(db)
  return rows
}

export async function insertWindow({ db, workspaceId }: Db, window: WindowRow): Promise<void> {
  await sql`INSERT INTO uptime_windows (workspace_id, id, site_id, starts_at, ends_at, reason, requested_by)
    VALUES (${workspaceId}, ${window.id}, ${window.site_id}, ${window.starts_at}, ${window.ends_at}, ${window.reason},
      ${JSON.stringify(window.requested_by)}::jsonb)`.execute(db)
}

/** False: there is none. */
export async function endWindow({ db, workspaceId }: Db, id: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE uptime_windows SET ends_at = greatest(starts_at, least(ends_at, ${now}))
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}
