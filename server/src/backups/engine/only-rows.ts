// Stored rows on their way into a dump. What is proven when it arrives is proven again, because older backups were not, and a store is a store.
import { countRows, type RowShape, UnknownRows } from './insert-grammar.ts'
import { PackDamage } from './pack-format.ts'
import type { ReadBlob } from './record-tree.ts'

const LF = 10
const MARK = '-- '
const NOTE = `${MARK}What stood here was no rows of this table. `
/** Longer than any statement that a site may send. */
const MOST_HELD = 128 * 1024 * 1024

/** The same number of bytes, but a statement that is no rows of this table is a comment. */
export async function* onlyRows(part: { blobs: string[]; shape: RowShape }, read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer[] = []
  let size = 0
  for (const id of part.blobs) {
    const piece = asBuffer(await read(id))
    const end = piece.lastIndexOf(LF) + 1
    if (end > 0) {
      const first = piece.indexOf(LF) + 1
      if (size > 0) yield proven(Buffer.concat([...held, piece.subarray(0, first)]), part.shape)
      yield proven(piece.subarray(size > 0 ? first : 0, end), part.shape)
      held = []
      size = 0
    }
    held.push(piece.subarray(end))
    size += piece.length - end
    if (size > MOST_HELD) throw new PackDamage('a part of the rows of the database has no end')
  }
  if (size > 0) yield blank(Buffer.concat(held))
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length)

/** Whole statements. */
function proven(statements: Buffer, shape: RowShape): Buffer {
  let out = statements
  let from = 0
  for (let end = statements.indexOf(LF); end !== -1; end = statements.indexOf(LF, from)) {
    if (!isRows(statements.subarray(from, end), shape)) {
      if (out === statements) out = Buffer.from(statements)
      blank(out.subarray(from, end + 1))
    }
    from = end + 1
  }
  return out
}

function isRows(line: Buffer, shape: RowShape): boolean {
  try {
    countRows(line, shape)
    return true
  } catch (error) {
    if (error instanceof UnknownRows) return false
    throw error
  }
}

/** A comment of that length; what is too short for one is empty lines. */
function blank(bytes: Buffer): Buffer {
  bytes.fill(bytes.length > MARK.length ? '-' : '\n')
  if (bytes.length > MARK.length) bytes.write(NOTE.slice(0, bytes.length - 1), 'latin1')
  bytes[bytes.length - 1] = LF
  return bytes
}
