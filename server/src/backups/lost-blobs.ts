// Packs that somebody could not read are looked at as a whole, and what came out is kept: what lies in them is relied on no more.
import type { World } from '../world.ts'
import type { WorkspaceKeys } from './engine/blob-id.ts'
import { packKey } from './engine/pack.ts'
import { packIsKnown } from './rebuild-store.ts'
import { scanPack } from './scan.ts'
import { type Lying, markRead, whereTheyLie } from './watch-store.ts'

type Here = Pick<World, 'db' | 'now' | 'storage'> & { workspaceId: string; keys: WorkspaceKeys }

/** The blobs of a damaged pack that can still be read; null: nothing is wrong with it. */
export async function examinePack(here: Here, hash: string): Promise<ReadonlySet<string> | null> {
  const scanned = await scanPack(here.storage, here.keys, hash)
  // Pruned meanwhile: its row goes before the object.
  if (!scanned && !(await packIsKnown(here.db, here.workspaceId, hash))) return null
  const damage = scanned ? (scanned.damage ?? null) : 'absent'
  await markRead(here, hash, damage)
  return damage === null ? null : new Set(scanned?.blobs.map(({ id }) => id))
}

const looksAtOnce = 16

/** Says which blobs are lost: at most one look at each pack, and a whole reading of those that are not as they were. */
export class LostBlobs {
  readonly #here: Here
  readonly #packs = new Map<string, ReadonlySet<string> | null>()

  constructor(here: Here) {
    this.#here = here
  }

  async among(ids: string[]): Promise<ReadonlySet<string>> {
    const lying = await whereTheyLie(this.#here, ids)
    const unseen = new Map(lying.flatMap((one) => (one.pack === null || this.#packs.has(one.pack) ? [] : [[one.pack, one]])))
    const packs = [...unseen.values()]
    for (let at = 0; at < packs.length; at += looksAtOnce)
      await Promise.all(packs.slice(at, at + looksAtOnce).map((one) => this.#inspect(one)))
    return new Set(lying.filter(({ id, pack }) => pack === null || this.#packs.get(pack)?.has(id) === false).map(({ id }) => id))
  }

  async #inspect({ pack, bytes, damage }: Lying): Promise<void> {
    if (pack === null) return
    const { storage, workspaceId } = this.#here
    const isThere = damage === null && (await storage.stat(packKey(workspaceId, pack)))?.size === bytes
    this.#packs.set(pack, isThere ? null : await examinePack(this.#here, pack))
  }
}
