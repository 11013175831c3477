import { setImmediate as breathe } from 'node:timers/promises'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { checkChain } from './chain.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { packKey } from './engine/pack.ts'
import { listPacks, packIsKnown } from './rebuild-store.ts'
import { packHash, scanPack } from './scan.ts'

type Here = Pick<World, 'config' | 'db' | 'masterKey' | 'now' | 'storage'>

export interface PackCheck {
  workspace_id: string
  ok: boolean
  packs: number
  bytes: number
  missing: string[]
  wrong_size: string[]
  /** Found by reading all of it, which only a deep check does. */
  damaged: string[]
  /** What does not fit between database and store, in sentences: one of them is of an older time. */
  older: string[]
  /** Objects the index does not know: left by interrupted backups, and harmless. */
  unknown: number
}

/** Whether every pack of the index is in the store, with its size. Reads no content unless `deep`, which reads and checks every byte. */
export async function checkPacks(
  here: Here,
  workspaceId: string,
  { deep = false, everyList = true, say }: { deep?: boolean; everyList?: boolean; say?: (done: number, all: number) => void } = {},
): Promise<PackCheck> {
  const index = await listPacks(here.db, workspaceId)
  const found: PackCheck = {
    workspace_id: workspaceId,
    ok: true,
    packs: 0,
    bytes: 0,
    missing: [],
    wrong_size: [],
    damaged: [],
    older: [],
    unknown: 0,
  }
  const sizes = await listedSizes(here, workspaceId, found, index)
  for (const [hash, expected] of index) {
    const size = sizes.get(hash) ?? (await sizeOf(here, workspaceId, hash))
    // Pruned since the index was read: its row goes before the object.
    if (size !== expected && !(await packIsKnown(here.db, workspaceId, hash))) continue
    found.packs++
    found.bytes += size ?? 0
    if (size === undefined) found.missing.push(hash)
    else if (size !== expected) found.wrong_size.push(hash)
    else if (deep) await read(here, workspaceId, hash, found)
    say?.(found.packs, index.size)
  }
  found.older = await checkChain({ ...here, workspaceId }, { manifests: everyList })
  found.ok = found.missing.length + found.wrong_size.length + found.damaged.length + found.older.length === 0
  return found
}

async function listedSizes({ storage }: Here, workspaceId: string, found: PackCheck, index: Map<string, number>) {
  const sizes = new Map<string, number>()
  for await (const { key, size } of storage.list(`w/${workspaceId}/p/`)) {
    const hash = packHash(workspaceId, key)
    if (hash !== undefined && index.has(hash)) sizes.set(hash, size)
    else found.unknown++
  }
  return sizes
}

/** A list may lag behind; the object itself does not. */
async function sizeOf({ storage }: Here, workspaceId: string, hash: string): Promise<number | undefined> {
  return (await storage.stat(packKey(workspaceId, hash)))?.size
}

async function read(here: Here, workspaceId: string, hash: string, found: PackCheck): Promise<void> {
  const keys = deriveKeys(workspaceId, (await workspaceKey(here, workspaceId)).bytes)
  const scanned = await scanPack(here.storage, keys, hash)
  if (!scanned || scanned.damage !== undefined) found.damaged.push(hash)
  await breathe()
}
