import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { blobId, deriveKeys } from './blob-id.ts'
import { PackWriter, readBlob } from './pack.ts'
import { PACK_HEADER_BYTES } from './pack-format.ts'
import { salvagePack } from './salvage.ts'

const keys = deriveKeys('ws_1', new Uint8Array(32).fill(1))
const contents = Array.from({ length: 30 }, (_, n) => randomBytes(200 + n * 40))

function aPack(plains = contents) {
  const writer = new PackWriter(keys)
  for (const plain of plains) writer.add('file', blobId(keys, plain), plain)
  return writer.finish()
}

test('of a pack with one damaged record all others are saved, wherever in it the damage is', () => {
  const { bytes, blobs } = aPack()
  for (const [number, { offset, length }] of blobs.entries()) {
    for (const at of [offset, offset + 5, offset + 20, offset + 41, offset + 47, offset + 60, offset + length - 1]) {
      const broken = bytes.slice()
      broken[at] = (broken[at] ?? 0) ^ 0x10
      const saved = [...salvagePack(keys, broken)]
      assert.deepEqual(
        saved.map(({ id }) => id),
        blobs.filter((_, n) => n !== number).map(({ id }) => id),
        `blob ${number}, byte ${at - offset}`,
      )
      const last = saved.at(-1)
      assert.ok(
        last && readBlob(keys, broken.subarray(8, PACK_HEADER_BYTES), last, broken.subarray(last.offset, last.offset + last.length)),
      )
    }
  }
})

test('of a pack that was cut off everything before the cut is saved', () => {
  const { bytes, blobs } = aPack()
  for (const length of [0, 8, 39, 40, 100, bytes.length >> 1, bytes.length - 1])
    assert.equal(
      [...salvagePack(keys, bytes.subarray(0, length))].length,
      blobs.filter((blob) => blob.offset + blob.length <= length).length,
    )
})

test('content that looks like a record misleads nobody, and of another workspace nothing is read', () => {
  const trap = aPack([randomBytes(100)])
  const { bytes, blobs } = aPack([Buffer.from(trap.bytes), Buffer.from('BLOB'.repeat(100)), ...contents.slice(0, 5)])
  const broken = bytes.slice()
  broken[50] = (broken[50] ?? 0) ^ 1
  assert.deepEqual(
    [...salvagePack(keys, broken)].map(({ id }) => id),
    blobs.slice(1).map(({ id }) => id),
  )
  assert.deepEqual([...salvagePack(deriveKeys('ws_2', new Uint8Array(32).fill(1)), bytes)], [])
})
