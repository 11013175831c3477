import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from './table.ts'
import { bytes, clean, cut, duration, relative, widthOf } from './text.ts'

const now = new Date('2026-05-01T12:00:00Z')

test('a table is no wider than the terminal: columns are cut, then the last ones left out and named; then rows are blocks', () => {
  const rows = [[{ text: 'a'.repeat(30) }, { text: 'b'.repeat(30) }, { text: 'c'.repeat(30) }]]
  const at = (width: number) => table(['ONE', 'TWO', 'THREE'], rows, width, false).lines
  for (const width of [20, 40, 50, 60, 62, 80, 94, 100]) for (const line of at(width)) assert.ok(widthOf(line) <= width, `${width}`)
  const cells = (width: number) =>
    at(width)[1]
      ?.split('  ')
      .map((cell) => cell.length)
  assert.deepEqual(
    [cells(100), cells(70), cells(61)],
    [
      [30, 30, 30],
      [30, 18, 18],
      [30, 29],
    ],
  )
  assert.deepEqual(table(['ONE', 'TWO', 'THREE'], rows, 61, false).hidden, ['THREE'])
  assert.deepEqual(at(40), [`one: ${'a'.repeat(30)}`, `  two: ${'b'.repeat(30)}`, `  three: ${'c'.repeat(30)}`])
})

test('prose goes below its row where there is no room beside it, and not into a column that is cut', () => {
  const rows = [
    [{ text: 'failed' }, { text: 'The front page answers with 500 after the update.' }, { text: 'job_1' }],
    [{ text: 'done' }, { text: '–' }, { text: 'job_2' }],
  ]
  const { lines, hidden } = table(['STATUS', 'REASON', 'ID'], rows, 40, false)
  assert.deepEqual(lines, [
    'STATUS  ID',
    'failed  job_1',
    '  reason: The front page answers with',
    '  500 after the update.',
    'done    job_2',
  ])
  assert.deepEqual(hidden, [])
})

test('of prose the longest goes below first, and the rest stays beside where there is room for it', () => {
  const rows = [
    [{ text: 'Cut the hedge and swept the whole path' }, { text: 'x '.repeat(60).trim() }, { text: 'The hedge was cut as agreed in May' }],
  ]
  const at = (width: number) => table(['ID', 'NOTES', 'SUMMARY'], rows, width, false).lines
  assert.match(at(80)[0] ?? '', /^ID +SUMMARY$/)
  assert.match(at(80)[2] ?? '', /^ {2}notes: x x/)
  assert.match(at(60).join('\n'), /^ID\n.*\n {2}notes: x[ x\n]*\n {2}summary: The hedge/)
})

test('wide letters are counted as two columns', () => {
  assert.equal(widthOf('日本'), 4)
  assert.equal(cut('日本語', 5), '日本…')
  const [head, row] = table(['NAME', 'X'], [[{ text: '日本語' }, { text: 'y' }]], 80, false).lines
  assert.equal(widthOf(head?.slice(0, head.indexOf('X')) ?? ''), widthOf(row?.slice(0, row.indexOf('y')) ?? ''))
})

test('numbers stand to the right under a heading that does too', () => {
  assert.deepEqual(
    table(
      ['N', 'M'],
      [
        [{ text: '1', right: true }, { text: 'x' }],
        [{ text: '100', right: true }, { text: 'x' }],
      ],
      80,
      false,
    ).lines,
    ['  N  M', '  1  x', '100  x'],
  )
})

test('colours only where they are wanted', () => {
  assert.equal(table(['S'], [[{ text: 'failed', paint: 'red' }]], 80, true).lines[1], '\x1b[31mfailed\x1b[0m')
  assert.equal(table(['S'], [[{ text: 'failed', paint: 'red' }]], 80, false).lines[1], 'failed')
})

test('text from outside cannot steer the terminal', () => {
  assert.equal(clean('a\x1b]0;b\x07\u202ec\nd'), 'a]0;bc d')
})

test('bytes, durations and times read as people say them', () => {
  assert.deepEqual([0, 999, 1000, 1_536_000, 12_000_000_000].map(bytes), ['0 B', '999 B', '1.0 kB', '1.5 MB', '12 GB'])
  assert.deepEqual([5, 95, 3700, 7200, 200_000].map(duration), ['5 s', '1 min 35 s', '1 h 1 min', '2 h', '2 d'])
  const ago = (seconds: number) => relative(new Date(now.getTime() - seconds * 1000).toISOString(), now)
  assert.deepEqual([1, 30, 300, 7200, 200_000, -7200].map(ago), ['now', '30 s ago', '5 min ago', '2 h ago', '2 d ago', 'in 2 h'])
  assert.equal(relative('2025-01-02T03:04:05Z', now), '2025-01-02')
})
