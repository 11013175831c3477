import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect } from '../../../test/memory-store.ts'
import { RecordWriter, readChunks, readRecords, treeBlobs } from './record-tree.ts'

function memory() {
  const blobs: Uint8Array[] = []
  const store = async (bytes: Uint8Array) => String(blobs.push(bytes) - 1)
  const read = async (id: string) => blobs[Number(id)] ?? assert.fail(`no blob ${id}`)
  return { blobs, store, read }
}

test('records come back in order through several levels, and few ids name them all', async () => {
  const { blobs, store, read } = memory()
  let writer = new RecordWriter(store)
  for (let i = 0; i < 40_000; i++) {
    await writer.write({ i })
    // A kill after every second record: the nodes alone continue the list.
    if (i % 2) writer = new RecordWriter(store, await writer.cut())
  }
  const nodes = await writer.cut()
  const records = await collect(readRecords(nodes, read))
  assert.deepEqual(
    records,
    Array.from({ length: 40_000 }, (_, i) => ({ i })),
  )
  assert.ok(nodes.length < 3 * 128, `${nodes.length} nodes`)
  assert.ok(nodes.some((node) => node.level === 2))
  assert.equal(new Set(await collect(treeBlobs(nodes, read))).size, blobs.length)
})

test('records are read from any chunk on, and of those before nothing is', async () => {
  const { store, read } = memory()
  const writer = new RecordWriter(store)
  for (let i = 0; i < 20_000; i++) {
    await writer.write({ i })
    await writer.cut()
  }
  const nodes = await writer.cut()
  for (const from of [0, 1, 127, 128, 16_383, 16_384, 16_385, 19_999]) {
    let reads = 0
    const counting = (id: string) => {
      reads += 1
      return read(id)
    }
    for await (const [record] of readChunks(nodes, counting, from)) {
      assert.deepEqual(record, { i: from })
      break
    }
    assert.ok(reads <= 3, `${reads} reads to reach ${from}`)
  }
  assert.deepEqual(await collect(readChunks(nodes, read, 20_000)), [])
})

test('a chunk is about 512 KiB, so a long list never lies in memory at once', async () => {
  const { blobs, store } = memory()
  const writer = new RecordWriter(store)
  for (let i = 0; i < 20_000; i++) await writer.write({ path: 'p'.repeat(90), i })
  await writer.cut()
  assert.ok(blobs.length >= 4)
  assert.ok(blobs.every((bytes) => bytes.length < 600 * 1024))
})
