import { sql } from 'kysely'
import { newId } from '../kernel/ids.ts'
import type { DatedDb, Db } from '../world.ts'
import type { Place, Reason, Scan, Unread } from './schema.ts'
import type { Verdict } from './verdict.ts'

/** Why nobody knows what links stand on a page; `elsewhere` and `no_page`: for certain none of this site's. */
export type NotRead = keyof Unread | 'elsewhere' | 'no_page'

/** An address that a scan has met. */
export interface Met {
  url: string
  isPage: boolean
  isDone: boolean
  verdict: Verdict | null
  notRead: NotRead | null
  places: Place[]
  placesCount: number
}

/** The scan of this job; made where this is the first attempt. */
export async function openScan({ db, workspaceId, now }: DatedDb, jobId: string, siteId: string): Promise<void> {
  await sql`INSERT INTO link_scans (workspace_id, job_id, site_id, started_at) VALUES (${workspaceId}, ${jobId}, ${siteId}, ${now()})
    ON CONFLICT DO NOTHING`.execute(db)
}

/** In the order in which they were met. */
export async function readMet({ db, workspaceId }: Db, jobId: string): Promise<Met[]> {
  const { rows } =
    await sql<Met>`SELECT url, is_page AS "isPage", is_done AS "isDone", verdict, not_read AS "notRead", places, places_count AS "placesCount"
    FROM link_scan_urls WHERE workspace_id = ${workspaceId} AND job_id = ${jobId}`.execute(db)
  return rows
}

export async function saveMet({ db, workspaceId }: Db, jobId: string, met: readonly Met[]): Promise<void> {
  if (met.length === 0) return
  const rows = met.map(({ isPage, isDone, notRead, placesCount, ...row }) => ({
    ...row,
    is_page: isPage,
    is_done: isDone,
    not_read: notRead,
    places_count: placesCount,
  }))
  await sql`INSERT INTO link_scan_urls (workspace_id, job_id, url, is_page, is_done, verdict, not_read, places, places_count)
    SELECT ${workspaceId}, ${jobId}, r.url, r.is_page, r.is_done, r.verdict, r.not_read, r.places, r.places_count
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (url text, is_page boolean, is_done boolean, verdict jsonb, not_read text,
      places jsonb, places_count integer)
    ON CONFLICT (workspace_id, job_id, url) DO UPDATE SET is_page = excluded.is_page, is_done = excluded.is_done,
      verdict = excluded.verdict, not_read = excluded.not_read, places = excluded.places, places_count = excluded.places_count`.execute(db)
}

export interface Known {
  url: string
  confidence: 'broken' | 'suspect' | 'blocked'
  places: Place[]
  isIgnored: boolean
  /** It is kept because it was ignored; the scan before did not find it failing. */
  isWell: boolean
}

export async function listKnown({ db, workspaceId }: Db, siteId: string): Promise<Known[]> {
  const { rows } = await sql<Known>`SELECT url, confidence, places, ignored IS NOT NULL AS "isIgnored", well_since IS NOT NULL AS "isWell"
    FROM broken_links WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
  return rows
}

export interface Judged {
  url: string
  isInternal: boolean
  confidence: 'broken' | 'suspect' | 'blocked'
  reason: Reason
  status: number | null
  places: Place[]
  placesCount: number
}

/** Writes down what this scan found. `gone`: links that were known and fail no more; of those that were accepted it is remembered that they are. */
export async function saveJudged({ db, workspaceId, now }: DatedDb, siteId: string, judged: readonly Judged[], gone: readonly string[]) {
  const at = now()
  const rows = judged.map(({ isInternal, status, placesCount, ...row }) => ({
    ...row,
    ...{ id: newId('link', at), is_internal: isInternal, status_code: status, places_count: placesCount },
  }))
  await sql`DELETE FROM broken_links WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND url = ANY(${gone})
    AND ignored IS NULL`.execute(db)
  await sql`UPDATE broken_links SET well_since = ${at} WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND url = ANY(${gone})
    AND well_since IS NULL`.execute(db)
  await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, status_code, places, places_count,
      first_seen_at, last_checked_at)
    SELECT ${workspaceId}, r.id, ${siteId}, r.url, r.is_internal, r.confidence, r.reason, r.status_code, r.places, r.places_count, ${at}, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id text, url text, is_internal boolean, confidence text, reason text,
      status_code integer, places jsonb, places_count integer)
    ON CONFLICT (workspace_id, site_id, url) DO UPDATE SET confidence = excluded.confidence, reason = excluded.reason,
      status_code = excluded.status_code, places = excluded.places, places_count = excluded.places_count,
      last_checked_at = excluded.last_checked_at, well_since = NULL`.execute(db)
}

/** The scan is over; what it noted for itself goes. */
export async function closeScan(
  { db, workspaceId, now }: DatedDb,
  jobId: string,
  { pages, links, limit_reached, unread }: Pick<Scan, 'pages' | 'links' | 'limit_reached' | 'unread'>,
): Promise<void> {
  await sql`UPDATE link_scans SET completed_at = ${now()}, pages = ${pages}, links = ${links}, limit_reached = ${limit_reached},
      unread = ${JSON.stringify(unread)}::jsonb
    WHERE workspace_id = ${workspaceId} AND job_id = ${jobId}`.execute(db)
  await forgetMet({ db, workspaceId }, jobId)
}

export async function forgetMet({ db, workspaceId }: Db, jobId: string): Promise<void> {
  await sql`DELETE FROM link_scan_urls WHERE workspace_id = ${workspaceId} AND job_id = ${jobId}`.execute(db)
}
