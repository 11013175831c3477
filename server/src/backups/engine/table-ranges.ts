import { type Rows, SKIP_ABOVE } from '../../connector/call.ts'
import type { Params, Result } from '../../connector/commands.ts'
import { malformed } from '../../connector/slice.ts'
import { rowShape, UnknownRows } from './insert-grammar.ts'
import { InsertReader } from './insert-rows.ts'
import type { SkippedRow, TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import type { Key, Piece } from './range-plan.ts'
import { rowsOf, withSkipped } from './skipped-rows.ts'
import type { SliceSize } from './slice-size.ts'

export type Table = Result<'db.tables'>['tables'][number]
export type Position = { after: Key; offset: number; done: boolean }
export type ReadRows = (params: Params<'db.rows'>, signal: AbortSignal) => Promise<Rows>
export type RangeRequest = { rows: ReadRows; packer: Pick<Packer, 'add'>; slice: SliceSize; signal: AbortSignal }

/** Slices of a table that is read whole are its ranges; their size does not grow with the learned one, so that they begin and end alike. */
const SLICE_BYTES = 1024 * 1024
const SLICE_ROWS = 20_000
const BUDGET_MS = 8_000
const PIECE_BYTES = 4 * 1024 * 1024
const MAX_SLICES = 10_000_000
/** Characters of the list of rows that one range lacks. */
const MAX_SKIPPED = 2 * 1024 * 1024

/** Reads a table from a position to its end, one range per request; yields each range with the position behind it. */
export async function* readRanges(request: RangeRequest, table: Table, from: Position) {
  for await (const { rows, before, position } of readSlices(request, table, { from, until: null, most: SLICE_BYTES })) {
    const { blobs, bytes } = await store(request, table, rows)
    const { after, offset } = before
    const range = { after, until: rows.after, offset, rows: rows.rows, bytes, blobs, digest: null, ...withSkipped(rows.skipped) }
    yield { range: range satisfies TableRange, position }
  }
}

/** Reads the rows between two keys as one range. Its digest is certain only where it is of as many rows as came. */
export async function readRange(request: RangeRequest, table: Table, { after, until, rows, digest }: Piece): Promise<TableRange> {
  const range: TableRange = { after, until, offset: 0, rows: 0, bytes: 0, blobs: [], digest: null }
  const skipped: SkippedRow[] = []
  const from = { after, offset: 0, done: false }
  for await (const slice of readSlices(request, table, { from, until, most: Number.POSITIVE_INFINITY })) {
    const { blobs, bytes } = await store(request, table, slice.rows)
    range.rows += slice.rows.rows
    range.bytes += bytes
    range.blobs.push(...blobs)
    skipped.push(...slice.rows.skipped)
    if (skipped.length > 0 && JSON.stringify(skipped).length > MAX_SKIPPED)
      throw malformed('The site leaves out too many rows of a table.', { named: table.name })
  }
  const whole = { ...range, ...withSkipped(skipped) }
  return { ...whole, digest: rowsOf(whole) === rows ? digest : null }
}

/** Cuts SQL into blobs, once it is known to be so many rows of this table and nothing else; throws `UnknownRows` where it is not. */
export async function store(
  { packer }: Pick<RangeRequest, 'packer'>,
  table: Table,
  { sql, rows }: { sql: Buffer; rows: number },
): Promise<{ blobs: string[]; bytes: number }> {
  const reader = new InsertReader(rowShape(table))
  reader.push(sql)
  reader.end()
  if (reader.rows !== rows) throw new UnknownRows(`${reader.rows} rows instead of ${rows}`)
  const blobs: string[] = []
  for (let at = 0; at < sql.length; at += PIECE_BYTES) blobs.push(await packer.add('rows', sql.subarray(at, at + PIECE_BYTES)))
  return { blobs, bytes: sql.length }
}

type Stretch = { from: Position; until: Key; most: number }

async function* readSlices({ rows, slice, signal }: RangeRequest, table: Table, { from, until, most }: Stretch) {
  const seen = new Set<string>()
  let position = from
  while (!position.done) {
    const before = position
    const { after, offset } = before
    const params = {
      table: table.name,
      after,
      offset,
      max_items: SLICE_ROWS,
      skip_above: SKIP_ABOVE,
      budget_ms: BUDGET_MS,
      ...(until && { until }),
    }
    const answer = await slice.ask(signal, (bytes) => rows({ ...params, max_bytes: Math.min(bytes, most) }, signal))
    position = next(table, answer, offset, seen)
    if (rowsOf(answer) > 0) yield { rows: answer, before, position }
  }
}

/** Where the table goes on, after checking that it does: a key never comes back, an offset grows by the rows that came or were left out. */
function next(table: Table, rows: Rows, offset: number, seen: Set<string>): Position {
  if ((rows.rows === 0) !== (rows.sql.length === 0))
    throw malformed('The site’s rows of a table do not fit their number.', { named: table.name })
  const position = { after: rows.after, offset: rows.offset, done: rows.done }
  if (rows.done) return position
  const key = JSON.stringify(rows.after)
  const stuck = rows.after ? seen.has(key) : rows.offset !== offset + rowsOf(rows)
  if (stuck || rowsOf(rows) === 0 || seen.size > MAX_SLICES)
    throw malformed('The site’s answers for a table do not move on.', { named: table.name })
  if (rows.after) seen.add(key)
  return position
}
