import { outlast } from '../platform/database-trouble.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { locateBeside } from './blob-store.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { LostBlob, openBlobReader } from './engine/blob-reader.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { examinePack } from './lost-blobs.ts'
import { packHash } from './scan.ts'

type Here = Pick<World, 'db' | 'masterKey' | 'storage' | 'now'>

/**
 * Reads blobs of a workspace by their ids; every byte is authenticated. Throws `LostBlob`; the pack is then known to be damaged.
 * With `signal` aborted, nothing more is read.
 */
export async function blobReader(world: Here, workspaceId: string, signal?: AbortSignal): Promise<ReadBlob> {
  const keys = deriveKeys(workspaceId, (await workspaceKey(world, workspaceId)).bytes)
  const locate = (ids: string[]) => outlast(() => locateBeside({ db: world.db, workspaceId }, ids))
  const open = () => openBlobReader({ keys, storage: world.storage, locate, signal })
  const damaged = new Set<string>()
  let read = open()
  return async (id) => {
    try {
      return await read(id)
    } catch (error) {
      const hash = error instanceof LostBlob && error.pack !== undefined ? packHash(workspaceId, error.pack) : undefined
      if (hash === undefined || damaged.has(hash)) throw error
      if (await examinePack({ ...world, workspaceId, keys }, hash)) {
        damaged.add(hash)
        throw error
      }
      // The pack is whole: the blob was moved while it was read.
      read = open()
      return read(id)
    }
  }
}
