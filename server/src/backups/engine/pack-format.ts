// The bytes of a pack, all numbers big-endian:
//
//   magic "SVCPACK1" (8) · salt (32)
//   per blob: header (48) · AES-256-GCM ciphertext · tag (16)
//   index:    header (48) · AES-256-GCM ciphertext · tag (16)      the list of all blobs
//   length of the index record (4) · magic "SVCPEND1" (8)
//
//   header: magic "BLOB" or "INDX" (4) · version (1) · type (1) · flags (1) · zero (1) · id (32) · plain length (4) · stored length (4)
//
// Key = HKDF(data key, salt). Nonce = the record's number in the pack (its slot), which never repeats under one salt.
// The whole header, the workspace and the slot are authenticated, so a record fits in exactly one place.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { discard } from '../../platform/discard.ts'
import type { WorkspaceKeys } from './blob-id.ts'

export type BlobType = 'file' | 'rows' | 'manifest'
export type RecordHeader = { kind: 'blob' | 'index'; type: BlobType | 'index'; flags: number; id: string; plain: number; stored: number }

/** A pack or blob that is not what was written. The message says what is wrong and where. */
export class PackDamage extends Error {
  override name = 'PackDamage'
}

export const PACK_MAGIC = Buffer.from('SVCPACK1')
export const END_MAGIC = Buffer.from('SVCPEND1')
export const SALT_BYTES = 32
export const PACK_HEADER_BYTES = PACK_MAGIC.length + SALT_BYTES
export const RECORD_HEADER_BYTES = 48
export const FOOTER_BYTES = 4 + END_MAGIC.length
export const TAG_BYTES = 16
/** The largest plaintext of one blob. */
export const MAX_BLOB_BYTES = 32 * 1024 * 1024
export const COMPRESSED = 1

const VERSION = 1
const STEP_BYTES = 128 * 1024
const FORMAT = Buffer.from('svc-pack-1\0')
const MAGIC = { blob: Buffer.from('BLOB'), index: Buffer.from('INDX') }
const TYPES = ['index', 'file', 'rows', 'manifest'] as const
export const NO_ID = Buffer.alloc(32).toString('base64url')

function encodeHeader(header: RecordHeader): Buffer {
  const bytes = Buffer.alloc(RECORD_HEADER_BYTES)
  MAGIC[header.kind].copy(bytes, 0)
  bytes[4] = VERSION
  bytes[5] = TYPES.indexOf(header.type)
  bytes[6] = header.flags
  Buffer.from(header.id, 'base64url').copy(bytes, 8)
  bytes.writeUInt32BE(header.plain, 40)
  bytes.writeUInt32BE(header.stored, 44)
  return bytes
}

/** Reads one record header at the start of `bytes`; `where` names the place in errors. */
export function decodeHeader(bytes: Uint8Array, where: string): RecordHeader {
  if (bytes.length < RECORD_HEADER_BYTES) throw new PackDamage(`${where}: the header is cut off`)
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, RECORD_HEADER_BYTES)
  const kind = MAGIC.blob.equals(head.subarray(0, 4)) ? 'blob' : MAGIC.index.equals(head.subarray(0, 4)) ? 'index' : undefined
  if (!kind) throw new PackDamage(`${where}: no record starts here (wrong magic)`)
  if (head[4] !== VERSION) throw new PackDamage(`${where}: unknown record version ${head[4]}`)
  const type = TYPES[head[5] ?? 255]
  if (!type || (type === 'index') !== (kind === 'index')) throw new PackDamage(`${where}: unknown record type ${head[5]}`)
  const flags = head[6] ?? 255
  if ((flags & ~COMPRESSED) !== 0 || head[7] !== 0) throw new PackDamage(`${where}: unknown flags`)
  const header = {
    kind,
    type,
    flags,
    id: head.toString('base64url', 8, 40),
    plain: head.readUInt32BE(40),
    stored: head.readUInt32BE(44),
  } as const
  checkLengths(header, where)
  return header
}

function checkLengths(header: RecordHeader, where: string): void {
  if (header.plain > MAX_BLOB_BYTES) throw new PackDamage(`${where}: a plain length of ${header.plain} bytes is above the limit`)
  const body = header.stored - TAG_BYTES
  const fits = header.flags & COMPRESSED ? body > 0 && body < header.plain : body === header.plain
  if (!fits) throw new PackDamage(`${where}: stored length ${header.stored} does not go with plain length ${header.plain}`)
}

/** The key of one pack. */
export function packSubkey(keys: WorkspaceKeys, salt: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', keys.dataKey, salt, 'svc-pack-1', 32)))
}

/** The only place that a record fits, with the key of its pack. */
export type RecordPlace = { subkey: KeyObject; workspace: string; slot: number }

/** Writes header, ciphertext and tag to `target` and answers their length. Done in steps, because each makes a buffer. */
export function seal(
  target: Buffer,
  at: number,
  { subkey, workspace, slot }: RecordPlace,
  { header, body }: { header: RecordHeader; body: Uint8Array },
): number {
  const head = encodeHeader(header)
  const cipher = createCipheriv('aes-256-gcm', subkey, nonceOf(slot)).setAAD(associatedData(workspace, slot, head))
  let end = at + head.copy(target, at)
  for (let done = 0; done < body.length; done += STEP_BYTES) {
    const sealed = cipher.update(body.subarray(done, done + STEP_BYTES))
    end += sealed.copy(target, end)
    discard(sealed)
  }
  cipher.final()
  return end + cipher.getAuthTag().copy(target, end) - at
}

/** Decrypts the body of a record that begins at the start of `record`. */
export function unseal(
  { subkey, workspace, slot }: RecordPlace,
  record: Uint8Array,
  where: string,
): { header: RecordHeader; body: Buffer } {
  const header = decodeHeader(record, where)
  const end = RECORD_HEADER_BYTES + header.stored
  if (record.length < end) throw new PackDamage(`${where}: ${end} bytes expected, ${record.length} there`)
  const aad = associatedData(workspace, slot, record.subarray(0, RECORD_HEADER_BYTES))
  const decipher = createDecipheriv('aes-256-gcm', subkey, nonceOf(slot), { authTagLength: TAG_BYTES }).setAAD(aad)
  decipher.setAuthTag(record.subarray(end - TAG_BYTES, end))
  const body = decipher.update(record.subarray(RECORD_HEADER_BYTES, end - TAG_BYTES))
  try {
    decipher.final()
  } catch {
    throw new PackDamage(`${where}: authentication failed (changed bytes, another place, another workspace or another key)`)
  }
  return { header, body }
}

function nonceOf(slot: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(slot, 8)
  return nonce
}

function associatedData(workspace: string, slot: number, header: Uint8Array): Buffer {
  const name = Buffer.from(workspace)
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(name.length, 0)
  numbers.writeUInt32BE(slot, 4)
  return Buffer.concat([FORMAT, numbers, name, header])
}
