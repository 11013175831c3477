import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'

const bytesOf = (hash: string) => Buffer.from(hash, 'hex')

/** The packs that were read back longest ago, one of so many of all. */
export async function listUnread({ db, workspaceId }: Db, share: number): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`SELECT encode(id, 'hex') AS hash FROM packs WHERE workspace_id = ${workspaceId}
    AND condemned_at IS NULL ORDER BY read_at NULLS FIRST, id
    LIMIT (SELECT ceil(count(*) / ${share}::numeric) FROM packs WHERE workspace_id = ${workspaceId} AND condemned_at IS NULL)`.execute(db)
  return rows.map(({ hash }) => hash)
}

/** What reading a pack back brought out; null: it is whole. */
export async function markRead({ db, workspaceId, now }: DatedDb, hash: string, damage: string | null): Promise<void> {
  await sql`UPDATE packs SET read_at = ${now()}, damage = ${damage} WHERE workspace_id = ${workspaceId} AND id = ${bytesOf(hash)}`.execute(
    db,
  )
}

/** Which packs are missing or have another size; what was said so before of others is taken back. */
export async function markAbsent({ db, workspaceId }: Db, hashes: string[]): Promise<void> {
  const ids = hashes.map(bytesOf)
  await sql`UPDATE packs SET damage = CASE WHEN id = ANY(${ids}) THEN 'absent' END WHERE workspace_id = ${workspaceId}
    AND (id = ANY(${ids}) OR damage = 'absent')`.execute(db)
}

export interface Lying {
  id: string
  /** Null: the blob is not stored. */
  pack: string | null
  bytes: number
  damage: string | null
}

/** Where these blobs lie, and what is known of their packs. */
export async function whereTheyLie({ db, workspaceId }: Db, ids: string[]): Promise<Lying[]> {
  const { rows } = await sql<Omit<Lying, 'id'> & { id: Buffer }>`
    SELECT wanted.id, encode(p.id, 'hex') AS pack, p.bytes::float8 AS bytes, p.damage
    FROM unnest(${ids.map((id) => Buffer.from(id, 'base64url'))}::bytea[]) AS wanted (id)
    LEFT JOIN blobs b ON b.workspace_id = ${workspaceId} AND b.id = wanted.id
    LEFT JOIN packs p ON (p.workspace_id, p.id) = (b.workspace_id, b.pack_id)`.execute(db)
  return rows.map((row) => ({ ...row, id: row.id.toString('base64url') }))
}

/** Whether any pack is known to be damaged or gone. */
export async function anyDamaged({ db, workspaceId }: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`SELECT EXISTS (SELECT 1 FROM packs WHERE workspace_id = ${workspaceId}
    AND damage IS NOT NULL) AS found`.execute(db)
  return rows[0]?.found ?? false
}

export interface Watched {
  id: string
  site_id: string
  manifest: string
}

/** Backups that nobody has found damaged. */
export async function listSound({ db, workspaceId }: Db): Promise<Watched[]> {
  const { rows } = await sql<Watched>`SELECT id, site_id, manifest FROM backups WHERE workspace_id = ${workspaceId} AND status = 'completed'
    AND manifest IS NOT NULL AND verification IS DISTINCT FROM 'damaged'`.execute(db)
  return rows
}

/** Everything these backups need is there. A backup that was read back whole keeps that word. */
export async function markPresent({ db, workspaceId, now }: DatedDb, ids: string[]): Promise<void> {
  await sql`UPDATE backups SET verified_at = ${now()}, verification = 'present' WHERE workspace_id = ${workspaceId} AND id = ANY(${ids})
    AND (verification IS NULL OR verification = 'present')`.execute(db)
}

/** The latest backups that hold files and rows, if there are any; of them those that were not tried out since. */
export async function listUntried({ db, workspaceId }: Db, siteId: string, since: Date): Promise<{ found: boolean; untried: string[] }> {
  const { rows } = await sql<{ id: string; tried: boolean }>`WITH sound AS (SELECT * FROM backups WHERE workspace_id = ${workspaceId}
      AND site_id = ${siteId} AND status = 'completed' AND manifest IS NOT NULL AND verification IS DISTINCT FROM 'damaged')
    SELECT id, coalesce(verification IN ('restored', 'imported') AND verified_at > ${since}, false) AS tried FROM sound WHERE id IN (
      (SELECT id FROM sound WHERE type IN ('full', 'files') ORDER BY created_at DESC, id DESC LIMIT 1),
      (SELECT id FROM sound WHERE type IN ('full', 'db') ORDER BY created_at DESC, id DESC LIMIT 1))`.execute(db)
  return { found: rows.length > 0, untried: rows.filter(({ tried }) => !tried).map(({ id }) => id) }
}
