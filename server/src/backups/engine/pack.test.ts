import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { blobId, deriveKeys } from './blob-id.ts'
import { type PackedBlob, PackWriter, readBlob, readPack } from './pack.ts'
import { PACK_HEADER_BYTES, PackDamage, RECORD_HEADER_BYTES } from './pack-format.ts'

const keys = deriveKeys('ws_1', new Uint8Array(32).fill(1))
const CANARY = 'canary-$P$B9xqw3-wp-password-hash'
const contents = [
  Buffer.from(`define('AUTH_SALT', '${CANARY}');\n`.repeat(40)),
  Buffer.from(CANARY),
  randomBytes(5000),
  Buffer.alloc(70_000),
  Buffer.from('x'),
  Buffer.from(`INSERT INTO wp_users VALUES ('${CANARY}');`),
]

function packOf(plains: Buffer[], of = keys) {
  const writer = new PackWriter(of)
  for (const plain of plains) writer.add('file', blobId(of, plain), plain)
  return writer.finish()
}

const readAll = (bytes: Uint8Array, of = keys, hash?: string) => [...readPack(of, bytes, hash)]

test('a pack gives all its blobs back from its bytes and the workspace key alone', () => {
  const { bytes, file } = packOf(contents)
  const blobs = readAll(bytes, deriveKeys('ws_1', new Uint8Array(32).fill(1)), file.hash)
  assert.deepEqual(
    blobs.map((blob) => blob.plain),
    contents,
  )
  assert.match(file.key, /^w\/ws_1\/p\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/)
})

test('a single blob is read from its own bytes and the salt', () => {
  const { bytes, file, blobs } = packOf(contents)
  for (const [i, blob] of blobs.entries()) {
    const record = bytes.subarray(blob.offset, blob.offset + blob.length)
    assert.deepEqual(readBlob(keys, file.salt, blob, record), contents[i])
  }
})

test('content that compresses is stored smaller, other content is stored as it is', () => {
  const { blobs } = packOf(contents)
  assert.ok((blobs[3]?.length ?? 0) < 200, 'zeros')
  assert.equal(blobs[2]?.length, RECORD_HEADER_BYTES + 5000 + 16)
})

test('what begins as a picture or an archive does is stored as it is', () => {
  const jpegPngGif = ['ffd8ffe0', '89504e470d0a1a0a', '474946383961']
  const webpAvifWoff2 = ['524946460000000057454250', '000000186674797061766966', '774f4632']
  const gzipZip = ['1f8b08', '504b0304']
  const tooLittleOfOne = 'ffd8'
  const beginnings = [...jpegPngGif, ...webpAvifWoff2, ...gzipZip, tooLittleOfOne]
  const plains = beginnings.map((hex) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(2_000)]))
  const { bytes, blobs } = packOf(plains)
  const compressed = beginnings.filter((_, i) => blobs[i]?.length !== RECORD_HEADER_BYTES + (plains[i]?.length ?? 0) + 16)
  assert.deepEqual(compressed, [tooLittleOfOne])
  assert.deepEqual(
    readAll(bytes).map(({ plain }) => plain),
    plains,
  )
})

test('every flipped bit is found, in every region and without knowing the name of the pack', () => {
  const { bytes, blobs } = packOf(contents)
  const regions = [0, 7, 8, 39, 40, bytes.length - 12, bytes.length - 9, bytes.length - 8, bytes.length - 1, ...positionsIn(blobs)]
  const spread = Array.from({ length: 400 - regions.length }, (_, i) => Math.floor((i * bytes.length) / 400))
  const positions = [...regions, ...spread]
  const missed = positions.filter((position, i) => {
    const broken = bytes.slice()
    broken[position] = (broken[position] ?? 0) ^ (1 << (i % 8))
    return !isFound(() => readAll(broken))
  })
  assert.deepEqual(missed, [])
  assert.ok(positions.length >= 200)
})

test('every byte of a record header is authenticated', () => {
  const { bytes, file, blobs } = packOf(contents)
  const [, blob] = blobs
  assert.ok(blob)
  for (let at = 0; at < RECORD_HEADER_BYTES * 8; at++) {
    const record = bytes.slice(blob.offset, blob.offset + blob.length)
    record[at >> 3] = (record[at >> 3] ?? 0) ^ (1 << (at & 7))
    assert.throws(() => readBlob(keys, file.salt, blob, record), PackDamage, `bit ${at}`)
  }
})

test('a cut-off pack is found, wherever it was cut', () => {
  const { bytes } = packOf(contents)
  const cut = (error: unknown) => error instanceof PackDamage && /cut off/.test(error.message)
  for (let length = 0; length < bytes.length; length += length < 300 ? 1 : 97)
    assert.throws(() => readAll(bytes.slice(0, length)), cut, `${length} bytes`)
  assert.throws(() => readAll(Buffer.concat([bytes, Buffer.alloc(1)])), cut)
})

test('two blobs that changed places are found', () => {
  const same = [Buffer.from('a'.repeat(64)), Buffer.from('b'.repeat(64))]
  const { bytes, blobs, file } = packOf(same)
  const [a, b] = blobs
  assert.ok(a && b && a.length === b.length)
  const swapped = bytes.slice()
  swapped.set(bytes.subarray(b.offset, b.offset + b.length), a.offset)
  swapped.set(bytes.subarray(a.offset, a.offset + a.length), b.offset)
  assert.throws(() => readAll(swapped), /blob 0 at byte 40: authentication failed/)
  assert.throws(() => readBlob(keys, file.salt, a, bytes.subarray(b.offset, b.offset + b.length)), PackDamage)
})

test('a pack or a blob of another workspace is refused, even under the same workspace key', () => {
  const other = deriveKeys('ws_2', new Uint8Array(32).fill(1))
  const mine = packOf(contents)
  const [blob] = mine.blobs
  assert.ok(blob)
  assert.throws(() => readAll(mine.bytes, other), /authentication failed/)
  const record = mine.bytes.subarray(blob.offset, blob.offset + blob.length)
  assert.throws(() => readBlob({ ...keys, workspace: 'ws_2' }, mine.file.salt, blob, record), /authentication failed/)
  assert.notEqual(blobId(keys, Buffer.from('x')), blobId(other, Buffer.from('x')))
})

test('another pack under a name is found by its hash', () => {
  const mine = packOf(contents)
  const other = packOf(contents.slice(1))
  assert.throws(() => readAll(other.bytes, keys, mine.file.hash), /another SHA-256/)
})

test('nothing of the content can be seen in the stored bytes', () => {
  const stored = Buffer.from(packOf(contents).bytes).toString('latin1')
  for (const word of [CANARY, 'AUTH_SALT', 'wp_users', 'INSERT']) assert.equal(stored.includes(word), false, word)
})

test('equal content under two salts gives different bytes', () => {
  const [first, second] = [packOf(contents), packOf(contents)]
  assert.notDeepEqual(first.bytes.subarray(PACK_HEADER_BYTES), second.bytes.subarray(PACK_HEADER_BYTES))
})

function positionsIn(blobs: PackedBlob[]): number[] {
  return blobs.flatMap(({ offset, length }) => [
    offset,
    offset + 4,
    offset + 6,
    offset + 8,
    offset + 43,
    offset + 47,
    offset + 48,
    offset + length - 1,
  ])
}

function isFound(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    return error instanceof PackDamage
  }
}
