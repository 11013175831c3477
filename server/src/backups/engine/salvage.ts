import type { WorkspaceKeys } from './blob-id.ts'
import { type Blob, openRecord } from './pack.ts'
import { decodeHeader, PACK_HEADER_BYTES, PACK_MAGIC, PackDamage, packSubkey } from './pack-format.ts'

/** Records that may be lost in a row without losing the count of the following ones. */
const MOST_LOST = 8
const BLOB_MAGIC = Buffer.from('BLOB')

/** What can still be read of a damaged pack. Each blob it yields is whole: it decrypted in its place and fits its id. */
export function* salvagePack(keys: WorkspaceKeys, bytes: Uint8Array): Generator<Blob, void, undefined> {
  const pack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Nothing reads a blob of what does not begin as a pack.
  if (!pack.subarray(0, PACK_MAGIC.length).equals(PACK_MAGIC)) return
  const subkey = packSubkey(keys, pack.subarray(PACK_MAGIC.length, PACK_HEADER_BYTES))
  let slot = 0
  for (let offset = nextRecord(pack, PACK_HEADER_BYTES); offset !== -1; ) {
    const blob = firstOf(MOST_LOST, (lost) => openRecord(keys, subkey, { slot: slot + lost, offset }, pack.subarray(offset)))
    if (blob) yield blob
    slot = blob ? blob.slot + 1 : slot + 1
    offset = nextRecord(pack, blob ? offset + blob.length : offset + 1)
  }
}

function firstOf<Value>(tries: number, attempt: (number: number) => Value): Value | undefined {
  for (let number = 0; number < tries; number++) {
    const found = unlessDamaged(() => attempt(number))
    if (found !== undefined) return found
  }
  return undefined
}

/** Where the next record begins whose header makes sense; -1 where none does. */
function nextRecord(pack: Buffer, from: number): number {
  for (let at = pack.indexOf(BLOB_MAGIC, from); at !== -1; at = pack.indexOf(BLOB_MAGIC, at + 1))
    if (unlessDamaged(() => decodeHeader(pack.subarray(at), 'salvage'))) return at
  return -1
}

function unlessDamaged<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt()
  } catch (error) {
    if (error instanceof PackDamage) return undefined
    throw error
  }
}
