import { Problem } from '../kernel/problem.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { packKey, readBlob } from './engine/pack.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { findBlob } from './store.ts'

/** Packs kept in memory while one backup is read; its blobs lie together, in the order they are asked for. */
const mostPacks = 3

/** Reads blobs of a workspace by their ids; every byte is authenticated. */
export async function blobReader(world: Pick<World, 'db' | 'masterKey' | 'storage'>, workspaceId: string): Promise<ReadBlob> {
  const keys = deriveKeys(workspaceId, (await workspaceKey(world, workspaceId)).bytes)
  const packs = new Map<string, Promise<Buffer>>()
  const packOf = (hash: string) => {
    const known = packs.get(hash) ?? world.storage.get(packKey(workspaceId, hash))
    packs.delete(hash)
    packs.set(hash, known)
    const [oldest] = packs.keys()
    if (packs.size > mostPacks && oldest !== undefined) packs.delete(oldest)
    return known
  }
  return async (id) => {
    const blob = await findBlob({ db: world.db, workspaceId }, id)
    if (!blob) throw new Problem('internal', 'A piece of this backup is missing from the store.')
    const pack = await packOf(blob.pack)
    return readBlob(keys, blob.salt, { id, slot: blob.slot }, pack.subarray(blob.offset, blob.offset + blob.length))
  }
}
