// Ways in which a store loses what it was given.
import { sql } from 'kysely'
import { blobReader } from '../src/backups/blobs.ts'
import { readFiles, readManifest } from '../src/backups/engine/manifest.ts'
import { packKey } from '../src/backups/engine/pack.ts'
import type { TestWorld } from './world.ts'

/** Where the content of a file of a backup lies. */
export async function placeOf({ world, workspaceId }: TestWorld, backupId: string, path: string): Promise<{ key: string; at: number }> {
  const read = await blobReader(world, workspaceId)
  const { rows } = await sql<{ manifest: string }>`SELECT manifest FROM backups WHERE id = ${backupId}`.execute(world.db)
  for await (const file of readFiles(await readManifest(rows[0]?.manifest ?? '', read), read)) {
    if (file.path.toString() !== path) continue
    const { rows: places } = await sql<{ pack: string; at: number }>`SELECT encode(pack_id, 'hex') AS pack, "offset" + length / 2 AS at
      FROM blobs WHERE workspace_id = ${workspaceId} AND id = ${Buffer.from(file.blobs[0] ?? '', 'base64url')}`.execute(world.db)
    const [place] = places
    if (place) return { key: packKey(workspaceId, place.pack), at: Number(place.at) }
  }
  throw new Error(`${path} is not in ${backupId}`)
}

export type Breakage = 'a flipped bit' | 'a missing object' | 'a truncated object' | 'a swapped object'

/** Breaks an object; answers how to repair it. */
export async function breakObject(
  { world }: TestWorld,
  { key, at }: { key: string; at: number },
  how: Breakage,
): Promise<() => Promise<void>> {
  const whole = await world.storage.get(key)
  const flipped = Buffer.from(whole)
  flipped[at] = (flipped[at] ?? 0) ^ 1
  if (how === 'a missing object') await world.storage.delete(key)
  if (how === 'a flipped bit') await world.storage.put(key, flipped)
  if (how === 'a truncated object') await world.storage.put(key, whole.subarray(0, at))
  if (how === 'a swapped object') await world.storage.put(key, await another(world, key, whole.length))
  return () => world.storage.put(key, whole)
}

/** The bytes of another pack, made as long. */
async function another({ storage }: TestWorld['world'], key: string, length: number): Promise<Buffer> {
  for await (const other of storage.list(key.slice(0, key.indexOf('/p/') + 3)))
    if (other.key !== key) return Buffer.concat([await storage.get(other.key), Buffer.alloc(length)]).subarray(0, length)
  throw new Error('There is only one pack.')
}
