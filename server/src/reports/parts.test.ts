import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alike } from './parts.ts'

test('what reads the same is told once, where it comes first, with how often it is there', () => {
  const problems = [
    { kind: 'A setting', site: 'Harbour', id: 1 },
    { kind: 'An account', site: 'Harbour', id: 2 },
    { kind: 'A setting', site: 'Harbour', id: 3 },
    { kind: 'A setting', site: 'Alpine', id: 4 },
  ]
  assert.deepEqual(
    alike(problems, ({ kind, site }) => [kind, site]),
    [
      { cells: ['A setting', 'Harbour'], n: 2 },
      { cells: ['An account', 'Harbour'], n: 1 },
      { cells: ['A setting', 'Alpine'], n: 1 },
    ],
  )
})
