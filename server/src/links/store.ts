import { sql } from 'kysely'
import type { SitesWithin } from '../kernel/calendar.ts'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { Db } from '../world.ts'
import type { BrokenLink, Confidence, Place, Scan } from './schema.ts'

export interface Filter {
  siteId?: string | undefined
  confidence?: Confidence | undefined
  ignored: boolean
}

export type LinkRow = Omit<BrokenLink, 'first_seen_at' | 'last_checked_at' | 'well_since' | 'source_url' | 'anchor_text' | 'element'> & {
  rank: number
  first_seen_at: Date
  last_checked_at: Date
  well_since: Date | null
  stands: Place[]
}

const columns =
  sql.raw(`b.id, b.site_id, left(s.name, 100) AS site_name, b.url, b.is_internal, b.confidence, b.rank, b.reason, b.status_code,
  b.places AS stands, b.places_count AS places, b.first_seen_at, b.last_checked_at, b.ignored, b.well_since`)
const joined = sql.raw('broken_links b JOIN sites s ON (s.workspace_id, s.id) = (b.workspace_id, b.site_id)')

const where = ({ workspaceId }: Db, { siteId, confidence, ignored }: Filter) => sql`b.workspace_id = ${workspaceId}
  AND (b.ignored IS NOT NULL) = ${ignored} ${siteId === undefined ? sql`` : sql`AND b.site_id = ${siteId}`}
  ${confidence === undefined ? sql`` : sql`AND b.confidence = ${confidence}`}`

/** Worst first, of equals the newest. */
export async function listLinks(context: Db, filter: Filter, { limit, after }: PageOf): Promise<LinkRow[]> {
  const behind = after === undefined ? sql`true` : sql`(b.rank, b.id) < (${after[0]}::smallint, ${after[1]}::text)`
  const { rows } = await sql<LinkRow>`SELECT ${columns} FROM ${joined} WHERE ${where(context, filter)} AND ${behind}
    ORDER BY b.rank DESC, b.id DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export function countLinks(context: Db, filter: Filter): Promise<number> {
  return countRows(context.db, sql`broken_links b WHERE ${where(context, filter)}`)
}

export async function findLink({ db, workspaceId }: Db, siteId: string, id: string): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`SELECT ${columns} FROM ${joined}
    WHERE b.workspace_id = ${workspaceId} AND b.site_id = ${siteId} AND b.id = ${id}`.execute(db)
  return rows[0]
}

/** Of links that nobody accepted. */
export async function countConfidences({ db, workspaceId }: Db, siteId: string | undefined): Promise<Map<Confidence, number>> {
  const ofSite = siteId === undefined ? sql`true` : sql`site_id = ${siteId}`
  const { rows } = await sql<{ confidence: Confidence; n: number }>`SELECT confidence, count(*)::int AS n FROM broken_links
    WHERE workspace_id = ${workspaceId} AND ignored IS NULL AND ${ofSite} GROUP BY 1`.execute(db)
  return new Map(rows.map(({ confidence, n }) => [confidence, n]))
}

export type ScanRow = Omit<Scan, 'started_at' | 'completed_at'> & { started_at: Date; completed_at: Date | null }

/** The last one that was completed; undefined: there was none. */
export async function lastScan({ db, workspaceId }: Db, siteId: string): Promise<ScanRow | undefined> {
  const { rows } = await sql<ScanRow>`SELECT job_id, started_at, completed_at, pages, links, limit_reached, unread FROM link_scans
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND completed_at IS NOT NULL ORDER BY started_at DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** How many sites were looked at. */
export async function countScanned({ db, workspaceId }: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(DISTINCT site_id)::int AS n FROM link_scans
    WHERE workspace_id = ${workspaceId} AND completed_at IS NOT NULL`.execute(db)
  return rows[0]?.n ?? 0
}

/** Is for one that fails no more: nobody accepts it any longer, so it is no broken link at all. */
export async function deleteLink({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`DELETE FROM broken_links WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function writeIgnored({ db, workspaceId }: Db, id: string, ignored: object | null): Promise<void> {
  await sql`UPDATE broken_links SET ignored = ${ignored === null ? null : JSON.stringify(ignored)}::jsonb
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** What scans of these sites in a time came to, and what is broken there now; null: nobody looked. */
export async function sumScans(
  { db, workspaceId }: Db,
  { siteIds, from, to }: SitesWithin,
): Promise<{ scans: number; scanned: number; mended: number; broken: number | null }> {
  const { rows } = await sql<{ scans: number; scanned: number; mended: number; broken: number }>`SELECT count(*)::int AS scans,
      count(DISTINCT j.site_id)::int AS scanned, coalesce(sum((j.result->>'mended')::int), 0)::int AS mended,
      (SELECT count(*)::int FROM broken_links b WHERE b.workspace_id = ${workspaceId} AND b.site_id = ANY(${siteIds}) AND b.confidence = 'broken'
        AND b.ignored IS NULL) AS broken
    FROM jobs j WHERE j.workspace_id = ${workspaceId} AND j.site_id = ANY(${siteIds}) AND j.type = 'link_scan' AND j.status = 'completed'
      AND j.completed_at >= ${from} AND j.completed_at < ${to}`.execute(db)
  const { scans = 0, scanned = 0, mended = 0, broken = 0 } = rows[0] ?? {}
  return { scans, scanned, mended, broken: scans === 0 ? null : broken }
}
