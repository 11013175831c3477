import { discard } from '../../platform/discard.ts'
import { ObjectMissing, type Storage } from '../../platform/storage.ts'
import type { WorkspaceKeys } from './blob-id.ts'
import { type PackedBlob, readBlob } from './pack.ts'
import { PACK_HEADER_BYTES, PACK_MAGIC, PackDamage } from './pack-format.ts'
import type { ReadBlob } from './record-tree.ts'

/** Where the database says a blob lies; `offset` and `length` as the packer recorded them. */
export type BlobPlace = Pick<PackedBlob, 'id' | 'slot' | 'offset' | 'length'> & { key: string }
export type BlobReaderOptions = {
  keys: WorkspaceKeys
  storage: Pick<Storage, 'get'>
  /** Finds blobs, and perhaps others that lie beside them; those that are not known are left out. */
  locate(ids: string[]): Promise<ReadonlyMap<string, BlobPlace>>
  /** Aborted: nothing more is asked of the storage. */
  signal?: AbortSignal | undefined
}

// Small blobs of one backup lie side by side, so reading ahead saves most requests.
const AHEAD_BYTES = 1024 * 1024
const WINDOWS = 8
const SALTS = 1_000
const PLACES = 5_000

/** A blob that cannot be read: its pack (its key; absent: there is none) is gone, or is not what was written. */
export class LostBlob extends PackDamage {
  override name = 'LostBlob'
  readonly pack: string | undefined

  constructor(pack: string | undefined, cause: PackDamage | ObjectMissing) {
    super(cause.message, { cause })
    this.pack = pack
  }
}

type Window = { key: string; start: number; bytes: Buffer }

/** Reads blobs back, each checked against its id, in a buffer of its own; throws `LostBlob`. Memory: at most 8 MiB and the blob itself. */
export function openBlobReader({ keys, storage, locate, signal }: BlobReaderOptions): ReadBlob {
  const windows: Window[] = []
  const salts = new Map<string, Uint8Array>()
  const places = new Map<string, BlobPlace>()

  const get: Storage['get'] = async (...asked) => {
    signal?.throwIfAborted()
    return storage.get(...asked)
  }

  async function placeOf(id: string): Promise<BlobPlace> {
    const known = places.get(id)
    if (known) return known
    const found = await locate([id])
    if (places.size + found.size > PLACES) places.clear()
    for (const [one, place] of found) places.set(one, place)
    const place = found.get(id)
    if (!place) throw new PackDamage(`blob ${id}: it is not in the store`)
    return place
  }

  async function read(id: string): Promise<Uint8Array> {
    const place = await placeOf(id)
    const salt = await saltOf(place.key)
    if (place.length < AHEAD_BYTES) {
      // Without a pause from here on: another read may let go of the window.
      const { start, bytes } = known(place) ?? keep(await ahead(place))
      return readBlob(keys, salt, place, bytes.subarray(place.offset - start, place.offset + place.length - start))
    }
    const record = await get(place.key, place)
    const plain = readBlob(keys, salt, place, record)
    discard(record)
    return plain
  }

  const known = ({ key, offset, length }: BlobPlace) =>
    windows.find((w) => w.key === key && w.start <= offset && offset + length <= w.start + w.bytes.length)

  const ahead = async ({ key, offset }: BlobPlace): Promise<Window> => ({
    key,
    start: offset,
    bytes: await get(key, { offset, length: AHEAD_BYTES }),
  })

  function keep(window: Window): Window {
    windows.unshift(window)
    for (const { bytes } of windows.splice(WINDOWS)) discard(bytes)
    return window
  }

  async function saltOf(key: string): Promise<Uint8Array> {
    const known = salts.get(key)
    if (known) return known
    const head = await get(key, { offset: 0, length: PACK_HEADER_BYTES })
    if (head.length < PACK_HEADER_BYTES || !PACK_MAGIC.equals(head.subarray(0, PACK_MAGIC.length)))
      throw new PackDamage(`${key}: not a pack`)
    if (salts.size >= SALTS) salts.clear()
    const salt = head.subarray(PACK_MAGIC.length)
    salts.set(key, salt)
    return salt
  }

  return async (id) => {
    const remembered = places.has(id)
    try {
      return await read(id).catch((error: unknown) => {
        // It may have been moved since.
        if (!remembered) throw error
        places.delete(id)
        return read(id)
      })
    } catch (error) {
      throw error instanceof PackDamage || error instanceof ObjectMissing ? new LostBlob(places.get(id)?.key, error) : error
    }
  }
}
