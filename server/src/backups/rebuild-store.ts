import { sql } from 'kysely'
import type { Context, World } from '../world.ts'
import { bytesOf } from './blob-store.ts'
import { type PackedBlob, type PackFile, packKey } from './engine/pack.ts'
import { alone, sharing } from './prune-store.ts'
import type { Backup } from './schema.ts'
import { asJson, type Completed } from './store.ts'

type Db = World['db']

export type Here = Pick<Context, 'config' | 'db' | 'masterKey' | 'storage' | 'now' | 'workspaceId'>
export type Say = (line: string) => void

export interface Rebuilt {
  workspace_id: string
  packs: number
  bytes: number
  blobs: number
  /** Packs that are not what was written; `unreadable` blobs of them were in the index and are not any more. */
  damaged: { pack: string; reason: string; readable: number; unreadable: number }[]
  /** Packs the index knew and the store does not have. */
  missing: string[]
  sites_added: string[]
  backups_added: string[]
  backups_known: number
  /** Their blobs are not all there. `listed`: shown as damaged. Otherwise they were pruned, or never finished. */
  backups_incomplete: { backup: string; site: string; finished_at: string; listed: boolean }[]
}

/** SHA-256 and size of every pack in the index. */
export async function listPacks(db: Db, workspaceId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: Buffer; bytes: number }>`SELECT id, bytes FROM packs WHERE workspace_id = ${workspaceId}`.execute(db)
  return new Map(rows.map(({ id, bytes }) => [id.toString('hex'), Number(bytes)]))
}

export async function packIsKnown(db: Db, workspaceId: string, hash: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM packs WHERE workspace_id = ${workspaceId} AND id = ${Buffer.from(hash, 'hex')}`.execute(db)
  return rows.length > 0
}

/** Forgets a pack that is gone, with its blobs: what they held is stored again by the next backup that meets it. */
export function dropPack(db: Db, workspaceId: string, hash: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await alone({ db: tx, workspaceId })
    await sql`DELETE FROM packs WHERE workspace_id = ${workspaceId} AND id = ${Buffer.from(hash, 'hex')}`.execute(tx)
  })
}

/**
 * Brings a pack that was found in the store into the index; a blob that is known elsewhere stays there. False: it was just deleted,
 * because nothing needed it.
 */
export function recordPack(
  { db, workspaceId, now, storage }: Pick<Context, 'db' | 'now' | 'storage' | 'workspaceId'>,
  pack: PackFile,
  blobs: PackedBlob[],
): Promise<boolean> {
  const rows = blobs.map((blob) => ({ ...blob, id: bytesOf(blob.id).toString('hex') }))
  return db.transaction().execute(async (tx) => {
    await sharing({ db: tx, workspaceId })
    // It was on its way out, and is in use again. Whoever is just deleting it is waited for.
    await sql`DELETE FROM loose_objects WHERE workspace_id = ${workspaceId} AND key = ${pack.key} AND owner IS NULL`.execute(tx)
    if (!(await storage.stat(packKey(workspaceId, pack.hash)))) return false
    await sql`INSERT INTO packs (workspace_id, id, salt, bytes, created_at)
      VALUES (${workspaceId}, ${Buffer.from(pack.hash, 'hex')}, ${Buffer.from(pack.salt)}, ${pack.size}, ${now()}) ON CONFLICT DO NOTHING`.execute(
      tx,
    )
    await sql`INSERT INTO blobs (workspace_id, id, pack_id, type, slot, "offset", length, plain_length)
      SELECT ${workspaceId}, decode(r.id, 'hex'), ${Buffer.from(pack.hash, 'hex')}, r.type, r.slot, r."offset", r.length, r."plainLength"
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, type text, slot int, "offset" int, length int, "plainLength" int)
      ORDER BY 2 ON CONFLICT DO NOTHING`.execute(tx)
    return true
  })
}

/** Forgets the blobs of a damaged pack that cannot be read; answers how many. */
export async function keepOnly(db: Db, workspaceId: string, hash: string, readable: string[]): Promise<number> {
  const id = Buffer.from(hash, 'hex')
  const { numAffectedRows } = await db.transaction().execute(async (tx) => {
    await alone({ db: tx, workspaceId })
    return sql`DELETE FROM blobs WHERE workspace_id = ${workspaceId} AND pack_id = ${id}
    AND NOT id = ANY(${readable.map(bytesOf)})`.execute(tx)
  })
  return Number(numAffectedRows ?? 0)
}

/** Which of these blobs the index says are in another pack. */
export async function heldElsewhere(db: Db, workspaceId: string, hash: string, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: Buffer }>`SELECT id FROM blobs WHERE workspace_id = ${workspaceId}
    AND id = ANY(${ids.map(bytesOf)}) AND pack_id <> ${Buffer.from(hash, 'hex')}`.execute(db)
  return new Set(rows.map(({ id }) => id.toString('base64url')))
}

export type RebuiltBackup = Pick<Backup, 'id' | 'site_id' | 'job_id' | 'type' | 'trigger' | 'verification'> &
  Omit<Completed, 'stored_bytes' | 'suspect'> & { started_at: string; finished_at: string }

const BY = { type: 'system', id: 'rebuild', name: 'Rebuilt from the store' }

/** True: it was missing. A row that is there stays as it is. */
export async function insertRebuiltBackup({ db, now }: Pick<World, 'db' | 'now'>, workspaceId: string, b: RebuiltBackup): Promise<boolean> {
  const verifiedAt = b.verification === null ? null : now()
  const { numAffectedRows } =
    await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, size_bytes,
      files_count, tables_count, rows_count, consistency, excluded, unreadable_count, changed_count, manifest, wp_version, verified_at,
      verification, created_at, completed_at, parent, increment, files_changed, database_increment, rows_read, fuzzy_tables, whole_tables,
      skipped_rows, omitted, chain, outside_count, roots)
    VALUES (${workspaceId}, ${b.id}, ${b.site_id}, ${b.job_id}, ${b.type}, 'completed', ${b.trigger}, ${JSON.stringify(BY)}::jsonb, ${b.size_bytes},
      ${b.files_count}, ${b.tables_count}, ${b.rows_count}, ${b.consistency}, ${asJson(b.excluded)}::jsonb,
      ${b.unreadable_count}, ${b.changed_count}, ${b.manifest}, ${b.wp_version}, ${verifiedAt}, ${b.verification}, ${b.started_at}, ${b.finished_at},
      ${b.parent}, ${b.increment}, ${b.files_changed}, ${b.database_increment}, ${b.rows_read},
      ${asJson(b.fuzzy_tables)}::jsonb, ${asJson(b.whole_tables)}::jsonb, ${asJson(b.skipped_rows)}::jsonb, ${asJson(b.omitted)}::jsonb, ${b.chain},
      ${b.outside_count}, ${asJson(b.roots)}::jsonb)
    ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

export async function findStatus(db: Db, workspaceId: string, id: string): Promise<Backup['status'] | undefined> {
  const { rows } = await sql<{
    status: Backup['status']
  }>`SELECT status FROM backups WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]?.status
}
