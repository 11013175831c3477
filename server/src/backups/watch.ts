import { logEvent } from '../activity/service.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { blobReader } from './blobs.ts'
import { checkPacks } from './check.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { PackDamage } from './engine/pack-format.ts'
import { reachable } from './engine/reachable.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { packIsKnown } from './rebuild-store.ts'
import { scanPack } from './scan.ts'
import { recordVerification } from './store.ts'
import { countLost, listSound, listUnread, markAbsent, markPresent, markRead, type Watched } from './watch-store.ts'

type Here = World & { workspaceId: string }

/** The packs are read back once in so many days. */
const days = 28
const batch = 5000

/** Whether every pack is there with its size. Answers how many are not. */
export async function checkStore(world: World, workspaceId: string): Promise<{ packs: number; absent: number; damaged: number }> {
  const here = { ...world, workspaceId }
  const sound = await listSound(here)
  const looked = await checkPacks(world, workspaceId, { everyList: false, say: () => world.stopping.throwIfAborted() })
  const { packs, missing, wrong_size, older } = looked
  if (older.length > 0)
    world.log.error({ workspace_id: workspaceId, older }, 'database and store are not of one time; storage check tells more')
  const absent = [...missing, ...wrong_size]
  await markAbsent(here, absent)
  const damaged = absent.length > 0 ? await findDamaged(here, sound) : []
  const ids = sound.map(({ id }) => id).filter((id) => !damaged.includes(id))
  await markPresent(here, ids)
  return { packs, absent: absent.length, damaged: damaged.length }
}

/** Reads a part of the packs back, so that each has its turn within four weeks, and checks every byte. */
export async function readBack(world: World, workspaceId: string): Promise<{ read: number; damaged: number }> {
  const here = { ...world, workspaceId }
  const keys = deriveKeys(workspaceId, (await workspaceKey(world, workspaceId)).bytes)
  const sound = await listSound(here)
  let read = 0
  let bad = 0
  for (const hash of await listUnread(here, days)) {
    if (world.stopping.aborted) break
    const scanned = await scanPack(world.storage, keys, hash)
    // Pruned since the list was made: its row goes before the object.
    if (!scanned && !(await packIsKnown(world.db, workspaceId, hash))) continue
    const damage = scanned ? (scanned.damage ?? null) : 'absent'
    await markRead(here, hash, damage)
    read += 1
    bad += damage === null ? 0 : 1
  }
  if (bad > 0) await findDamaged(here, sound)
  return { read, damaged: bad }
}

/** Marks the backups that need something that is lost, and tells. */
async function findDamaged(here: Here, sound: Watched[]): Promise<string[]> {
  const read = await blobReader(here, here.workspaceId)
  const damaged: string[] = []
  for (const backup of sound) {
    if (await isWhole(here, backup.manifest, read)) continue
    damaged.push(backup.id)
    await here.db.transaction().execute(async (db) => {
      const within = { ...here, db }
      await recordVerification(within, backup.id, 'damaged')
      const by = { type: 'system', id: 'backups', name: 'Backups' } as const
      const summary = 'A backup is damaged: the store has lost a part of it'
      await logEvent(within, { siteId: backup.site_id, category: 'backup', summary, notes: backup.id, by, internal: true })
    })
    here.changed(here.workspaceId, [backup.site_id])
  }
  return damaged
}

async function isWhole(here: Here, manifest: string, read: ReadBlob): Promise<boolean> {
  const ids = new Set<string>()
  try {
    for await (const id of reachable(manifest, read, new Set())) {
      ids.add(id)
      if (ids.size < batch) continue
      if ((await countLost(here, [...ids])) > 0) return false
      ids.clear()
    }
  } catch (error) {
    if (error instanceof PackDamage || (error as Error).name === 'ObjectMissing') return false
    throw error
  }
  return (await countLost(here, [...ids])) === 0
}
