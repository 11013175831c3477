import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { ObjectMissing, type Storage, type StoredObject } from '../src/platform/storage.ts'

/** What every back end must do. `open` answers an empty storage. */
export function storageConformance(name: string, open: () => Promise<Storage>): void {
  // A suite of its own: its hook comes after those of the file.
  describe(name, () => {
    let storage: Storage
    before(async () => {
      storage = await open()
    })

    const listed = async (prefix: string) => {
      const found: StoredObject[] = []
      for await (const object of storage.list(prefix)) found.push(object)
      return found
    }

    test('an object comes back byte for byte, whole and in parts', async () => {
      const bytes = randomBytes(300_000)
      await storage.put('whole/object-1.bin', bytes)
      assert.deepEqual(await storage.get('whole/object-1.bin'), bytes)
      assert.deepEqual(await storage.get('whole/object-1.bin', { offset: 1000, length: 70_000 }), bytes.subarray(1000, 71_000))
      assert.deepEqual(await storage.get('whole/object-1.bin', { offset: 299_990, length: 100 }), bytes.subarray(299_990))
      assert.equal((await storage.get('whole/object-1.bin', { offset: 400_000, length: 100 })).length, 0)
      assert.deepEqual(await storage.stat('whole/object-1.bin'), { size: 300_000 })
    })

    test('an empty object is an object', async () => {
      await storage.put('empty', Buffer.alloc(0))
      assert.deepEqual(await storage.get('empty'), Buffer.alloc(0))
      assert.deepEqual(await storage.stat('empty'), { size: 0 })
    })

    test('a second put replaces the first', async () => {
      await storage.put('replaced/a', Buffer.from('a longer first one'))
      await storage.put('replaced/a', Buffer.from('second'))
      assert.equal((await storage.get('replaced/a')).toString(), 'second')
      assert.deepEqual(await listed('replaced/'), [{ key: 'replaced/a', size: 6 }])
    })

    test('a missing object is said to be missing, and deleting it is fine', async () => {
      await assert.rejects(storage.get('missing/a'), ObjectMissing)
      await assert.rejects(storage.get('missing/a', { offset: 0, length: 1 }), ObjectMissing)
      assert.equal(await storage.stat('missing/a'), undefined)
      assert.deepEqual(await listed('missing/'), [])
      await storage.delete('missing/a')
    })

    test('a deleted object is gone', async () => {
      await storage.put('gone/a', Buffer.from('a'))
      await storage.delete('gone/a')
      assert.equal(await storage.stat('gone/a'), undefined)
      assert.deepEqual(await listed('gone/'), [])
    })

    test('a list holds every key that begins with the prefix, in byte order', async () => {
      const keys = ['l/a', 'l/a-b/x', 'l/a.b', 'l/a0', 'l/aa/1', 'l/aa/2', 'l/b/c/d/e', 'l2/z']
      for (const key of [...keys].reverse()) await storage.put(key, Buffer.from(key))
      const expected = (prefix: string) => keys.filter((key) => key.startsWith(prefix)).sort()
      for (const prefix of ['l/', 'l', 'l/a', 'l/aa/', 'l/aa', 'l/b/c', 'l/x']) {
        assert.deepEqual(
          (await listed(prefix)).map(({ key }) => key),
          expected(prefix),
          prefix,
        )
      }
      assert.deepEqual((await listed('l2/'))[0], { key: 'l2/z', size: 4 })
    })

    test('of sixteen writers of one key one wins whole, and readers never see a mixture', async () => {
      const versions = Array.from({ length: 16 }, (_, number) => Buffer.alloc(50_000, number))
      await storage.put('raced', versions[0] ?? Buffer.alloc(1))
      const reading = Promise.all(Array.from({ length: 16 }, () => storage.get('raced')))
      await Promise.all(versions.map((version) => storage.put('raced', version)))
      for (const seen of [...(await reading), await storage.get('raced')]) {
        assert.ok(seen.length === 50_000 && seen.every((byte) => byte === seen[0]))
      }
    })

    test('a key that could mean another place is refused by every function', async () => {
      const bad = [
        '',
        '/',
        '/a',
        'a/',
        'a//b',
        '.',
        '..',
        'a/../b',
        '../a',
        'a/.b',
        '.unfinished/a',
        'a\\b',
        'a\0b',
        'a b',
        'ä',
        'a\n',
        'x'.repeat(600),
      ]
      for (const key of bad) {
        await assert.rejects(async () => storage.put(key, Buffer.from('x')), RangeError, JSON.stringify(key))
        await assert.rejects(async () => storage.get(key), RangeError)
        await assert.rejects(async () => storage.stat(key), RangeError)
        await assert.rejects(async () => storage.delete(key), RangeError)
      }
    })
  })
}
