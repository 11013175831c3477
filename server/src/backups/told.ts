// What of the backups a client is told: how many there were, and how far they were tried out.
import { sql } from 'kysely'
import type { Db } from '../world.ts'
import { sound } from './sound.ts'

export interface BackupsTold {
  site_id: string
  completed: number
  failed: number
  /** Completed, but damaged or doubtful. */
  suspect: number
  /** The farthest that a good one was tried out. */
  level: 'none' | 'present' | 'content' | 'restored' | 'imported'
  checked_at: Date | null
}

/** By site, of those that ended within the time. Those that were deleted since were made all the same: their jobs tell of them. */
export async function tellBackups(
  { db, workspaceId }: Db,
  siteIds: readonly string[],
  { from, to }: { from: Date; to: Date },
): Promise<BackupsTold[]> {
  const { rows } = await sql<BackupsTold>`SELECT site_id, count(DISTINCT job_id) FILTER (WHERE status = 'completed')::int AS completed,
      count(DISTINCT job_id) FILTER (WHERE status = 'failed')::int AS failed,
      count(*) FILTER (WHERE status = 'completed' AND doubtful)::int AS suspect,
      (ARRAY['none', 'present', 'content', 'restored', 'imported'])[1 + coalesce(max(level) FILTER (WHERE status = 'completed'), 0)] AS level,
      max(verified_at) FILTER (WHERE status = 'completed' AND level > 1) AS checked_at
    FROM (SELECT b.site_id, b.job_id, b.status, b.suspect OR b.verification IS NOT DISTINCT FROM 'damaged' AS doubtful, b.verified_at,
        array_position(ARRAY['present', 'content', 'restored', 'imported'], b.verification) AS level
      FROM backups b WHERE b.workspace_id = ${workspaceId} AND b.site_id = ANY(${siteIds}) AND b.completed_at >= ${from} AND b.completed_at < ${to}
      UNION ALL SELECT j.site_id, j.id, j.status, false, NULL, NULL FROM jobs j
      WHERE j.workspace_id = ${workspaceId} AND j.site_id = ANY(${siteIds}) AND j.type = 'backup' AND j.status IN ('completed', 'failed')
        AND j.completed_at >= ${from} AND j.completed_at < ${to}) made GROUP BY site_id`.execute(db)
  return rows
}

/** When the last good backup of each site was completed. */
export async function lastGoodBackups({ db, workspaceId }: Db, siteIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ site_id: string; at: Date }>`SELECT site_id, max(completed_at) AS at FROM backups
    WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds}) AND status = 'completed' AND ${sound} GROUP BY site_id`.execute(db)
  return new Map(rows.map(({ site_id, at }) => [site_id, at]))
}
