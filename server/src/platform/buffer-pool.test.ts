import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { returnBuffer, takeBuffer } from './buffer-pool.ts'

const mb = 1024 * 1024

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => {
  mock.timers.tick(2_000)
  mock.timers.reset()
})

/** A buffer with a mark in it by which it is known again, whatever view of it is looked at. */
function marked(bytes: number, mark: number): Buffer {
  const buffer = takeBuffer(bytes)
  buffer[0] = mark
  return buffer
}

test('what was read into is read into again, and who still looks at the last answer sees nothing of the next', () => {
  const buffer = marked(3 * mb - 5, 7)
  const answer = buffer.subarray(0, 3 * mb - 5)
  returnBuffer(answer.subarray(100, 200))
  assert.deepEqual([buffer.length, answer.length], [0, 0])
  const again = takeBuffer(3 * mb)
  assert.deepEqual([again[0], again.length], [7, 3 * mb])
  assert.notEqual(takeBuffer(3 * mb).buffer, again.buffer)
})

test('the smallest that is large enough is taken, and a larger answer has a new one', () => {
  const buffers = [marked(2 * mb, 2), marked(8 * mb, 8), marked(4 * mb, 4)]
  for (const buffer of buffers) returnBuffer(buffer)
  assert.equal(takeBuffer(3 * mb)[0], 4)
  assert.equal(takeBuffer(9 * mb).length, 9 * mb)
  assert.deepEqual([takeBuffer(mb)[0], takeBuffer(mb)[0]], [2, 8])
})

test('three are kept, the larger ones, for two seconds; small and very large ones are not', () => {
  for (const bytes of [mb - 1, 11 * mb]) {
    const buffer = marked(bytes, 9)
    assert.equal(buffer.length, bytes)
    returnBuffer(buffer)
    assert.equal(buffer.length, 0)
  }
  const buffers = [2, 3, 4, 5].map((n) => marked(n * mb, n))
  for (const buffer of buffers) returnBuffer(buffer)
  const taken = [3, 4, 5].map((n) => takeBuffer(n * mb))
  assert.deepEqual(
    taken.map(([mark]) => mark),
    [3, 4, 5],
  )
  assert.equal(takeBuffer(mb).length, mb, 'the one of two megabytes is gone')
  mock.timers.tick(1_999)
  for (const buffer of taken) returnBuffer(buffer)
  mock.timers.tick(1_999)
  assert.equal(takeBuffer(3 * mb)[0], 3)
  mock.timers.tick(1)
  const sizes = [takeBuffer(4 * mb), takeBuffer(4 * mb)].map(({ length }) => length)
  assert.deepEqual(sizes, [4 * mb, 4 * mb], 'so is the one of five')
})
