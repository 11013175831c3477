import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUntouched, TOO_LARGE } from './untouched.ts'

test('only a file above what is read through, with the same size, times and inode, is taken as unchanged', () => {
  const size = TOO_LARGE + 1
  const entry = { size, mtime: 5, ctime: 6, inode: 7 }
  const live = { s: size, mt: 5, ct: 6, i: 7 }
  assert.equal(isUntouched(entry, live), true)
  for (const other of [{ s: size + 1 }, { mt: 6 }, { ct: 7 }, { i: 8 }]) assert.equal(isUntouched(entry, { ...live, ...other }), false)
  assert.equal(isUntouched({ ...entry, inode: 0 }, { ...live, i: 0 }), false)
  assert.equal(isUntouched({ ...entry, size: TOO_LARGE }, { ...live, s: TOO_LARGE }), false)
})
