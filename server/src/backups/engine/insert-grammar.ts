// One statement of rows, byte by byte: `INSERT INTO `t` (`a`,…) VALUES (…),(…);` with literals and nothing else. A client of MySQL acts on
// some characters outside of texts, so what is not exactly this never reaches one.
import { quoted } from './sql-name.ts'

/** The rows are written in a way that no dump of ours is, so nobody can say what importing them would do. */
export class UnknownRows extends Error {
  override name = 'UnknownRows'
}

/** What the rows of a table look like. */
export type RowShape = { head: Buffer; columns: number }

export function rowShape({ name, columns }: { name: string; columns: readonly { name: string; generated: boolean }[] }): RowShape {
  const stored = columns.filter(({ generated }) => !generated).map((column) => quoted(column.name))
  return { head: Buffer.from(`INSERT INTO ${quoted(name)} (${stored.join(',')}) VALUES `), columns: stored.length }
}

const DIGITS = '0123456789'
const HEX = `${DIGITS}abcdefABCDEF`
const AFTER = { ',': 'value', ')': 'row' }
const EXPONENT = { e: 'e', E: 'e' }
const each = (characters: string, next: string) => Object.fromEntries([...characters].map((character) => [character, next]))

/** What may follow in each state. The first three come first in number, so that they are told from the others by one comparison. */
const GRAMMAR: Record<string, Record<string, string>> = {
  wrong: {},
  value: { "'": 'text', N: 'N', '-': '-', 0: 'zero', ...each(DIGITS.slice(1), 'integer') },
  row: { ',': 'rows', ';': 'end' },
  rows: { '(': 'value' },
  text: { "'": 'over', '\\': '\\' },
  '\\': each('\\\'"0nrZ', 'text'),
  over: AFTER,
  N: { U: 'NU' },
  NU: { L: 'NUL' },
  NUL: { L: 'over' },
  '-': each(DIGITS, 'integer'),
  zero: { ...each(DIGITS, 'integer'), x: '0x', '.': '.', ...EXPONENT, ...AFTER },
  '0x': each(HEX, 'hex'),
  hex: { ...each(HEX, 'hex'), ...AFTER },
  integer: { ...each(DIGITS, 'integer'), '.': '.', ...EXPONENT, ...AFTER },
  '.': each(DIGITS, 'fraction'),
  fraction: { ...each(DIGITS, 'fraction'), ...EXPONENT, ...AFTER },
  e: { ...each(DIGITS, 'exponent'), '+': 'e+', '-': 'e+' },
  'e+': each(DIGITS, 'exponent'),
  exponent: { ...each(DIGITS, 'exponent'), ...AFTER },
  end: {},
}
// Written as escapes by every connector; some clients end a line, or the file, at them.
const NEVER_IN_TEXT = [0, 10, 13, 26]
const NAMES = Object.keys(GRAMMAR)
const NEXT = tableOf(GRAMMAR)
const TEXT = NAMES.indexOf('text')
const TEXT_AT = TEXT << 8
const [WRONG, VALUE, ROW, ROWS, END] = [0, 1, 2, NAMES.indexOf('rows'), NAMES.indexOf('end')]

function tableOf(grammar: typeof GRAMMAR): Uint8Array {
  const table = new Uint8Array(NAMES.length << 8)
  const text = NAMES.indexOf('text')
  for (let byte = 0; byte < 256; byte++) if (!NEVER_IN_TEXT.includes(byte)) table[(text << 8) | byte] = text
  for (const [name, follow] of Object.entries(grammar))
    for (const [character, next] of Object.entries(follow))
      table[(NAMES.indexOf(name) << 8) | character.charCodeAt(0)] = NAMES.indexOf(next)
  return table
}

/** How many rows a statement has; its line feed is not part of `line`. */
export function countRows(line: Buffer, { head, columns }: RowShape): number {
  if (line.length < head.length || head.compare(line, 0, head.length) !== 0)
    throw new UnknownRows('a statement is not an INSERT into this table')
  let [state, rows, values] = [ROWS, 0, 0]
  for (let at = head.length; at < line.length; at++) {
    state = NEXT[(state << 8) | (line[at] ?? 0)] ?? WRONG
    if (state === TEXT) while (NEXT[TEXT_AT | (line[at + 1] ?? 0)] === TEXT) at += 1
    if (state > ROW) continue
    if (state === WRONG) throw new UnknownRows(`a statement holds something else than values, at byte ${at}`)
    if (state === VALUE) values += 1
    else {
      if (values !== columns) throw new UnknownRows(`a row has ${values} values instead of ${columns}`)
      rows += 1
      values = 0
    }
  }
  if (state !== END) throw new UnknownRows('a statement does not end where it should')
  return rows
}
