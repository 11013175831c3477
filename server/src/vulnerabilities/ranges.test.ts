import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, fixFor, type Range, rangeText } from './ranges.ts'

const cases: [Range, string, string[], string[]][] = [
  [['1.0', '1.2.3', 3], 'from 1.0 up to 1.2.3', ['1.0', '1.1', '1.2.3'], ['0.9', '1.2.4', '1.2.3.1', '']],
  [['1.0', '1.2.3', 1], 'from 1.0 before 1.2.3', ['1.0', '1.2.2', '1.2.3-beta'], ['1.2.3', '0.9']],
  [['1.0', '1.2.3', 2], 'after 1.0 up to 1.2.3', ['1.0.1', '1.2.3'], ['1.0', '1.3']],
  [['1.0', '1.2.3', 0], 'after 1.0 before 1.2.3', ['1.0.1'], ['1.0', '1.2.3']],
  [[null, '1.2.3', 3], 'up to 1.2.3', ['0', '1.2.3', '1.2.3-RC1'], ['1.2.10']],
  [['2.0', null, 3], 'from 2.0', ['2.0', '99'], ['2.0-beta', '1.9']],
  [['2.0', '2.0', 3], '2.0', ['2.0'], ['2.0.0', '1.9']],
  [[null, null, 3], 'all versions', ['1', 'trunk', ''], []],
]
for (const [range, text, inside, outside] of cases)
  test(`${text}: what is in it, and what is not`, () => {
    assert.equal(rangeText(range), text)
    assert.deepEqual(
      [...inside, ...outside].filter((version) => covers(range, version)),
      inside,
    )
  })

test('the fix is the lowest repaired version above the installed one', () => {
  const ranges: Range[] = [
    ['6.1', '6.1.5', 1],
    ['6.2', '6.2.3', 1],
    ['6.3', '6.3.2', 1],
  ]
  const patched = ['6.3.2', '6.1.5', '6.2.3']
  assert.deepEqual(
    ['6.1.1', '6.2', '6.3.1', '6.3.2'].map((version) => fixFor(version, patched, ranges)),
    ['6.1.5', '6.2.3', '6.3.2', null],
  )
  assert.equal(fixFor('1.0', [], []), null)
  assert.equal(fixFor('', ['2.0', '1.10'], [[null, null, 3]]), null, 'what is itself affected is no fix')
})
