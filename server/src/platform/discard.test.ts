import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discard, discardAround } from './discard.ts'

test('a large buffer is given back, and with its surroundings where that is meant', () => {
  const whole = Buffer.alloc(1_000_000, 1)
  discard(whole.subarray(1))
  assert.equal(whole.length, 1_000_000)
  discard(whole)
  assert.equal(whole.length, 0)
  const other = Buffer.alloc(1_000_000, 1)
  discardAround(other.subarray(4, 9))
  assert.equal(other.length, 0)
})

test('what lies in the pool that all small buffers share stays', () => {
  const [mine, foreign] = [Buffer.from('mine'), Buffer.from('foreign')]
  assert.equal(mine.buffer, foreign.buffer)
  discard(mine)
  discardAround(mine)
  assert.equal(foreign.toString(), 'foreign')
  const full = Buffer.from(mine.buffer)
  discard(full)
  assert.equal(foreign.toString(), 'foreign')
})
