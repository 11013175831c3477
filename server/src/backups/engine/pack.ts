import { createHash, type KeyObject, randomBytes } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { discard, discardAround } from '../../platform/discard.ts'
import { blobId, type WorkspaceKeys } from './blob-id.ts'
import {
  type BlobType,
  COMPRESSED,
  END_MAGIC,
  FOOTER_BYTES,
  MAX_BLOB_BYTES,
  NO_ID,
  PACK_HEADER_BYTES,
  PACK_MAGIC,
  PackDamage,
  packSubkey,
  RECORD_HEADER_BYTES,
  type RecordHeader,
  SALT_BYTES,
  seal,
  TAG_BYTES,
  unseal,
} from './pack-format.ts'

/** Where one blob lies: `offset` and `length` cover its whole record, header included, in bytes. */
export type PackedBlob = { id: string; type: BlobType; slot: number; offset: number; length: number; plainLength: number }
/** One finished pack; `hash` is the SHA-256 of its bytes, `salt` is needed to read a single blob without the pack's beginning. */
export type PackFile = { key: string; hash: string; size: number; salt: Uint8Array }
export type Blob = PackedBlob & { plain: Buffer }

const PACK_TARGET_BYTES = 8 * 1024 * 1024
const PACK_SLACK_BYTES = 256 * 1024
const SAMPLE_BYTES = 16 * 1024
const PACK_MAX_BLOBS = 50_000
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** The object key of a pack, from the hex SHA-256 of its bytes. */
export const packKey = (workspace: string, hash: string) => `w/${workspace}/p/${hash.slice(0, 2)}/${hash}`

/** Fills one pack in memory. */
export class PackWriter {
  readonly blobs: PackedBlob[] = []
  size = 0
  readonly #keys: WorkspaceKeys
  readonly #salt = randomBytes(SALT_BYTES)
  readonly #subkey: KeyObject
  #bytes: Buffer<ArrayBuffer>

  /** `room` is the buffer of an earlier pack that is no longer needed; large buffers are reused because they are freed late. */
  constructor(keys: WorkspaceKeys, room?: ArrayBuffer) {
    this.#bytes = room ? Buffer.from(room) : Buffer.allocUnsafeSlow(PACK_TARGET_BYTES + PACK_SLACK_BYTES)
    this.#keys = keys
    this.#subkey = packSubkey(keys, this.#salt)
    this.#append([PACK_MAGIC, this.#salt])
  }

  /** Whether another blob of this plain length belongs into this pack. */
  hasRoomFor(length: number): boolean {
    return this.blobs.length === 0 || (this.size + length <= PACK_TARGET_BYTES + PACK_SLACK_BYTES / 2 && this.blobs.length < PACK_MAX_BLOBS)
  }

  /** Compresses where that gains, encrypts, and appends. `id` is `blobId(keys, plain)`, which the caller already has. */
  add(type: BlobType, id: string, plain: Uint8Array): void {
    if (plain.length > MAX_BLOB_BYTES) throw new RangeError(`A blob of ${plain.length} bytes is above the limit.`)
    const slot = this.blobs.length
    const offset = this.size
    const length = this.#seal({ kind: 'blob', type, id }, slot, plain)
    this.blobs.push({ id, type, slot, offset, length, plainLength: plain.length })
  }

  /** Closes the pack. The writer is used up; the bytes have a buffer of their own. */
  finish(): { bytes: Uint8Array<ArrayBuffer>; file: PackFile; blobs: PackedBlob[] } {
    const length = this.#seal(
      { kind: 'index', type: 'index', id: NO_ID },
      this.blobs.length,
      Buffer.from(JSON.stringify(indexOf(this.blobs))),
    )
    const footer = Buffer.alloc(4)
    footer.writeUInt32BE(length, 0)
    this.#append([footer, END_MAGIC])
    const bytes = new Uint8Array(this.#bytes.buffer, 0, this.size)
    const hash = createHash('sha256').update(bytes).digest('hex')
    const file = { key: packKey(this.#keys.workspace, hash), hash, size: bytes.length, salt: this.#salt }
    return { bytes, file, blobs: this.blobs }
  }

  /** For a pack that is not finished; the writer is used up. */
  discard(): void {
    discard(this.#bytes)
  }

  #seal(record: Pick<RecordHeader, 'kind' | 'type' | 'id'>, slot: number, plain: Uint8Array): number {
    const packed = isWorthCompressing(plain) ? compress(plain) : plain
    const gains = packed.length < plain.length
    const body = gains ? packed : plain
    const header = { ...record, flags: gains ? COMPRESSED : 0, plain: plain.length, stored: body.length + TAG_BYTES }
    this.#makeRoom(RECORD_HEADER_BYTES + header.stored)
    const place = { subkey: this.#subkey, workspace: this.#keys.workspace, slot }
    const length = seal(this.#bytes, this.size, place, { header, body })
    this.size += length
    if (packed !== plain) discardAround(packed)
    return length
  }

  #append(parts: Buffer[]): void {
    this.#makeRoom(parts.reduce((sum, part) => sum + part.length, 0))
    for (const part of parts) this.size += part.copy(this.#bytes, this.size)
  }

  #makeRoom(length: number): void {
    if (this.size + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(this.size + length + PACK_SLACK_BYTES)
    this.#bytes.copy(larger, 0, 0, this.size)
    discard(this.#bytes)
    this.#bytes = larger
  }
}

const compress = (plain: Uint8Array) => zstdCompressSync(plain, { ...ZSTD, pledgedSrcSize: plain.length, chunkSize: plain.length + 512 })

/** Pictures and archives are most of a site, and compressing them gains nothing. What is not told by its beginning is tried, a large blob by two samples. */
function isWorthCompressing(plain: Uint8Array): boolean {
  if (isCompressed(plain)) return false
  if (plain.length < 8 * SAMPLE_BYTES) return true
  const middle = plain.length >> 1
  const samples = [plain.subarray(0, SAMPLE_BYTES), plain.subarray(middle, middle + SAMPLE_BYTES)]
  return samples.some((sample) => compress(sample).length < 0.98 * SAMPLE_BYTES)
}

/** JPEG, PNG, GIF, WebP, AVIF or MP4, WOFF2, gzip or ZIP, by what it begins with. */
function isCompressed(plain: Uint8Array): boolean {
  const beginning = Buffer.from(plain.buffer, plain.byteOffset, Math.min(plain.length, 12)).toString('hex')
  return /^(?:ffd8ff|89504e470d0a1a0a|47494638|52494646.{8}57454250|.{8}66747970|774f4632|1f8b08|504b0304)/.test(beginning)
}

const indexOf = (blobs: PackedBlob[]) => blobs.map((blob) => [blob.id, blob.type, blob.offset, blob.length, blob.plainLength])

/** Reads every blob of a pack from its bytes alone, checking all of it; `hash` (the pack's name) is checked too where it is known. */
export function* readPack(keys: WorkspaceKeys, bytes: Uint8Array, hash?: string): Generator<Blob, void, undefined> {
  const { salt, indexStart, footerStart } = checkFrame(bytes, hash)
  const subkey = packSubkey(keys, salt)
  const blobs: PackedBlob[] = []
  let offset = PACK_HEADER_BYTES
  while (offset < indexStart) {
    const slot = blobs.length
    const { plain, ...blob } = openRecord(keys, subkey, { slot, offset }, bytes.subarray(offset, indexStart))
    blobs.push(blob)
    yield { ...blob, plain }
    offset += blob.length
  }
  const index = unseal({ subkey, workspace: keys.workspace, slot: blobs.length }, bytes.subarray(indexStart, footerStart), 'index')
  if (index.header.kind !== 'index' || RECORD_HEADER_BYTES + index.header.stored !== footerStart - indexStart)
    throw new PackDamage('index: wrong length or kind')
  if (expand(index.header, index.body, 'index').toString() !== JSON.stringify(indexOf(blobs)))
    throw new PackDamage('index: it lists other blobs than the pack holds')
}

/** Reads one blob from its record's bytes (`offset` … `offset + length` of the pack). */
export function readBlob(keys: WorkspaceKeys, salt: Uint8Array, blob: Pick<PackedBlob, 'id' | 'slot'>, record: Uint8Array): Buffer {
  const found = openRecord(keys, packSubkey(keys, salt), { slot: blob.slot, offset: 0 }, record)
  if (found.id !== blob.id) throw new PackDamage(`blob ${blob.id}: blob ${found.id} lies in its place`)
  if (found.length !== record.length) throw new PackDamage(`blob ${blob.id}: ${record.length} bytes expected, ${found.length} there`)
  return found.plain
}

function checkFrame(bytes: Uint8Array, hash: string | undefined): { salt: Uint8Array; indexStart: number; footerStart: number } {
  if (hash !== undefined && createHash('sha256').update(bytes).digest('hex') !== hash)
    throw new PackDamage(`pack ${hash}: its bytes have another SHA-256`)
  const pack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const footerStart = pack.length - FOOTER_BYTES
  if (footerStart < PACK_HEADER_BYTES + RECORD_HEADER_BYTES + TAG_BYTES) throw new PackDamage(`pack: cut off after ${pack.length} bytes`)
  if (!PACK_MAGIC.equals(pack.subarray(0, PACK_MAGIC.length))) throw new PackDamage('pack: wrong magic at the start')
  if (!END_MAGIC.equals(pack.subarray(footerStart + 4))) throw new PackDamage('pack: wrong magic at the end (cut off?)')
  const indexStart = footerStart - pack.readUInt32BE(footerStart)
  if (indexStart < PACK_HEADER_BYTES || indexStart > footerStart) throw new PackDamage('pack: the index length is impossible')
  return { salt: pack.subarray(PACK_MAGIC.length, PACK_HEADER_BYTES), indexStart, footerStart }
}

/** Decrypts the record of one blob, which `record` begins with; more may follow it. */
export function openRecord(
  keys: WorkspaceKeys,
  subkey: KeyObject,
  { slot, offset }: Pick<PackedBlob, 'slot' | 'offset'>,
  record: Uint8Array,
): Blob {
  const where = `blob ${slot} at byte ${offset}`
  const { header, body } = unseal({ subkey, workspace: keys.workspace, slot }, record, where)
  if (header.type === 'index') throw new PackDamage(`${where}: an index stands where a blob should`)
  const plain = expand(header, body, where)
  if (plain !== body) discard(body)
  if (blobId(keys, plain) !== header.id) throw new PackDamage(`${where}: the content does not have the id ${header.id}`)
  return { id: header.id, type: header.type, slot, offset, length: RECORD_HEADER_BYTES + header.stored, plainLength: plain.length, plain }
}

function expand(header: RecordHeader, body: Buffer, where: string): Buffer {
  const plain = header.flags & COMPRESSED ? inflate(body, header.plain, where) : body
  if (plain.length !== header.plain) throw new PackDamage(`${where}: ${plain.length} bytes of content, ${header.plain} expected`)
  return plain
}

function inflate(body: Buffer, plainLength: number, where: string): Buffer {
  try {
    const room = zstdDecompressSync(body, { maxOutputLength: plainLength, chunkSize: Math.max(plainLength, Buffer.poolSize) })
    return room.length < room.buffer.byteLength ? alone(room) : room
  } catch (cause) {
    throw new PackDamage(`${where}: it does not decompress to ${plainLength} bytes`, { cause })
  }
}

/** In a buffer of its own, which can be given back. */
function alone(part: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(part.length)
  part.copy(own)
  discardAround(part)
  return own
}
