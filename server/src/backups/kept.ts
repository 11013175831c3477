// What the store holds of a workspace's backups: counted from the packs, of which there is one for some 8 MiB, and from an index that
// holds the figures of each backup, never from the blobs.
import { sql } from 'kysely'
import type { Db } from '../world.ts'

export interface KeptBySite {
  site_id: string
  name: string
  url: string
  backups: number
  added_bytes: number | null
  size_bytes: number | null
}

/** How many complete backups there are, and what they take in the store. */
export async function backupsKept({ db, workspaceId }: Db): Promise<{ backups: number; stored_bytes: number; size_bytes: number | null }> {
  const { rows } = await sql<{ backups: number; stored_bytes: number; size_bytes: number | null }>`SELECT
      (SELECT coalesce(sum(bytes), 0)::float8 FROM packs WHERE workspace_id = ${workspaceId}) AS stored_bytes, count(*)::int AS backups,
      sum(size_bytes)::float8 AS size_bytes
    FROM backups WHERE workspace_id = ${workspaceId} AND status = 'completed'`.execute(db)
  return rows[0] ?? { backups: 0, stored_bytes: 0, size_bytes: null }
}

/** The sites whose backups added most. */
export async function mostKept({ db, workspaceId }: Db, most: number): Promise<KeptBySite[]> {
  const { rows } = await sql<KeptBySite>`SELECT k.site_id, s.name, s.url, k.backups, k.added_bytes, k.size_bytes FROM (
      SELECT site_id, count(*)::int AS backups, sum(stored_bytes)::float8 AS added_bytes, sum(size_bytes)::float8 AS size_bytes
      FROM backups WHERE workspace_id = ${workspaceId} AND status = 'completed' GROUP BY site_id
      ORDER BY added_bytes DESC NULLS LAST, site_id LIMIT ${most}) k JOIN sites s ON s.workspace_id = ${workspaceId} AND s.id = k.site_id
    ORDER BY k.added_bytes DESC NULLS LAST, k.site_id`.execute(db)
  return rows
}
