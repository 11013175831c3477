import { workspaceKey } from '../workspaces/keys.ts'
import type { Here, World } from '../world.ts'
import { checkPacks, type PackCheck } from './check.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { lossOf, markLost } from './loss.ts'
import { examinePack } from './lost-blobs.ts'
import { anyDamaged, listSound, listUnread, markAbsent, markPresent, markRead, type Watched } from './watch-store.ts'

/** The packs are read back once in so many days. */
const days = 28

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
  // Others may have met a damaged pack since.
  const damaged = (await anyDamaged(here)) ? await findDamaged(here, sound) : []
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
    bad += (await examinePack({ ...here, keys }, hash)) ? 1 : 0
    read += 1
  }
  if (bad > 0) await findDamaged(here, sound)
  return { read, damaged: bad }
}

/** Marks the backups that need something that is lost, and tells. */
async function findDamaged(here: Here, sound: Watched[]): Promise<string[]> {
  const damaged: string[] = []
  for (const backup of sound) {
    here.stopping.throwIfAborted()
    const loss = await lossOf(here, backup.manifest)
    if (!loss) continue
    damaged.push(backup.id)
    await markLost(here, backup, loss)
  }
  return damaged
}

/** What a look at all packs brought out, for the operator: they are relied on no more, and the backups that need them are marked. */
export async function recordCheck(world: World, { workspace_id, missing, wrong_size, damaged }: PackCheck): Promise<void> {
  const here = { ...world, workspaceId: workspace_id }
  await markAbsent(here, [...missing, ...wrong_size])
  for (const hash of damaged) await markRead(here, hash, 'damaged')
  if (await anyDamaged(here)) await findDamaged(here, await listSound(here))
}
