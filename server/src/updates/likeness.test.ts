import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columns } from '../platform/photograph.ts'
import { beforeOf, compare } from './likeness.ts'

const rows = 60
type Draw = (row: number, column: number) => number
const squares = (draw: Draw) => Uint8Array.from({ length: rows * columns }, (_, at) => draw(Math.floor(at / columns), at % columns))
/** Paragraphs of uneven lines, in a column, each unlike the others. */
const text: Draw = (row, column) => (row % 4 === 3 || column < 8 || column > 60 ? 0 : 40 + ((row * 37 + column * 11) % 90))
const page = squares(text)
const steady = beforeOf(page, page)
const nothing = squares(() => 0)

test('the same page is alike', () => assert.deepEqual(compare(steady, page), { verdict: 'alike', likeness: 1 }))

test('a page on which nothing is drawn any more is blank', () => assert.equal(compare(steady, nothing).verdict, 'blank'))

test('a page that moved down below a new notice is alike', () => {
  const moved = squares((row, column) => (row < 6 ? 30 : text(row - 6, column)))
  const { verdict, likeness } = compare(steady, moved)
  assert.equal(verdict, 'alike')
  assert.ok((likeness ?? 0) > 0.8, String(likeness))
})

test('a page that is there three quarters is alike, one that is there a quarter is not', () => {
  assert.equal(
    compare(
      steady,
      squares((row, column) => (row < 45 ? text(row, column) : 0)),
    ).verdict,
    'alike',
  )
  assert.equal(
    compare(
      steady,
      squares((row, column) => (row < 15 ? text(row, column) : 0)),
    ).verdict,
    'unlike',
  )
})

test('a picture that covers the page is another page, however much is drawn in it', () =>
  assert.equal(
    compare(
      steady,
      squares(() => 255),
    ).verdict,
    'unlike',
  ))

test('what differed between the two before says nothing', () => {
  const banner = (by: number) => squares((row, column) => (row < 20 ? (row * by + column * 7) % 200 : text(row, column)))
  const known = beforeOf(banner(31), banner(53))
  const seen = compare(known, banner(97))
  assert.ok(seen.verdict === 'alike' && seen.likeness > 0.95, JSON.stringify(seen))
  assert.equal(
    compare(
      known,
      squares((row) => (row < 20 ? 100 : 0)),
    ).verdict,
    'unlike',
    'what is steady still decides',
  )
})

test('a page that is another one each time, and one with nothing on it, are not judged', () => {
  const chance = (by: number) => squares((row, column) => ((row * by) ^ (column * 17 * by)) % 250)
  assert.deepEqual(compare(beforeOf(chance(31), chance(57)), chance(91)), {
    verdict: 'unknown',
    likeness: null,
    reason: 'Most of the page is another each time it is looked at.',
  })
  assert.match(String(JSON.stringify(compare(beforeOf(nothing, nothing), nothing))), /too little/)
})
