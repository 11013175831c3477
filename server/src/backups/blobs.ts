import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { openBlobReader } from './engine/blob-reader.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { locateBeside } from './store.ts'

/** Reads blobs of a workspace by their ids; every byte is authenticated. */
export async function blobReader(world: Pick<World, 'db' | 'masterKey' | 'storage'>, workspaceId: string): Promise<ReadBlob> {
  const keys = deriveKeys(workspaceId, (await workspaceKey(world, workspaceId)).bytes)
  return openBlobReader({ keys, storage: world.storage, locate: (ids) => locateBeside({ db: world.db, workspaceId }, ids) })
}
