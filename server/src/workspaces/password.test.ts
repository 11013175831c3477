import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isPassword } from './password.ts'

const password = 'correct horse battery'

test('a password is kept at the usual cost, and known again', async () => {
  const kept = await hashPassword(password)
  assert.match(kept, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.deepEqual([await isPassword(password, kept), await isPassword(`${password} `, kept)], [true, false])
})

test('what was kept at another cost is known again, at that one alone', async () => {
  const kept = await hashPassword(password, { memory: 128, passes: 2, parallelism: 1 })
  assert.match(kept, /\$m=128,t=2,p=1\$/)
  assert.deepEqual([await isPassword(password, kept), await isPassword('another', kept)], [true, false])
  assert.equal(await isPassword(password, kept.replace('t=2', 't=3')), false)
})

test('where nothing is kept, or nothing that is a hash, no password is right', async () => {
  for (const kept of [undefined, '', '$argon2id$v=19$m=65536,t=3,p=1$$', 'plain']) assert.equal(await isPassword(password, kept), false)
})
