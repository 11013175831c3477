import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from './ids.ts'
import { freshBytes } from './random.ts'

test('ids begin with their time, and sort by it', () => {
  const times = [0, 1, 31, 32, 2 ** 32 - 1, 2 ** 32, 1_764_000_000_000, 2 ** 48 - 1]
  const ids = times.map((time) => newId('site', new Date(time)))
  assert.deepEqual(ids.toSorted(), ids)
  assert.ok(ids.every((id) => /^site_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)))
  assert.deepEqual(
    ids.map((id) => id.slice(5, 15)),
    ['0000000000', '0000000001', '000000000z', '0000000010', '0003zzzzzz', '0004000000', '01kav9ft00', '7zzzzzzzzz'],
  )
})

test('no two of one moment are the same, and all that chance may take is taken', () => {
  const ids = new Set(Array.from({ length: 20_000 }, () => newId('job', new Date(0)).slice(14)))
  assert.equal(ids.size, 20_000)
  for (let place = 0; place < 16; place++) assert.equal(new Set([...ids].map((id) => id[place])).size, 32)
})

test('what was given stays as it was when more is asked of the kernel', () => {
  const given = Array.from({ length: 1_000 }, () => freshBytes(22))
  const then = given.map((bytes) => bytes.toString('hex'))
  freshBytes(4_096)
  assert.deepEqual(
    given.map((bytes) => bytes.toString('hex')),
    then,
  )
  assert.equal(new Set(then).size, 1_000)
})
