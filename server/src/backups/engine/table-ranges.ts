import type { Rows } from '../../connector/call.ts'
import type { Params, Result } from '../../connector/commands.ts'
import { malformed } from '../../connector/slice.ts'
import type { TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import type { SliceSize } from './slice-size.ts'

export type Table = Result<'db.tables'>['tables'][number]
export type Position = { after: string[] | null; offset: number; done: boolean }
export type ReadRows = (params: Params<'db.rows'>, signal: AbortSignal) => Promise<Rows>
export type RangeRequest = { rows: ReadRows; packer: Pick<Packer, 'add'>; slice: SliceSize; signal: AbortSignal }

/** Ranges that begin and end alike in the next backup are stored once, so their size does not grow with the learned slice size. */
const RANGE_BYTES = 1024 * 1024
const RANGE_ROWS = 20_000
const BUDGET_MS = 8_000
const PIECE_BYTES = 4 * 1024 * 1024
const MAX_RANGES = 10_000_000

/** Reads a table from a position to its end, one range per request; yields each range with the position behind it. */
export async function* readRanges(request: RangeRequest, table: Table, from: Position) {
  const seen = new Set<string>()
  let position = from
  while (!position.done) {
    const { after, offset } = position
    const rows = await ask(request, table, position)
    position = next(table, rows, offset, seen)
    if (rows.rows > 0) yield { range: await store(request, rows, after, offset), position }
  }
}

function ask({ rows, slice, signal }: RangeRequest, table: Table, { after, offset }: Position): Promise<Rows> {
  const params = { table: table.name, after, offset, max_items: RANGE_ROWS, budget_ms: BUDGET_MS }
  return slice.ask(signal, (bytes) => rows({ ...params, max_bytes: Math.min(bytes, RANGE_BYTES) }, signal))
}

async function store({ packer }: RangeRequest, { sql, rows }: Rows, after: string[] | null, offset: number): Promise<TableRange> {
  const blobs: string[] = []
  for (let at = 0; at < sql.length; at += PIECE_BYTES) blobs.push(await packer.add('rows', sql.subarray(at, at + PIECE_BYTES)))
  return { after, offset, rows, bytes: sql.length, blobs, digest: null }
}

/** Where the table goes on, after checking that it does: a key never comes back, an offset grows by the rows that came. */
function next(table: Table, rows: Rows, offset: number, seen: Set<string>): Position {
  if ((rows.rows === 0) !== (rows.sql.length === 0)) throw malformed(`The site’s rows of ${table.name} do not fit their number.`)
  const position = { after: rows.after, offset: rows.offset, done: rows.done }
  if (rows.done) return position
  const key = JSON.stringify(rows.after)
  const stuck = rows.after ? seen.has(key) : rows.offset !== offset + rows.rows
  if (stuck || rows.rows === 0 || seen.size > MAX_RANGES) throw malformed(`The site’s answers for the table ${table.name} do not move on.`)
  if (rows.after) seen.add(key)
  return position
}
