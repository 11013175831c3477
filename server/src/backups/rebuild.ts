import { setImmediate as breathe } from 'node:timers/promises'
import { workspaceKey } from '../workspaces/keys.ts'
import { knownBlobs } from './blob-store.ts'
import { liftCounter } from './chain.ts'
import { deriveKeys } from './engine/blob-id.ts'
import type { PackedBlob, PackFile } from './engine/pack.ts'
import { packKey } from './engine/pack.ts'
import { rebuildBackups } from './rebuild-backups.ts'
import { dropPack, type Here, heldElsewhere, keepOnly, listPacks, type Rebuilt, recordPack, type Say } from './rebuild-store.ts'
import { packHash, type Root, type ScannedPack, scanPack } from './scan.ts'

/**
 * Makes the index and the rows of one workspace's backups anew from its objects and its key alone. What is there already stays,
 * so it may be repeated, interrupted, and run beside a service; what the index has and the store has not is forgotten.
 */
export async function rebuildWorkspace(here: Here, say: Say): Promise<Rebuilt> {
  const keys = deriveKeys(here.workspaceId, (await workspaceKey(here, here.workspaceId)).bytes)
  const found: Rebuilt = {
    ...{ workspace_id: here.workspaceId, packs: 0, bytes: 0, blobs: 0, damaged: [], missing: [], sites_added: [], backups_added: [] },
    ...{ backups_known: 0, backups_incomplete: [] },
  }
  const hashes = await storedPacks(here)
  const roots: Root[] = []
  const copies: Copies = new Map()
  let lastSaid = here.now().getTime()
  for (const hash of hashes) {
    const pack = await scanPack(here.storage, keys, hash)
    if (pack) roots.push(...(await recordScanned(here, pack, copies, found)))
    if (here.now().getTime() - lastSaid > 5000) {
      lastSaid = here.now().getTime()
      say(`${here.workspaceId}: ${found.packs} of ${hashes.length} packs, ${Math.round(found.bytes / 1024 ** 2)} MiB`)
    }
    await breathe()
  }
  // Listed anew: what was deleted while this ran must not stay in the index.
  await forgetMissing(here, new Set(await storedPacks(here)), found)
  await recordCopies(here, copies)
  await rebuildBackups(here, roots, found, say)
  await liftCounter(here)
  return found
}

async function storedPacks({ storage, workspaceId }: Here): Promise<string[]> {
  const hashes: string[] = []
  for await (const { key } of storage.list(`w/${workspaceId}/p/`)) {
    const hash = packHash(workspaceId, key)
    if (hash !== undefined) hashes.push(hash)
  }
  return hashes
}

async function forgetMissing(here: Here, stored: ReadonlySet<string>, found: Rebuilt): Promise<void> {
  for (const hash of (await listPacks(here.db, here.workspaceId)).keys()) {
    // A list may lag behind, and a backup may be running: the object itself tells.
    if (stored.has(hash) || (await here.storage.stat(packKey(here.workspaceId, hash)))) continue
    await dropPack(here.db, here.workspaceId, hash)
    found.missing.push(hash)
  }
}

/** Readable blobs that the index finds in another pack, by id: should that one turn out damaged, this one takes its place. */
type Copies = Map<string, { file: PackFile; blob: PackedBlob }>

async function recordScanned(here: Here, { file, blobs, roots, damage }: ScannedPack, copies: Copies, found: Rebuilt): Promise<Root[]> {
  found.packs++
  found.bytes += file.size
  found.blobs += blobs.length
  const ids = blobs.map(({ id }) => id)
  if (blobs.length > 0 && !(await recordPack(here, file, blobs))) return []
  const elsewhere = await heldElsewhere(here.db, here.workspaceId, file.hash, ids)
  for (const blob of blobs) if (elsewhere.has(blob.id)) copies.set(blob.id, { file, blob })
  if (damage !== undefined) {
    const unreadable = await keepOnly(here.db, here.workspaceId, file.hash, ids)
    found.damaged.push({ pack: file.hash, reason: damage, readable: blobs.length, unreadable })
  }
  return roots
}

async function recordCopies(here: Here, copies: Copies): Promise<void> {
  const known = await knownBlobs(here, [...copies.keys()])
  for (const [id, { file, blob }] of copies) if (!known.has(id)) await recordPack(here, file, [blob])
}
