// Which ranges of a table are as they were, and which have to be read. The bounds of the backup before are kept, so that what did not
// change is found again: rows that came in between make a range larger until the site tells it in parts, rows at the end are new ranges.
import type { Result } from '../../connector/commands.ts'
import { malformed } from '../../connector/slice.ts'
import type { TableRange } from './manifest.ts'
import { joinDigests, NO_ROWS } from './range-digest.ts'
import { rowsOf } from './skipped-rows.ts'

export type FoundRange = Result<'db.digests'>['tables'][number]['ranges'][number]
export type Key = string[] | null

/** One range of the table as it is now; `known`: it is this one of before, to the last bit. At its end `next` ranges of before are passed. */
export type Piece = { after: Key; until: Key; rows: number; bytes: number; digest: string | null; known: TableRange | null; next: number }

/** About as many bytes of rows are one range. */
export const RANGE_BYTES = 512 * 1024
const MAX_RANGES = 1_000_000

const nameOf = (key: Key) => JSON.stringify(key)

/** `readAll`: nothing is as it was before; `next`, `after`: where an earlier attempt had come to. */
export type Beginning = { readAll: boolean; next?: number | undefined; after?: Key | undefined }

/** Walks through the ranges of one table beside those of before. */
export class RangePlan {
  readonly table: string
  readonly #before: TableRange[]
  readonly #readAll: boolean
  readonly #seen = new Set<string>()
  #next: number
  #after: Key
  /** False behind a part that ended within a range of before. */
  #atBound = true
  ended = false

  constructor(table: string, before: TableRange[], { readAll, next = 0, after = null }: Beginning) {
    this.table = table
    this.#before = before
    this.#readAll = readAll
    this.#next = next
    this.#after = after
  }

  get after(): Key {
    return this.#after
  }

  /** How many ranges of before were passed. */
  get next(): number {
    return this.#next
  }

  /** The ranges of before that come next, at most so many. */
  ahead(most: number): TableRange[] {
    return this.#before.slice(this.#next, this.#next + most)
  }

  /** Whether these are all that are left. */
  isLast(ahead: TableRange[]): boolean {
    return this.#next + ahead.length === this.#before.length
  }

  /** Takes what the site told; `last`: of this table there is no more. */
  take(found: FoundRange[], last: boolean): Piece[] {
    if (found.length === 0 && !last) throw malformed('The site’s digests of a table do not move on.', { named: this.table })
    const pieces = found.map((range) => this.#takeOne(range))
    this.ended = last
    return pieces.reduce<Piece[]>(join, [])
  }

  #takeOne({ until, rows, bytes, digest }: FoundRange): Piece {
    const name = nameOf(until)
    if (this.#seen.has(name) || this.#seen.size > MAX_RANGES)
      throw malformed('The site’s digests of a table do not move on.', { named: this.table })
    this.#seen.add(name)
    const before = this.#before[this.#next]
    const ends = before !== undefined && nameOf(before.until) === name
    const same = !this.#readAll && ends && this.#atBound && digest !== null && before.digest === digest && rowsOf(before) === rows
    const after = this.#after
    this.#after = until
    this.#atBound = ends || this.#next >= this.#before.length
    if (ends) this.#next += 1
    return { after, until, rows, bytes, digest, known: same ? { ...before, after } : null, next: this.#next }
  }
}

/** A range without rows becomes part of its neighbour, and small ones that are read anyway become one. */
function join(pieces: Piece[], piece: Piece): Piece[] {
  const last = pieces.at(-1)
  const joined = last && joinPieces(last, piece)
  if (joined) pieces[pieces.length - 1] = joined
  else pieces.push(piece)
  return pieces
}

function joinPieces(one: Piece, other: Piece): Piece | undefined {
  const { until, next } = other
  if (isEmpty(other)) return { ...one, until, next, known: one.known && { ...one.known, until } }
  if (isEmpty(one)) return { ...other, after: one.after, known: other.known && { ...other.known, after: one.after } }
  if (one.known || other.known || one.digest === null || other.digest === null) return undefined
  if (one.bytes + other.bytes > RANGE_BYTES) return undefined
  const [rows, bytes] = [one.rows + other.rows, one.bytes + other.bytes]
  return { after: one.after, until, rows, bytes, digest: joinDigests(one.digest, other.digest), known: null, next }
}

const isEmpty = ({ rows, digest }: Piece) => rows === 0 && digest === NO_ROWS
