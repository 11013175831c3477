// The rows of a table as the site sends them: `INSERT INTO `t` (`a`,…) VALUES (…),(…);` and a line feed, which occurs nowhere else.
import { hash } from 'node:crypto'

/** The rows are written in a way that no dump of ours is, so nobody can say what importing them would do. */
export class UnknownRows extends Error {
  override name = 'UnknownRows'
}

/** Rows of one table, in any order: how many, and the sums of their digests. */
export interface RowSum {
  rows: number
  words: Uint32Array
}

export const noRows = (): RowSum => ({ rows: 0, words: new Uint32Array(4) })
export const sameRows = (one: RowSum, other: RowSum) => one.rows === other.rows && one.words.every((word, i) => word === other.words[i])

/** One row as the batch mode of MySQL's client writes it, without the line feed. */
export function addRow(sum: RowSum, row: Uint8Array): void {
  sum.rows += 1
  const digest = hash('md5', row, 'buffer')
  for (let i = 0; i < 4; i++) sum.words[i] = (sum.words[i] ?? 0) + digest.readUInt32LE(4 * i)
}

const [LF, TAB, QUOTE, COMMA, OPEN, CLOSE, SEMICOLON, BACKSLASH] = [10, 9, 39, 44, 40, 41, 59, 92]
const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** How each statement of this table begins. */
const beginning = (table: string, columns: readonly string[]) =>
  Buffer.from(`INSERT INTO ${quoted(table)} (${columns.map(quoted).join(',')}) VALUES `)

/** Statements come in pieces that may end anywhere; at most one statement is held. */
export class InsertReader {
  readonly #head: Buffer
  readonly #columns: number
  readonly #row: (row: Uint8Array) => void
  #rest: Uint8Array[] = []

  /** `row` is called with each row as the client's batch mode writes it. The bytes are valid during the call only. */
  constructor(table: string, columns: readonly string[], row: (row: Uint8Array) => void) {
    this.#head = beginning(table, columns)
    this.#columns = columns.length
    this.#row = row
  }

  push(piece: Uint8Array): void {
    let from = 0
    for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, from)) {
      this.#statement(joined([...this.#rest.splice(0), piece.subarray(from, end)]))
      from = end + 1
    }
    if (from < piece.length) this.#rest.push(piece.subarray(from))
  }

  end(): void {
    if (this.#rest.length > 0) throw new UnknownRows('the last statement has no end')
  }

  #statement(line: Buffer): void {
    if (!line.subarray(0, this.#head.length).equals(this.#head)) throw new UnknownRows('a statement is not an INSERT into this table')
    const out = Buffer.allocUnsafe(2 * line.length)
    let at = this.#head.length
    do {
      const row = readRow(line, at, out)
      if (row.columns !== this.#columns) throw new UnknownRows(`a row has ${row.columns} values instead of ${this.#columns}`)
      this.#row(out.subarray(0, row.length))
      at = row.end
    } while (line[at++] === COMMA)
    if (line[at - 1] !== SEMICOLON || at !== line.length) throw new UnknownRows('a statement does not end where it should')
  }
}

const joined = (parts: Uint8Array[]): Buffer => {
  const [only] = parts
  return parts.length === 1 && only ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(parts)
}

/** Reads `(…)` and writes its values between tabs. */
function readRow(line: Buffer, from: number, out: Buffer): { columns: number; length: number; end: number } {
  if (line[from] !== OPEN) throw new UnknownRows('a row does not begin where it should')
  let at = from
  let length = 0
  let columns = 0
  do {
    if (columns > 0) out[length++] = TAB
    columns += 1
    const value = line[at + 1] === QUOTE ? readText(line, at + 2, out, length) : readWord(line, at + 1, out, length)
    at = value.end
    length = value.length
  } while (line[at] === COMMA)
  if (line[at] !== CLOSE) throw new UnknownRows('a row does not end where it should')
  return { columns, length, end: at + 1 }
}

// Tab, line feed, NUL and backslash are escaped by the client; a quote, a carriage return and Ctrl-Z are not.
const AS_IT_IS = new Set([BACKSLASH, 0x30, 0x6e]) // \\ \0 \n
const PLAIN = new Map([
  [QUOTE, QUOTE],
  [0x22, 0x22],
  [0x72, 13], // \r
  [0x5a, 26], // \Z
])

function readText(line: Buffer, from: number, out: Buffer, to: number): { end: number; length: number } {
  let length = to
  for (let at = from; ; at++) {
    const byte = line[at]
    if (byte === undefined) throw new UnknownRows('a text has no end')
    if (byte === QUOTE) return { end: at + 1, length }
    if (byte === TAB) {
      out[length++] = BACKSLASH
      out[length++] = 0x74 // t
    } else if (byte === BACKSLASH) {
      const next = line[++at] ?? 0
      const plain = PLAIN.get(next)
      if (plain === undefined && !AS_IT_IS.has(next)) throw new UnknownRows('a text holds an escape that is not ours')
      if (plain === undefined) out[length++] = BACKSLASH
      out[length++] = plain ?? next
    } else out[length++] = byte
  }
}

const WORD = /^(NULL|0x[0-9A-Fa-f]+|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/

function readWord(line: Buffer, from: number, out: Buffer, to: number): { end: number; length: number } {
  let end = from
  while (end < line.length && line[end] !== COMMA && line[end] !== CLOSE) end++
  const word = line.toString('latin1', from, end)
  if (!WORD.test(word)) throw new UnknownRows('a value is none that a dump of ours holds')
  return { end, length: to + out.write(printed(word), to, 'latin1') }
}

function printed(word: string): string {
  // HEX() writes capitals and no prefix; a negative zero needs an exponent only where it is put in.
  if (word.startsWith('0x')) return word.slice(2).toUpperCase()
  return word === '-0e0' ? '-0' : word
}

const QUOTES = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`/gs
// Read by every server there is, so what is in it is no comment.
const CONDITION = /\/\*!50[0-6]\d\d /g

/** Whether this is one CREATE of a table or a view, and nothing behind it. */
export function isOneCreate(sql: string): boolean {
  if (!/^CREATE (?:TABLE |(?:[^`'"();]|`(?:[^`]|``)*`)*VIEW )/.test(sql)) return false
  const bare = sql.replace(QUOTES, '').replace(CONDITION, '').trimEnd().replace(/;$/, '')
  return !/[;'"`\0#\\]|--|\/\*|delimiter/i.test(bare)
}
