// The queries behind a report. What is counted is what the other capabilities wrote down; nothing is asked of a site.
import { sql } from 'kysely'
import type { SitesWithin } from '../kernel/calendar.ts'
import { countRows } from '../kernel/cursor.ts'
import { here } from '../uptime/sweep-store.ts'
import type { Db } from '../world.ts'

export interface Span extends SitesWithin {
  timeZone: string
  step: 'day' | 'week'
}

export interface WorkRow {
  id: string
  at: Date
  site_id: string
  category: string
  summary: string
  by: string | null
}

/** What may be shown: never internal, and of what the service wrote itself only what a person chose. */
const shownEntry = sql`a.in_reports AND NOT a.internal AND (a.kind = 'maintenance' OR a.chosen)`

export async function listWork({ db, workspaceId }: Db, { siteIds, from, to }: Span, most: number): Promise<WorkRow[]> {
  const { rows } = await sql<WorkRow>`SELECT a.id, a.performed_at AS at, a.site_id, a.category, a.summary, a.performed_by AS by
    FROM activity a WHERE a.workspace_id = ${workspaceId} AND a.site_id = ANY(${siteIds}) AND ${shownEntry}
      AND a.performed_at >= ${from} AND a.performed_at < ${to} ORDER BY a.performed_at DESC, a.id DESC LIMIT ${most}`.execute(db)
  return rows.reverse()
}

export const countWork = ({ db, workspaceId }: Db, { siteIds, from, to }: Span): Promise<number> =>
  countRows(
    db,
    sql`activity a WHERE a.workspace_id = ${workspaceId} AND a.site_id = ANY(${siteIds}) AND ${shownEntry}
      AND a.performed_at >= ${from} AND a.performed_at < ${to}`,
  )

/** Which of these entries may still be shown. */
export async function stillShown({ db, workspaceId }: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`SELECT a.id FROM activity a WHERE a.workspace_id = ${workspaceId}
    AND a.id = ANY(${ids}) AND ${shownEntry}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The sites that are this client's now. */
export async function listSiteIdsOf({ db, workspaceId }: Db, client: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM sites WHERE workspace_id = ${workspaceId} AND client = ${client}`.execute(db)
  return rows.map(({ id }) => id)
}

export interface UptimeRow {
  /** Of one site, or of one day or week of all. */
  site_id: string | null
  at: string | null
  checks: number
  ups: number
}

/** Sums of the hours, by site and by day or week of the client's own time. */
export async function sumUptime({ db, workspaceId }: Db, { siteIds, from, to, timeZone, step }: Span): Promise<UptimeRow[]> {
  const { rows } = await sql<UptimeRow>`SELECT site_id, to_char(at, 'YYYY-MM-DD') AS at, sum(checks)::int AS checks, sum(ups)::int AS ups
    FROM (SELECT site_id, date_trunc(${step}, hour AT TIME ZONE ${timeZone}) AS at, checks, ups FROM uptime_hours
      WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND location = ${here} AND hour >= ${from} AND hour < ${to}) h
    GROUP BY GROUPING SETS ((site_id), (at)) ORDER BY at`.execute(db)
  return rows
}

export interface IncidentRow {
  site_id: string
  kind: 'down' | 'app_down'
  cause: string
  started_at: Date
  ended_at: Date | null
}

/** Those that reach into the time. That the connector is silent is nothing that visitors see. */
export async function listOutages({ db, workspaceId }: Db, { siteIds, from, to }: Span): Promise<IncidentRow[]> {
  const { rows } = await sql<IncidentRow>`SELECT site_id, kind, cause, started_at, ended_at FROM uptime_incidents
    WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND kind IN ('down', 'app_down') AND location = ${here}
      AND started_at < ${to} AND coalesce(ended_at, 'infinity') > ${from} ORDER BY started_at, id LIMIT 5000`.execute(db)
  return rows
}

/** The middle of each day or week, by site, oldest first. */
export async function listSpeeds(
  { db, workspaceId }: Db,
  { siteIds, from, to, timeZone, step }: Span,
): Promise<{ site_id: string; ms: number }[]> {
  const { rows } = await sql<{ site_id: string; ms: number }>`SELECT site_id, percentile_disc(0.5) WITHIN GROUP (ORDER BY ttfb_ms) AS ms
    FROM (SELECT site_id, date_trunc(${step}, collected_at AT TIME ZONE ${timeZone}) AS at, ttfb_ms FROM performance_samples
      WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND source = 'probe' AND during IS NULL AND collected_at >= ${from} AND collected_at < ${to}) p
    GROUP BY site_id, at ORDER BY site_id, at`.execute(db)
  return rows
}

export interface FindingRow {
  site_id: string
  kind: string
  severity: string
  component: string | null
  found_at: Date
  fixed_at: Date | null
}

/** What was found or fixed within the time, worst first; what somebody accepted is nobody's problem. */
export async function listFindings({ db, workspaceId }: Db, { siteIds, from, to }: Span): Promise<FindingRow[]> {
  const { rows } =
    await sql<FindingRow>`SELECT f.site_id, f.kind, f.severity, coalesce(f.component->>'name', f.component->>'slug') AS component,
      f.first_seen_at AS found_at, CASE WHEN f.status = 'fixed' THEN f.fixed_at END AS fixed_at
    FROM findings f WHERE f.workspace_id = ${workspaceId} AND f.site_id = ANY(${siteIds}) AND f.status IN ('open', 'fixed') AND f.severity <> 'info'
      AND ((f.first_seen_at >= ${from} AND f.first_seen_at < ${to}) OR (f.status = 'fixed' AND f.fixed_at >= ${from} AND f.fixed_at < ${to}))
    ORDER BY f.rank DESC, f.first_seen_at, f.id LIMIT 5000`.execute(db)
  return rows
}

/** What is open now and of high severity or worse, worst first, whenever it was found. */
export async function listRisks({ db, workspaceId }: Db, { siteIds }: Span, most: number): Promise<Omit<FindingRow, 'fixed_at'>[]> {
  const { rows } = await sql<Omit<FindingRow, 'fixed_at'>>`SELECT f.site_id, f.kind, f.severity,
      coalesce(f.component->>'name', f.component->>'slug') AS component, f.first_seen_at AS found_at
    FROM findings f WHERE f.workspace_id = ${workspaceId} AND f.site_id = ANY(${siteIds}) AND f.status = 'open' AND f.severity IN ('critical', 'high')
    ORDER BY f.rank DESC, f.first_seen_at, f.id LIMIT ${most}`.execute(db)
  return rows
}

export interface LookedAt {
  id: string
  name: string
  url: string
  up: boolean | null
  synced: boolean
  waiting: number | null
  examined: boolean
  critical: number
  high: number
  medium: number
  low: number
}

/** The sites of a client as they are known now, oldest first. */
export async function listSitesOf({ db, workspaceId }: Db, client: string): Promise<LookedAt[]> {
  const open = (severity: string) => sql`count(f.id) FILTER (WHERE f.severity = ${severity})::int`
  const { rows } =
    await sql<LookedAt>`SELECT s.id, s.name, s.home AS url, CASE WHEN u.unproven_since IS NULL OR NOT u.up THEN u.up END AS up, s.synced_at IS NOT NULL AND s.status NOT IN ('disconnected', 'paused') AS synced,
      s.updates_core + s.updates_plugins + s.updates_themes AS waiting,
      EXISTS (SELECT 1 FROM security_looks l WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id) AND l.checked_at IS NOT NULL) AS examined,
      ${open('critical')} AS critical, ${open('high')} AS high, ${open('medium')} AS medium, ${open('low')} AS low
    FROM sites s LEFT JOIN uptime_states u ON (u.workspace_id, u.site_id, u.location) = (s.workspace_id, s.id, ${here})
      LEFT JOIN findings f ON (f.workspace_id, f.site_id, f.status) = (s.workspace_id, s.id, 'open')
    WHERE s.workspace_id = ${workspaceId} AND s.client = ${client} GROUP BY s.workspace_id, s.id, u.up, u.unproven_since ORDER BY s.id`.execute(
      db,
    )
  return rows
}
