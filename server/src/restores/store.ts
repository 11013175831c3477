import { sql } from 'kysely'
import type { SitesWithin } from '../kernel/calendar.ts'
import type { DatedDb, Db } from '../world.ts'

/** So long a site keeps what a restore replaced; a little more, since its clock says when that is over. */
const keptMs = 24 * 3_600_000 + 10 * 60_000

/** The last restore of this site, one that ended badly included, that may have left something to bring back. For certain only the site knows. */
export async function lastToUndo(
  { db, workspaceId, now }: DatedDb,
  siteId: string,
  type: { restore: string; undo: string },
): Promise<string | undefined> {
  const since = new Date(now().getTime() - keptMs)
  const { rows } = await sql<{
    id: string
  }>`SELECT r.id FROM jobs r WHERE r.workspace_id = ${workspaceId} AND r.site_id = ${siteId} AND r.type = ${type.restore}
    AND r.status <> 'canceled' AND (r.completed_at IS NULL OR r.completed_at > ${since}) AND NOT EXISTS (
      SELECT 1 FROM jobs u WHERE u.workspace_id = ${workspaceId} AND u.site_id = ${siteId} AND u.type = ${type.undo}
        AND u.status = 'completed' AND u.completed_at > r.completed_at) ORDER BY r.id DESC LIMIT 1`.execute(db)
  return rows[0]?.id
}

/** Whether the site was restored again after this restore, or this restore undone; one that is under way counts. */
export async function hasSuccessor({ db, workspaceId }: Db, siteId: string, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM jobs WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND id > ${id}
    AND (type = 'restore' AND status <> 'canceled' OR type = 'undo_restore' AND status NOT IN ('failed', 'canceled')) LIMIT 1`.execute(db)
  return rows.length > 0
}

/** What was restored, or undone, on these sites in a time. */
export async function listRestored(
  { db, workspaceId }: Db,
  { siteIds, from, to }: SitesWithin,
): Promise<{ at: Date; site_id: string; undone: boolean }[]> {
  const { rows } = await sql<{
    at: Date
    site_id: string
    undone: boolean
  }>`SELECT j.completed_at AS at, j.site_id, j.type = 'undo_restore' AS undone
    FROM jobs j WHERE j.workspace_id = ${workspaceId} AND j.site_id = ANY(${siteIds}) AND j.type IN ('restore', 'undo_restore') AND j.status = 'completed'
      AND j.completed_at >= ${from} AND j.completed_at < ${to} ORDER BY j.completed_at LIMIT 200`.execute(db)
  return rows
}
