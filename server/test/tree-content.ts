// What the files of the yardstick tree hold: the same bytes on every machine, from a seed and a label alone.
import { createCipheriv, createHash } from 'node:crypto'

const keyOf = (label: string) => createHash('sha256').update(`yardstick ${label}`).digest()

/** Bytes that do not compress. */
export function noise(label: string, length: number): Buffer {
  const cipher = createCipheriv('aes-256-ctr', keyOf(label), Buffer.alloc(16))
  return cipher.update(Buffer.alloc(length))
}

/** Numbers that look random and are always the same for a label. */
export class Dice {
  readonly #label: string
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #round = 0

  constructor(label: string) {
    this.#label = label
  }

  /** An integer from 0 to below `sides`, which is at most 2^32. */
  roll(sides: number): number {
    if (this.#at + 4 > this.#bytes.length) {
      this.#bytes = noise(`${this.#label} ${this.#round++}`, 16 * 1024)
      this.#at = 0
    }
    const value = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    return value % sides
  }

  pick<T>(from: readonly T[]): T {
    const one = from[this.roll(from.length)]
    if (one === undefined) throw new RangeError('There is nothing to pick from.')
    return one
  }

  /** The beginning of a list much more often than its end. */
  favour<T>(from: readonly T[]): T {
    const shorter = 1 + Math.min(this.roll(from.length), this.roll(from.length), this.roll(from.length))
    return this.pick(from.slice(0, shorter))
  }
}

const syllables = 'ba co du fe gi ho ja ke lu mi no pa qui ra se ti ul va wo xe yo za ster ment tion press load view'.split(' ')
const code = [
  ...[
    'function %(',
    '$% = %;',
    'return $this->%(',
    "'%' => '%',",
    'if (! isset($%)) {',
    'public static function %(',
    '// % % % %\n',
    '}\n\n',
  ],
  ...["add_action('%', '%');", 'echo esc_html(%);', 'array(%, %)', 'foreach ($% as $%) {\n', '\n\t\t', '\n\t', '.% { color: #%; }\n'],
]
const vocabularySize = 3_000
const proseBytes = 2 * 1024 * 1024

function makeVocabulary(): string[] {
  const dice = new Dice('vocabulary')
  return Array.from({ length: vocabularySize }, () => Array.from({ length: 1 + dice.roll(4) }, () => dice.pick(syllables)).join(''))
}

/** One long stretch of source code; files are patched together from pieces of it, so they share words but no long runs. */
function makeProse(): Buffer {
  const dice = new Dice('prose')
  const parts: string[] = []
  for (let length = 0; length < proseBytes; ) {
    const part = dice.pick(code).replaceAll('%', () => dice.favour(vocabulary))
    parts.push(part)
    length += part.length
  }
  return Buffer.from(parts.join(''), 'latin1').subarray(0, proseBytes)
}

export const vocabulary = makeVocabulary()
const prose = makeProse()

/** Text that compresses like source code, about four to one. */
export function sourceCode(label: string, length: number): Buffer {
  const dice = new Dice(label)
  const text = Buffer.alloc(length)
  let at = text.write(`<?php // ${label}\n`, 'latin1')
  while (at < length) {
    const from = dice.roll(prose.length - 256)
    at += prose.copy(text, at, from, from + 20 + dice.roll(150))
    if (at < length && dice.roll(2) === 0) at += text.write(` ${dice.roll(1e9).toString(36)} `, at, 'latin1')
  }
  return text
}

/** Begins and ends as a JPEG does; what is between does not compress. */
export function picture(label: string, length: number): Buffer {
  const bytes = noise(label, length)
  Buffer.from('ffd8ffe000104a46494600010100004800480000', 'hex').copy(bytes)
  if (length > 100) bytes.writeUInt16BE(0xffd9, length - 2)
  return bytes
}

/** Of one row of the table; `version` tells how often it was edited. */
export function postRow(id: number, version: number): string {
  const dice = new Dice(`row ${id} ${version}`)
  const from = dice.roll(prose.length - 2_000)
  const text = prose
    .toString('latin1', from, from + 200 + dice.roll(1_250))
    .replace(/[\\']/g, '\\$&')
    .replaceAll('\n', '\\n')
  return `(${id},'Post ${id}','${text}','${keyOf(`mark ${id} ${version}`).toString('hex', 0, 16)}')`
}
