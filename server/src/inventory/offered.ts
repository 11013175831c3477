import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { Installed } from './schema.ts'

/** Remembers since when a site has been offered each version. */
export async function noteOffered({ db, workspaceId, now }: DatedDb, siteId: string, items: Installed['items']): Promise<void> {
  const offered = items.flatMap(({ type, slug, update }) => (update ? [{ type, slug, version: update.version }] : []))
  if (offered.length === 0) return
  await sql`INSERT INTO offered_versions (workspace_id, site_id, type, slug, version, first_seen_at)
    SELECT ${workspaceId}, ${siteId}, o.type, o.slug, o.version, ${now()}
    FROM json_to_recordset(${JSON.stringify(offered)}::json) AS o (type text, slug text, version text)
    WHERE EXISTS (SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId})
    ON CONFLICT DO NOTHING`.execute(db)
}

export interface Offered {
  site_id: string
  type: string
  slug: string
  version: string
  first_seen_at: Date
}

/** Since when these sites have been offered what. */
export async function listOffered({ db, workspaceId }: Db, siteIds: readonly string[]): Promise<Offered[]> {
  const { rows } = await sql<Offered>`SELECT site_id, type, slug, version, first_seen_at FROM offered_versions
    WHERE workspace_id = ${workspaceId} AND site_id = ANY(${siteIds})`.execute(db)
  return rows
}
