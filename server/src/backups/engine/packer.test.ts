import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MemoryStore } from '../../../test/memory-store.ts'
import { blobId } from './blob-id.ts'
import { readPack } from './pack.ts'
import { openPacker } from './packer.ts'

test('what was added and flushed can be read back, each content once', async (t) => {
  const store = new MemoryStore()
  const packer = store.openPacker()
  t.after(() => packer.close())
  const contents = Array.from({ length: 300 }, (_, i) => Buffer.from(`content ${i % 100} `.repeat(50)))
  const ids = await Promise.all(contents.map((bytes) => packer.add('file', bytes)))
  await packer.flush()
  assert.equal(new Set(ids).size, 100)
  assert.equal(packer.totals.newBlobs, 100)
  for (const [i, id] of ids.entries()) assert.deepEqual(await store.readBlob(id), contents[i])
})

test('the digests of files are made of all that was given for each, in whatever turns, and nothing of them stays', async (t) => {
  const store = new MemoryStore()
  const packer = store.openPacker()
  t.after(() => packer.close())
  const [one, other] = [packer.newFile(), packer.newFile()]
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const first = one.add(Buffer.from('begun '))
  const given = [first, other.recall(Buffer.from('stored before ')), one.add(Buffer.from('and ended')), other.add(Buffer.from('and now'))]
  assert.deepEqual(await Promise.all([one.digest(), other.digest()]), [sha256('begun and ended'), sha256('stored before and now')])
  await Promise.all(given)
  assert.equal(await other.digest(), sha256(''))
  await packer.flush()
  assert.equal(packer.totals.newBlobs, 3)
  assert.deepEqual(await store.readBlob(await first), Buffer.from('begun '))
})

test('what an earlier run stored is not stored again', async (t) => {
  const store = new MemoryStore()
  const first = store.openPacker()
  t.after(() => first.close())
  const id = await first.add('file', Buffer.from('the same'))
  await first.flush()
  const second = store.openPacker()
  t.after(() => second.close())
  assert.equal(await second.add('rows', Buffer.from('the same')), id)
  assert.deepEqual(await second.stored([id, 'unknown']), new Set([id]))
  await second.flush()
  assert.equal(second.totals.newBlobs, 0)
  assert.equal(store.objects.size, 1)
})

test('a pack is durable before it is recorded, and flush waits for both', async (t) => {
  const store = new MemoryStore('ws_1', 1, 20)
  const packer = store.openPacker()
  t.after(() => packer.close())
  await packer.add('file', Buffer.from('one'))
  assert.deepEqual(store.log, [])
  await packer.flush()
  const [key] = store.objects.keys()
  assert.deepEqual(store.log, [`put ${key}`, `record ${key}`])
})

test('packs are about 8 MiB, named by their content, and readable without the index', async (t) => {
  const store = new MemoryStore()
  const packer = store.openPacker()
  t.after(() => packer.close())
  for (let i = 0; i < 10; i++) await packer.add('file', randomBytes(4 * 1024 * 1024))
  await packer.flush()
  const sizes = [...store.objects.values()].map((bytes) => Math.round(bytes.length / 1024 / 1024))
  assert.deepEqual(sizes, [8, 8, 8, 8, 8])
  for (const [key, bytes] of store.objects)
    for (const blob of readPack(store.keys, bytes, key.split('/').at(-1))) assert.ok(store.places.has(blob.id))
})

test('a storage that fails ends the run: later calls and the flush say why', async (t) => {
  const store = new MemoryStore()
  const storage = { put: () => Promise.reject(new Error('disk full')) }
  const packer = openPacker({ workspace: 'ws_1', workspaceKey: store.workspaceKey, storage, index: store.index })
  t.after(() => packer.close())
  await packer.add('file', Buffer.from('x'))
  await assert.rejects(packer.flush(), /disk full/)
  await assert.rejects(packer.add('file', Buffer.from('y')), /disk full/)
  assert.equal(store.places.size, 0)
})

test('an index that fails ends the run too', async (t) => {
  const store = new MemoryStore()
  const index = { ...store.index, has: () => Promise.reject(new Error('database gone')) }
  const packer = openPacker({ workspace: 'ws_1', workspaceKey: store.workspaceKey, storage: store.storage, index })
  t.after(() => packer.close())
  await packer.add('file', Buffer.from('x'))
  await assert.rejects(packer.flush(), /database gone/)
})

test('closing rejects what is under way and leaves no half pack', async () => {
  const store = new MemoryStore('ws_1', 1, 10)
  const packer = store.openPacker()
  await packer.add('file', Buffer.from('x'))
  const flushed = assert.rejects(packer.flush(), /closed/)
  await packer.close()
  await flushed
  await packer.close()
  for (const [key, bytes] of store.objects) assert.equal([...readPack(store.keys, bytes, key.split('/').at(-1))].length, 1)
})

test('the thread of a packer that is closed packs for the next one, and knows nothing of the one before', async (t) => {
  let started = 0
  const count = () => void started++
  process.on('worker', count)
  t.after(() => process.off('worker', count))
  const [bytes, sha256] = [Buffer.from('the same'), createHash('sha256').update('the same').digest('hex')]
  const ids: string[] = []
  for (const workspace of ['ws_1', 'ws_2', 'ws_3']) {
    const store = new MemoryStore(workspace)
    const packer = store.openPacker()
    const file = packer.newFile()
    const id = await file.add(bytes)
    assert.equal(id, blobId(store.keys, bytes))
    if (workspace === 'ws_3') {
      assert.equal(await file.digest(), sha256)
      await packer.flush()
      assert.deepEqual(await store.readBlob(id), bytes)
    }
    await packer.close()
    assert.equal(store.objects.size, workspace === 'ws_3' ? 1 : 0, 'a half pack is nobody’s')
    ids.push(id)
  }
  assert.equal(new Set(ids).size, 3)
  assert.ok(started <= 1, `${started} threads`)
})

test('a pack that takes long to be written holds up no other', async (t) => {
  const first = Promise.withResolvers<void>()
  let puts = 0
  const put = () => (++puts === 1 ? first.promise : Promise.resolve())
  const index = { has: async () => new Set<string>(), record: async () => undefined }
  const packer = openPacker({ workspace: 'ws_1', workspaceKey: new Uint8Array(32), storage: { put }, index })
  t.after(() => packer.close())
  await Promise.all(Array.from({ length: 20 }, () => packer.add('file', randomBytes(4 * 1024 * 1024))))
  first.resolve()
  await packer.flush()
  assert.equal(puts, 10)
})

test('packing 200 MB keeps the event loop free and the memory bounded', async (t) => {
  const words = randomBytes(64 * 1024).toString('base64')
  const source = Buffer.from(words.repeat(30))
  const kept: number[] = []
  const storage = {
    put: async (_key: string, bytes: Uint8Array) => {
      await pause(30)
      kept.push(bytes.length)
    },
  }
  const index = { has: async () => new Set<string>(), record: async () => undefined }
  const packer = openPacker({ workspace: 'ws_1', workspaceKey: new Uint8Array(32), storage, index })
  t.after(() => packer.close())
  await packer.add('file', Buffer.from('warm'))
  const before = process.memoryUsage().rss
  let most = before
  const [ours, all] = [process.threadCpuUsage(), process.cpuUsage()]
  for (let added = 0, i = 0; added < 200_000_000; i++) {
    const piece = i % 3 === 0 ? randomBytes(2_000_000) : Buffer.concat([Buffer.from(`${i}`), source.subarray(i * 999, i * 999 + 1_500_000)])
    added += piece.length
    await packer.add('file', piece)
    most = Math.max(most, process.memoryUsage().rss)
  }
  await packer.flush()
  const ms = ({ user, system }: NodeJS.CpuUsage) => Math.round((user + system) / 1000)
  const [here, everywhere] = [ms(process.threadCpuUsage(ours)), ms(process.cpuUsage(all))]
  const growth = (most - before) / 1e6
  t.diagnostic(
    `${here} ms of ${everywhere} ms of CPU in this thread, memory +${growth.toFixed(0)} MB to ${(most / 1e6).toFixed(0)} MB, ${kept.length} packs`,
  )
  assert.ok(here < 0.4 * everywhere, `${here} ms of ${everywhere} ms`)
  assert.ok(growth < 220, `grew by ${growth} MB`)
})
