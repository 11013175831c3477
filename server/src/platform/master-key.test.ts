import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { loadMasterKey, masterKeyOf, open, seal } from './master-key.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-key-'))
after(() => fs.rmSync(folder, { recursive: true }))

const key = masterKeyOf(randomBytes(32))

test('the first start makes a key only we can read, later ones use it', () => {
  const file = path.join(folder, 'new/master.key')
  const first = loadMasterKey(file)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(loadMasterKey(file), first)
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ['master.key'])
})

test('where the kernel makes no folders, a key is refused at once', () => {
  assert.throws(() => loadMasterKey('/proc/svc/keys/master.key'), { code: 'ENOENT' })
})

test('a key that others can read, or that is no key, is refused with what to do', () => {
  const file = path.join(folder, 'master.key')
  fs.writeFileSync(file, `${'ab'.repeat(32)}\n`, { mode: 0o644 })
  assert.throws(() => loadMasterKey(file), {
    name: 'Refusal',
    message: `the master key ${file} is readable by other users; run: chmod 600 ${file}`,
  })
  fs.chmodSync(file, 0o600)
  assert.equal(loadMasterKey(file).bytes.length, 32)
  fs.writeFileSync(file, 'short\n')
  assert.throws(() => loadMasterKey(file), /does not hold 64 hexadecimal digits/)
})

test('what was sealed opens again, and the same text never looks the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (plaintext, context) => {
      assert.deepEqual(open(key, seal(key, plaintext, context), context), Buffer.from(plaintext))
    }),
  )
  assert.notDeepEqual(seal(key, Buffer.from('same'), 'a'), seal(key, Buffer.from('same'), 'a'))
})

test('another context, another key and any changed bit are refused', () => {
  const sealed = seal(key, Buffer.from('a secret'), 'site site_1')
  const refusal = /unable to authenticate|sealed with another master key|not a sealed value of a known version/
  assert.throws(() => open(key, sealed, 'site site_2'), /unable to authenticate/)
  assert.throws(() => open(masterKeyOf(randomBytes(32)), sealed, 'site site_1'), /sealed with another master key/)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => open(key, changed, 'site site_1'), refusal, `bit ${bit}`)
  }
  for (let length = 0; length < sealed.length; length++) assert.throws(() => open(key, sealed.subarray(0, length), 'site site_1'), refusal)
})
