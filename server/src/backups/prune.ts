import type { Kysely } from 'kysely'
import { newId } from '../kernel/ids.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { blobReader } from './blobs.ts'
import type { BlobType } from './engine/pack-format.ts'
import { type BlobIndex, openPacker, type Packer, type PackStorage } from './engine/packer.ts'
import { reachable } from './engine/reachable.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import {
  addLive,
  alone,
  announceObject,
  closeLive,
  condemn,
  disown,
  dropHolds,
  forgetCondemned,
  forgetLoose,
  holdLoose,
  listLoose,
  listManifests,
  listNeeded,
  listSparse,
  moveBlobs,
  nextPortion,
  openLive,
  type Sparse,
} from './prune-store.ts'

type Here = Pick<World, 'db' | 'now' | 'storage'> & { workspaceId: string; stopping?: AbortSignal }

/** What looking into backups needs; a test has its own. */
export interface Content {
  /** The blobs that a backup needs. `seen` is shared by the backups of one pass. */
  blobsOf(manifest: string, seen: Set<string>): AsyncIterable<string>
  read: ReadBlob
  openPacker(storage: PackStorage, index: BlobIndex): Pick<Packer, 'add' | 'flush' | 'close'>
}

export interface Pruned {
  condemned: number
  forgotten: number
  deleted: number
  repacked: number
}

const mercyMs = 86_400_000
const deadShare = 0.4
const packsAtOnce = 64
const batch = 5000
const packsAtATime = 5000

/**
 * One look at the store of a workspace: deletes what was given up before, condemns what nothing needs, gives up what was condemned long
 * ago, and closes gaps. Packs come in portions, so that writers never wait for all of them.
 */
export async function prune(here: Here, content: Content, portion = packsAtATime): Promise<Pruned> {
  await disown(here)
  const before = await deleteLoose(here)
  // One connection, because the table of what is needed lives as long as it does.
  const swept = await here.db.connection().execute(async (db) => {
    await openLive(db)
    try {
      return await sweep({ ...here, db }, content, portion)
    } finally {
      await closeLive(db)
    }
  })
  const { scattered, ...counts } = swept
  const deleted = before + (await deleteLoose(here))
  await repack(here, content, scattered)
  return { ...counts, deleted, repacked: scattered.length }
}

async function sweep(here: Here, content: Content, size: number) {
  const sum = { condemned: 0, forgotten: 0 }
  const sparse: Sparse[] = []
  const needed = allNeeded(content)
  await dropHolds(here)
  const until = new Date(here.now().getTime() - mercyMs)
  for (let after: Buffer | undefined = Buffer.alloc(0); after; ) {
    here.stopping?.throwIfAborted()
    const portion = await nextPortion(here, after, size)
    await needed(here, async (within) => {
      sum.condemned += await condemn(within, portion)
      sum.forgotten += await forgetCondemned(within, portion, until)
    })
    sparse.push(...(await listSparse(here, portion, deadShare, packsAtOnce)))
    sparse.sort((a, b) => a.needed - b.needed).splice(packsAtOnce)
    after = portion.upTo
  }
  return { ...sum, scattered: await listNeeded(here, sparse) }
}

/** Runs `act` alone, at a moment at which every completed backup has been looked through. */
function allNeeded(content: Content) {
  const walked = new Set<string>()
  const seen = new Set<string>()
  return async (here: Here, act: (within: Here) => Promise<void>): Promise<void> => {
    for (let done = false; !done; ) {
      for (const manifest of await listManifests(here)) if (!walked.has(manifest)) await walk(here.db, content, manifest, { walked, seen })
      done = await here.db.transaction().execute(async (db) => {
        const within = { ...here, db }
        await alone(within)
        // A backup that completed meanwhile may need what nobody needed before.
        if ((await listManifests(within)).some((manifest) => !walked.has(manifest))) return false
        await act(within)
        return true
      })
    }
  }
}

type Walked = { walked: Set<string>; seen: Set<string> }

async function walk(db: Kysely<unknown>, content: Content, manifest: string, { walked, seen }: Walked): Promise<void> {
  let ids: string[] = []
  for await (const id of content.blobsOf(manifest, seen)) {
    ids.push(id)
    if (ids.length === batch) await addLive(db, ids.splice(0))
  }
  if (ids.length > 0) await addLive(db, ids)
  ids = []
  walked.add(manifest)
}

/** The row went first; should this be interrupted, the next time goes on. */
async function deleteLoose(here: Here): Promise<number> {
  const keys = await listLoose(here)
  for (const key of keys) {
    here.stopping?.throwIfAborted()
    await here.db.transaction().execute(async (db) => {
      const within = { ...here, db }
      // Held meanwhile, because an index that is made anew may just be finding it.
      if (!(await holdLoose(within, key))) return
      await here.storage.delete(key)
      await forgetLoose(within, key)
    })
  }
  return keys.length
}

/** Writes what is needed of half-dead packs into new ones; the old ones are then without use, and go their way. */
async function repack(here: Here, content: Content, blobs: { id: string; type: string }[]): Promise<void> {
  if (blobs.length === 0) return
  const owner = newId('repack', here.now())
  const put = async (key: string, bytes: Uint8Array) => {
    await announceObject(here, key, owner)
    await here.storage.put(key, bytes)
  }
  const index: BlobIndex = { has: async () => new Set(), record: (pack, placed) => moveBlobs(here, owner, pack, placed) }
  const packer = content.openPacker({ put }, index)
  try {
    for (const { id, type } of blobs) await packer.add(type as BlobType, await content.read(id))
    await packer.flush()
  } finally {
    await packer.close()
  }
}

/** Looks after the store of one workspace. */
export async function pruneWorkspace(world: World, workspaceId: string): Promise<Pruned> {
  const reader = await blobReader(world, workspaceId)
  // A process that stops does not wait for the rest; the next one begins anew.
  const read: ReadBlob = async (id) => {
    world.stopping.throwIfAborted()
    return reader(id)
  }
  const key = (await workspaceKey(world, workspaceId)).bytes
  const content: Content = {
    blobsOf: (manifest, seen) => reachable(manifest, read, seen),
    read,
    openPacker: (storage, index) => openPacker({ workspace: workspaceId, workspaceKey: key, storage, index }),
  }
  return prune({ ...world, workspaceId }, content)
}
