import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '../../test/authenticator.ts'
import { offerOf, stepOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')
const typed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('the codes are those of RFC 6238, appendix B', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ]
  for (const [seconds, code] of vectors) {
    assert.equal(stepOf(secret, code.slice(2), new Date(seconds * 1000)), Math.floor(seconds / 30))
    assert.equal(codeOf(typed, new Date(seconds * 1000)), code.slice(2))
  }
})

test('a code is known in its step and in the one before and after, and nowhere else', () => {
  const at = new Date(1_111_111_111_000)
  const step = Math.floor(1_111_111_111 / 30)
  const codeIn = (steps: number) => codeOf(typed, new Date((step + steps) * 30_000))
  for (const near of [-1, 0, 1]) assert.equal(stepOf(secret, codeIn(near), at), step + near)
  for (const far of [-2, 2, 100]) assert.equal(stepOf(secret, codeIn(far), at), undefined)
  for (const odd of ['', '1', '0504711', 'ａ', '😀😀😀']) assert.equal(stepOf(secret, odd, at), undefined)
  // Both ends of a step.
  for (const [seconds, near] of [
    [0, 1],
    [29, 1],
    [30, 0],
    [59, 0],
    [60, -1],
    [89, -1],
  ] as const)
    assert.equal(stepOf(secret, codeIn(0), new Date(((step - 1) * 30 + seconds) * 1000)), step, `${near} steps away`)
})

test('a secret is told as apps read it', () => {
  const { secret: told, uri } = offerOf(secret, { issuer: 'Site fleet (a.example)', account: 'ann+x@example.com' })
  assert.equal(told, typed)
  assert.equal(offerOf(Buffer.from('foobar'), { issuer: 'a', account: 'b' }).secret, 'MZXW6YTBOI', 'RFC 4648')
  const read = new URL(uri)
  assert.equal(read.protocol, 'otpauth:')
  assert.equal(decodeURIComponent(read.pathname), '/Site fleet (a.example):ann+x@example.com')
  assert.deepEqual(Object.fromEntries(read.searchParams), { secret: typed, issuer: 'Site fleet (a.example)' })
})
