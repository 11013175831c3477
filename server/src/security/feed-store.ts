import { type Kysely, sql } from 'kysely'
import type { Installed } from '../vulnerabilities/schema.ts'
import type { Db } from '../world.ts'

export interface InventoryOf {
  id: string
  inventory_at: Date
  items: (Installed & { name: string; active: boolean })[]
}

const stale = (version: number) => sql`s.inventory IS NOT NULL AND s.inventory_at IS NOT NULL AND s.status <> 'disconnected'
  AND NOT EXISTS (SELECT FROM feed_looks l WHERE (l.workspace_id, l.site_id) = (s.workspace_id, s.id)
    AND l.version >= ${version} AND l.inventory_at = s.inventory_at)`

/** Workspaces with sites whose inventory was not compared with this version of the feed yet. */
export async function workspacesToCompare(db: Kysely<unknown>, version: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT DISTINCT s.workspace_id AS id FROM sites s WHERE ${stale(version)} ORDER BY 1`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export async function sitesToCompare(
  { db, workspaceId }: Db,
  version: number,
  { most, siteId }: { most: number; siteId?: string },
): Promise<InventoryOf[]> {
  const { rows } = await sql<InventoryOf>`SELECT s.id, s.inventory_at, s.inventory -> 'items' AS items FROM sites s
    WHERE s.workspace_id = ${workspaceId} AND ${stale(version)} ${siteId === undefined ? sql`` : sql`AND s.id = ${siteId}`} ORDER BY s.id LIMIT ${most}`.execute(
    db,
  )
  return rows
}

export interface Compared {
  id: string
  inventory_at: Date
  digest: string
}

/** Those of the sites that nobody has compared meanwhile; `same`: with the outcome there was before. Held until the transaction ends. */
export async function claimCompared(
  { db, workspaceId }: Db,
  version: number,
  sites: readonly Compared[],
): Promise<{ id: string; same: boolean }[]> {
  const { rows: before } = await sql<{ site_id: string; digest: string }>`SELECT site_id, digest FROM feed_looks
    WHERE workspace_id = ${workspaceId} AND site_id = ANY(${sites.map(({ id }) => id)}) ORDER BY site_id FOR UPDATE`.execute(db)
  const digests = new Map(before.map(({ site_id, digest }) => [site_id, digest]))
  const { rows } = await sql<{
    site_id: string
    digest: string
  }>`INSERT INTO feed_looks AS l (workspace_id, site_id, version, inventory_at, digest)
    SELECT ${workspaceId}, s.id, ${version}, s.inventory_at, s.digest
    FROM jsonb_to_recordset(${JSON.stringify(sites)}::jsonb) AS s (id text, inventory_at timestamptz, digest text)
    WHERE EXISTS (SELECT FROM sites t WHERE (t.workspace_id, t.id) = (${workspaceId}, s.id))
    ORDER BY s.id
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET version = excluded.version, inventory_at = excluded.inventory_at, digest = excluded.digest
    WHERE l.version < excluded.version OR l.inventory_at <> excluded.inventory_at
    RETURNING site_id, digest`.execute(db)
  return rows.map(({ site_id, digest }) => ({ id: site_id, same: digests.get(site_id) === digest }))
}

/** What is seen all the time need not be written all the time. */
const seenAfterHours = 20

/** The same was found as before: only when it was seen last has changed. */
export async function seeAgain({ db, workspaceId }: Db, siteIds: readonly string[], at: Date): Promise<void> {
  if (siteIds.length === 0) return
  await sql`UPDATE security_looks SET checked_at = greatest(checked_at, ${at}), error = NULL
    WHERE workspace_id = ${workspaceId} AND source = 'feed' AND site_id = ANY(${siteIds})`.execute(db)
  await sql`UPDATE findings SET last_seen_at = ${at} WHERE workspace_id = ${workspaceId} AND source = 'feed' AND site_id = ANY(${siteIds})
    AND status <> 'fixed' AND last_seen_at < ${at}::timestamptz - make_interval(hours => ${seenAfterHours})`.execute(db)
}

/** The first comparison of a fleet fills a table whose plans, those of its foreign keys above all, were made when it was empty. */
export async function forgetPlans(db: Kysely<unknown>): Promise<void> {
  await sql`ANALYZE findings`.execute(db)
}
