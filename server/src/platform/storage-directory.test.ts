import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { storageConformance } from '../../test/storage-conformance.ts'
import { openStorage } from './installation.ts'
import { openDirectoryStorage } from './storage-directory.ts'

const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-storage-'))
const root = path.join(parent, 'deep/objects')
after(() => fs.rmSync(parent, { recursive: true }))

storageConformance('directory', () => openDirectoryStorage(root))

test('objects are readable by us only, and nothing is left outside the root or unfinished', () => {
  assert.deepEqual(fs.readdirSync(path.join(root, '.unfinished')), [])
  assert.equal(fs.statSync(path.join(root, 'raced')).mode & 0o777, 0o600)
  assert.equal(fs.statSync(root).mode & 0o777, 0o700)
  assert.deepEqual(fs.readdirSync(path.join(parent, 'deep')), ['objects'])
})

test('a place where nothing can be kept is refused at once, with the setting', async () => {
  for (const storageUrl of ['/proc/svc/objects', `file://${parent}/deep/objects/raced/below`]) {
    await assert.rejects(openStorage({ storageUrl, dataDir: '/nonexistent' }), ({ name, message }: Error) => {
      assert.equal(name, 'Refusal')
      assert.match(message, /^SERVICE_STORAGE_URL: the storage directory \/\S+ cannot be used: E/)
      return true
    })
  }
  await assert.rejects(openDirectoryStorage('/proc/svc/objects'), { code: 'ENOENT' })
})

test('a failed put leaves nothing behind', async () => {
  const storage = await openDirectoryStorage(root)
  await assert.rejects(storage.put('raced/below', Buffer.from('x')), { code: 'ENOTDIR' })
  assert.deepEqual(fs.readdirSync(path.join(root, '.unfinished')), [])
})

test('opening removes what a killed writer left behind, but not what another one is writing now', async () => {
  const [old, fresh] = ['old', 'fresh'].map((name) => path.join(root, '.unfinished', name))
  for (const file of [old, fresh]) fs.writeFileSync(file ?? '', 'x')
  fs.utimesSync(old ?? '', 0, 0)
  await openDirectoryStorage(root)
  assert.deepEqual(fs.readdirSync(path.join(root, '.unfinished')), ['fresh'])
})
