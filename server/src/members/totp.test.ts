import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, codeAt, otpauth, stepAt, stepsOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

test('the codes are those of RFC 6238, appendix B', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(codeAt(secret, stepAt(new Date(seconds * 1000))), code.slice(2))
})

test('a code is known in its step and in the one before and after, and nowhere else', () => {
  const at = new Date(1_111_111_111_000)
  const step = stepAt(at)
  for (const near of [-1, 0, 1]) assert.deepEqual(stepsOf(secret, codeAt(secret, step + near), at), [step + near])
  for (const far of [-2, 2, 100]) assert.deepEqual(stepsOf(secret, codeAt(secret, step + far), at), [])
  for (const odd of ['', '1', '0504711', 'ａ', '😀😀😀']) assert.deepEqual(stepsOf(secret, odd, at), [])
})

test('a secret is told as apps read it', () => {
  assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI', 'RFC 4648')
  const uri = new URL(otpauth('GEZA', { issuer: 'Site fleet (a.example)', account: 'ann+x@example.com' }))
  assert.equal(uri.protocol, 'otpauth:')
  assert.equal(decodeURIComponent(uri.pathname), '/Site fleet (a.example):ann+x@example.com')
  assert.deepEqual(Object.fromEntries(uri.searchParams), { secret: 'GEZA', issuer: 'Site fleet (a.example)' })
})
