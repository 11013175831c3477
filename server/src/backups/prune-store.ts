// The rules that keep backups whole while packs are deleted beside them. Whoever makes use of a pack (`sharing`) and whoever takes
// one away (`alone`) never do so at the same time.
import { type Kysely, sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import { bytesOf, knownBlobs } from './blob-store.ts'
import { type PackedBlob, type PackFile, packKey } from './engine/pack.ts'

const PACKS = 0x7061636b

/** Inside a transaction, before packs are made use of. */
export async function sharing({ db, workspaceId }: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${PACKS}, hashtext(${workspaceId}))`.execute(db)
}

/** Inside a transaction, before packs are taken away or moved. */
export async function alone({ db, workspaceId }: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${PACKS}, hashtext(${workspaceId}))`.execute(db)
}

const openJob = (alias: string) => sql`EXISTS (SELECT 1 FROM jobs j WHERE (j.workspace_id, j.id) = (${sql.ref(`${alias}.workspace_id`)},
  ${sql.ref(`${alias}.${alias === 'h' ? 'job_id' : 'owner'}`)}) AND j.status IN ('queued', 'running'))`

/** Which of these blobs are stored, to be reused by this job: their packs are held for it until it ends. */
export async function holdKnown(context: Db, jobId: string, ids: string[]): Promise<Set<string>> {
  // Most are new, of which there is nothing to hold.
  const known = await knownBlobs(context, ids)
  return known.size > 0 ? hold(context, jobId, [...known]) : known
}

function hold(context: Db, jobId: string, ids: string[]): Promise<Set<string>> {
  return context.db.transaction().execute(async (db) => {
    await sharing({ ...context, db })
    // Materialized: the blobs by their ids first. By way of the packs, which a planner without statistics prefers, it reads all there are.
    const { rows } = await sql<{ id: Buffer }>`WITH found AS MATERIALIZED (
        SELECT id, pack_id FROM blobs WHERE workspace_id = ${context.workspaceId} AND id = ANY(${ids.map(bytesOf)})),
      known AS (SELECT f.id, f.pack_id FROM found f JOIN packs p ON (p.workspace_id, p.id) = (${context.workspaceId}, f.pack_id)
        WHERE p.condemned_at IS NULL AND p.damage IS NULL),
      held AS (INSERT INTO pack_holds (workspace_id, job_id, pack_id)
        SELECT DISTINCT ${context.workspaceId}, ${jobId}, pack_id FROM known ON CONFLICT DO NOTHING)
      SELECT id FROM known`.execute(db)
    return new Set(rows.map(({ id }) => id.toString('base64url')))
  })
}

/** Before an object is written, so that it is found should its writer die. */
export async function announceObject({ db, workspaceId }: Db, key: string, owner: string): Promise<void> {
  await sql`INSERT INTO loose_objects (workspace_id, key, owner) VALUES (${workspaceId}, ${key}, ${owner})`.execute(db)
}

/** Called by the job that wrote the pack, once it is durable. A blob that lies well elsewhere already stays there, and is held there. */
export function recordHeldPack(context: DatedDb, jobId: string, pack: PackFile, blobs: PackedBlob[]): Promise<void> {
  return context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await sharing(within)
    await claimAnnounced(within, pack.key, jobId)
    await insertPack(within, pack)
    await sql`INSERT INTO blobs (workspace_id, id, pack_id, type, slot, "offset", length, plain_length) ${placesOf(within, pack, blobs)}
      ON CONFLICT (workspace_id, id) DO UPDATE SET pack_id = excluded.pack_id, type = excluded.type, slot = excluded.slot,
        "offset" = excluded."offset", length = excluded.length, plain_length = excluded.plain_length
      WHERE EXISTS (SELECT 1 FROM packs p WHERE (p.workspace_id, p.id) = (blobs.workspace_id, blobs.pack_id) AND (p.condemned_at IS NOT NULL OR p.damage IS NOT NULL))`.execute(
      db,
    )
    await sql`INSERT INTO pack_holds (workspace_id, job_id, pack_id) SELECT DISTINCT workspace_id, ${jobId}, pack_id FROM blobs
      WHERE workspace_id = ${context.workspaceId} AND id = ANY(${blobs.map(({ id }) => bytesOf(id))})
      UNION SELECT ${context.workspaceId}, ${jobId}, ${Buffer.from(pack.hash, 'hex')} ON CONFLICT DO NOTHING`.execute(db)
  })
}

/** Lets these blobs be read from a new pack. Whoever holds a pack they came from holds the new one as well. */
export function moveBlobs(context: DatedDb, owner: string, pack: PackFile, blobs: PackedBlob[]): Promise<void> {
  return context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await alone(within)
    await claimAnnounced(within, pack.key, owner)
    await insertPack(within, pack)
    const id = Buffer.from(pack.hash, 'hex')
    await sql`INSERT INTO pack_holds (workspace_id, job_id, pack_id) SELECT DISTINCT h.workspace_id, h.job_id, ${id}::bytea FROM pack_holds h
      JOIN blobs b USING (workspace_id, pack_id)
      WHERE b.workspace_id = ${context.workspaceId} AND b.id = ANY(${blobs.map((blob) => bytesOf(blob.id))}) ON CONFLICT DO NOTHING`.execute(
      db,
    )
    await sql`UPDATE blobs SET pack_id = n.pack_id, type = n.type, slot = n.slot, "offset" = n."offset", length = n.length,
        plain_length = n.plain_length
      FROM (${placesOf(within, pack, blobs)}) AS n (workspace_id, id, pack_id, type, slot, "offset", length, plain_length)
      WHERE (blobs.workspace_id, blobs.id) = (n.workspace_id, n.id)`.execute(db)
  })
}

function placesOf({ workspaceId }: Db, pack: PackFile, blobs: PackedBlob[]) {
  const rows = blobs.map((blob) => ({ ...blob, id: bytesOf(blob.id).toString('hex') }))
  return sql`SELECT ${workspaceId}::text, decode(r.id, 'hex'), ${Buffer.from(pack.hash, 'hex')}::bytea, r.type, r.slot, r."offset", r.length,
      r."plainLength"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, type text, slot int, "offset" int, length int, "plainLength" int)
    ORDER BY 2`
}

async function insertPack({ db, workspaceId, now }: DatedDb, pack: PackFile): Promise<void> {
  await sql`INSERT INTO packs (workspace_id, id, salt, bytes, created_at)
    VALUES (${workspaceId}, ${Buffer.from(pack.hash, 'hex')}, ${Buffer.from(pack.salt)}, ${pack.size}, ${now()}) ON CONFLICT DO NOTHING`.execute(
    db,
  )
}

/** Fails where somebody has taken the writer for dead: its object may be gone any moment. */
async function claimAnnounced({ db, workspaceId }: Db, key: string, owner: string): Promise<void> {
  const { numAffectedRows } =
    await sql`DELETE FROM loose_objects WHERE workspace_id = ${workspaceId} AND key = ${key} AND owner = ${owner}`.execute(db)
  if (numAffectedRows !== 1n) throw new Error('A pack was given up before it was recorded.')
}

/** Manifests of the backups that count. */
export async function listManifests({ db, workspaceId }: Db): Promise<string[]> {
  const { rows } = await sql<{ manifest: string }>`SELECT DISTINCT manifest FROM backups WHERE workspace_id = ${workspaceId}
    AND status = 'completed' AND manifest IS NOT NULL`.execute(db)
  return rows.map(({ manifest }) => manifest)
}

/** On one connection: a table that ends with it, of the blobs that backups need. What is asked of it may take longer than a call's question. */
export async function openLive(db: Kysely<unknown>): Promise<void> {
  await closeLive(db)
  await sql`SET statement_timeout = '120s'`.execute(db)
  await sql`CREATE TEMP TABLE live (id bytea PRIMARY KEY)`.execute(db)
}

export async function closeLive(db: Kysely<unknown>): Promise<void> {
  await sql`DROP TABLE IF EXISTS live`.execute(db)
  await sql`RESET statement_timeout`.execute(db)
}

export async function addLive(db: Kysely<unknown>, ids: string[]): Promise<void> {
  await sql`INSERT INTO live SELECT DISTINCT unnest(${ids.map(bytesOf)}::bytea[]) ON CONFLICT DO NOTHING`.execute(db)
}

/** OFFSET 0, here and below: one by one. Otherwise the planner may read all that is live, or all blobs there are, for each portion again. */
const isLive = sql`EXISTS (SELECT 1 FROM live l WHERE l.id = b.id OFFSET 0)`
const used = sql`(EXISTS (SELECT 1 FROM pack_holds h WHERE (h.workspace_id, h.pack_id) = (p.workspace_id, p.id))
  OR EXISTS (SELECT 1 FROM blobs b WHERE (b.workspace_id, b.pack_id) = (p.workspace_id, p.id) AND ${isLive} OFFSET 0))`

/** Packs by their ids: after the first, up to the second, or to the end. */
export type Portion = { after: Buffer; upTo: Buffer | undefined }

const within = ({ after, upTo }: Portion) => (upTo ? sql`p.id > ${after} AND p.id <= ${upTo}` : sql`p.id > ${after}`)

/** The next portion of so many packs. */
export async function nextPortion({ db, workspaceId }: Db, after: Buffer, packs: number): Promise<Portion> {
  const { rows } = await sql<{ id: Buffer }>`SELECT id FROM packs WHERE workspace_id = ${workspaceId} AND id > ${after}
    ORDER BY id OFFSET ${packs - 1} LIMIT 1`.execute(db)
  return { after, upTo: rows[0]?.id }
}

/** Lets go of the packs that ended jobs held. */
export async function dropHolds({ db, workspaceId }: Db): Promise<void> {
  await sql`DELETE FROM pack_holds h WHERE h.workspace_id = ${workspaceId} AND NOT ${openJob('h')}`.execute(db)
}

/** Condemns packs that nothing needs; one that is needed after all is spared. */
export async function condemn({ db, workspaceId, now }: DatedDb, portion: Portion): Promise<number> {
  await sql`UPDATE packs p SET condemned_at = NULL WHERE workspace_id = ${workspaceId} AND ${within(portion)}
    AND condemned_at IS NOT NULL AND ${used}`.execute(db)
  const { numAffectedRows } = await sql`UPDATE packs p SET condemned_at = coalesce(condemned_at, ${now()})
    WHERE workspace_id = ${workspaceId} AND ${within(portion)} AND NOT ${used}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Forgets packs that a look before `until` condemned and that are still unused; their objects become loose. */
export async function forgetCondemned({ db, workspaceId }: Db, portion: Portion, until: Date): Promise<number> {
  const { rows } = await sql<{ hash: string }>`DELETE FROM packs p WHERE workspace_id = ${workspaceId} AND ${within(portion)}
    AND condemned_at <= ${until} AND NOT ${used} RETURNING encode(id, 'hex') AS hash`.execute(db)
  const keys = rows.map(({ hash }) => packKey(workspaceId, hash))
  await sql`INSERT INTO loose_objects (workspace_id, key) SELECT ${workspaceId}, unnest(${keys}::text[])`.execute(db)
  return keys.length
}

/** What a writer announced that has ended is to be deleted too. */
export async function disown({ db, workspaceId }: Db): Promise<void> {
  await sql`UPDATE loose_objects o SET owner = NULL WHERE workspace_id = ${workspaceId} AND owner IS NOT NULL AND NOT ${openJob('o')}`.execute(
    db,
  )
}

/** Objects to be deleted: not those that the index names again. */
export async function listLoose({ db, workspaceId }: Db): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`SELECT key FROM loose_objects o WHERE workspace_id = ${workspaceId} AND owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM packs p WHERE p.workspace_id = o.workspace_id AND p.id = decode(right(o.key, 64), 'hex'))`.execute(db)
  return rows.map(({ key }) => key)
}

/** Still to be deleted, and not in use again. */
export async function holdLoose({ db, workspaceId }: Db, key: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM loose_objects o WHERE workspace_id = ${workspaceId} AND key = ${key} AND owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM packs p WHERE p.workspace_id = o.workspace_id AND p.id = decode(right(o.key, 64), 'hex')) FOR UPDATE OF o`.execute(
    db,
  )
  return rows.length === 1
}

export async function forgetLoose({ db, workspaceId }: Db, key: string): Promise<void> {
  await sql`DELETE FROM loose_objects WHERE workspace_id = ${workspaceId} AND key = ${key} AND owner IS NULL`.execute(db)
}

/** A pack of which something is needed, and how much of it. */
export type Sparse = { id: Buffer; needed: number }

/** Packs of which more than `share` is dead, those with the least to keep first. */
export async function listSparse({ db, workspaceId }: Db, portion: Portion, share: number, packs: number): Promise<Sparse[]> {
  const { rows } = await sql<Sparse>`SELECT p.id, n.bytes::float8 / p.bytes AS needed
    FROM packs p CROSS JOIN LATERAL (SELECT sum(b.length) AS bytes FROM blobs b
      WHERE (b.workspace_id, b.pack_id) = (p.workspace_id, p.id) AND ${isLive}) n
    WHERE p.workspace_id = ${workspaceId} AND ${within(portion)} AND p.condemned_at IS NULL AND n.bytes < ${1 - share}::numeric * p.bytes
    ORDER BY needed LIMIT ${packs}`.execute(db)
  return rows
}

/** Blobs that are needed of these packs. */
export async function listNeeded({ db, workspaceId }: Db, packs: Sparse[]): Promise<{ id: string; type: string }[]> {
  const { rows } = await sql<{ id: Buffer; type: string }>`SELECT b.id, b.type FROM blobs b
    WHERE ${isLive} AND b.workspace_id = ${workspaceId} AND b.pack_id = ANY(${packs.map(({ id }) => id)}) ORDER BY b.pack_id, b.slot`.execute(
    db,
  )
  return rows.map(({ id, type }) => ({ id: id.toString('base64url'), type }))
}
