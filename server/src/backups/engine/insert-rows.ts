// The rows of a table as the site sends them: statements that end with a line feed, which occurs nowhere else.
import { hash } from 'node:crypto'
import { countRows, type RowShape, UnknownRows } from './insert-grammar.ts'

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

const [LF, TAB, QUOTE, COMMA, CLOSE, BACKSLASH, SMALL_T] = [10, 9, 39, 44, 41, 92, 0x74]

/** Statements come in pieces that may end anywhere; at most one statement is held. */
export class InsertReader {
  readonly #shape: RowShape
  readonly #row: ((row: Uint8Array) => void) | undefined
  #rest: Uint8Array[] = []
  rows = 0

  /** `row` is called with each row as the client's batch mode writes it. The bytes are valid during the call only. */
  constructor(shape: RowShape, row?: (row: Uint8Array) => void) {
    this.#shape = shape
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
    this.rows += countRows(line, this.#shape)
    if (this.#row) printRows(line, this.#shape.head.length, this.#row)
  }
}

const joined = (parts: Uint8Array[]): Buffer => {
  const [only] = parts
  return parts.length === 1 && only ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(parts)
}

/** Of a statement that fits the grammar: the values of each row, between tabs. */
function printRows(line: Buffer, from: number, print: (row: Uint8Array) => void): void {
  const out = Buffer.allocUnsafe(2 * line.length)
  let length = 0
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === QUOTE) ({ at, length } = printText(line, at + 1, out, length))
    else if (line[at] === COMMA) out[length++] = TAB
    else if (line[at] === CLOSE) {
      print(out.subarray(0, length))
      length = 0
      at += 2 // the comma and the parenthesis of the next row, or the end
    } else ({ at, length } = printWord(line, at, out, length))
  }
}

// Tab, line feed, NUL and backslash are escaped by the client; a quote, a carriage return and Ctrl-Z are not.
const PLAIN = new Map([
  [QUOTE, QUOTE],
  [0x22, 0x22],
  [0x72, 13], // \r
  [0x5a, 26], // \Z
])

/** `at` of the answer: the last byte that belongs to the value. */
function printText(line: Buffer, from: number, out: Buffer, to: number): { at: number; length: number } {
  let length = to
  for (let at = from; ; at++) {
    const byte = line[at] ?? QUOTE
    if (byte === QUOTE) return { at, length }
    if (byte === TAB) {
      out[length++] = BACKSLASH
      out[length++] = SMALL_T
    } else if (byte === BACKSLASH) {
      const next = line[++at] ?? 0
      const plain = PLAIN.get(next)
      if (plain === undefined) out[length++] = BACKSLASH
      out[length++] = plain ?? next
    } else out[length++] = byte
  }
}

function printWord(line: Buffer, from: number, out: Buffer, to: number): { at: number; length: number } {
  let end = from
  while (line[end] !== COMMA && line[end] !== CLOSE) end++
  return { at: end - 1, length: to + out.write(printed(line.toString('latin1', from, end)), to, 'latin1') }
}

function printed(word: string): string {
  // HEX() writes capitals and no prefix; a negative zero needs an exponent only where it is put in.
  if (word.startsWith('0x')) return word.slice(2).toUpperCase()
  return word === '-0e0' ? '-0' : word
}
