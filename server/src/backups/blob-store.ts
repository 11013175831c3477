// The index of the store: which blobs there are, and where they lie.
import { sql } from 'kysely'
import type { Db } from '../world.ts'
import type { BlobPlace } from './engine/blob-reader.ts'
import { packKey } from './engine/pack.ts'

export const bytesOf = (id: string) => Buffer.from(id, 'base64url')

/** Which of these blobs are stored. */
export async function knownBlobs({ db, workspaceId }: Db, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    id: Buffer
  }>`SELECT id FROM blobs WHERE workspace_id = ${workspaceId} AND id = ANY(${ids.map(bytesOf)})`.execute(db)
  return new Set(rows.map((row) => row.id.toString('base64url')))
}

type PlaceRow = { id: Buffer; pack: string; slot: number; offset: number; length: number }

/** Where these blobs lie, as far as they are stored, with up to a thousand that follow each of them in its pack: they are asked for next. */
export async function locateBeside({ db, workspaceId }: Db, ids: string[]): Promise<Map<string, BlobPlace>> {
  const { rows } = await sql<PlaceRow>`
    SELECT b.id, encode(b.pack_id, 'hex') AS pack, b.slot, b."offset", b.length FROM blobs a JOIN blobs b USING (workspace_id, pack_id)
    WHERE a.workspace_id = ${workspaceId} AND a.id = ANY(${ids.map(bytesOf)}) AND b.slot BETWEEN a.slot AND a.slot + 1000`.execute(db)
  return placesOf(workspaceId, rows)
}

function placesOf(workspaceId: string, rows: PlaceRow[]): Map<string, BlobPlace> {
  const places = rows.map(({ id, pack, slot, offset, length }) => ({
    id: id.toString('base64url'),
    key: packKey(workspaceId, pack),
    slot,
    offset,
    length,
  }))
  return new Map(places.map((place) => [place.id, place]))
}
