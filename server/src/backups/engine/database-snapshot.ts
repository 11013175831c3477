// The whole database as of one moment, where one answer can hold what has changed since the backup before.
import { mayBeItsSize } from '../../connector/ask.ts'
import { SKIP_ABOVE, type Snapshot } from '../../connector/call.ts'
import type { Params } from '../../connector/commands.ts'
import { SiteError } from '../../connector/site-error.ts'
import { stepOf } from './database-pass.ts'
import { doubtOf } from './definition.ts'
import { UnknownRows } from './insert-grammar.ts'
import { comparable, type KnownTables, sameDefinition } from './known-tables.ts'
import type { TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import { RANGE_BYTES } from './range-plan.ts'
import { rowsOf, withSkipped } from './skipped-rows.ts'
import { store, type Table } from './table-ranges.ts'

export type AskSnapshot = (params: Params<'db.snapshot'>, signal: AbortSignal) => Promise<Snapshot>
export type SnapshotRequest = {
  ask: AskSnapshot
  packer: Pick<Packer, 'add' | 'stored'>
  tables: Table[]
  before: KnownTables
  readAll: boolean
  sliceBytes: number
  signal: AbortSignal
}
export type Snapped = { tables: Map<string, TableRange[]>; creates: Map<string, string>; read: { rows: number; bytes: number } }

const MOST_BYTES = 4 * 1024 * 1024
const BUDGET_MS = 5_000
/** Of tables on disk, with their indexes: more is not tried. */
const DIGESTED = 512 * 1024 * 1024
const READ = 24 * 1024 * 1024
const ROW_GUESS = 200
const MOST_TABLES = 5_000
const BOUND_CHARACTERS = 400_000

/** Null where it does not fit, or the site cannot. */
export async function takeWhole(request: SnapshotRequest): Promise<Snapped | null> {
  const asks = await asksFor(request)
  if (!asks) return null
  const max_bytes = Math.min(MOST_BYTES, 4 * request.sliceBytes)
  try {
    const params = { tables: asks, bytes: RANGE_BYTES, skip_above: SKIP_ABOVE, max_bytes, budget_ms: BUDGET_MS }
    const snapshot = await request.ask(params, request.signal)
    return snapshot.complete ? await keep(request, snapshot) : null
  } catch (error) {
    request.signal.throwIfAborted()
    // Which of its tables it is, and whether it stays so, is found out by reading them one by one.
    if (error instanceof UnknownRows) return null
    if (
      error instanceof SiteError &&
      (error.retryable || error.reason.startsWith('error:') || error.reason === 'too_large' || mayBeItsSize(error))
    )
      return null
    throw error
  }
}

async function asksFor({ tables, before, readAll, packer }: SnapshotRequest): Promise<Params<'db.snapshot'>['tables'] | null> {
  const real = tables.filter(({ kind }) => kind === 'table')
  const known = new Map(real.map((table) => [table.name, comparable(before.get(table.name), table)]))
  const sizeOf = ({ rows, bytes }: Table) => Math.max(bytes, rows * ROW_GUESS)
  const total = real.reduce((sum, table) => sum + sizeOf(table), 0)
  const unread = real.reduce((sum, table) => sum + (readAll || !known.get(table.name)?.length ? sizeOf(table) : 0), 0)
  if (real.length === 0 || real.length > MOST_TABLES || total > DIGESTED || unread > READ) return null
  const stored = await packer.stored(readAll ? [] : [...known.values()].flatMap((ranges) => ranges.flatMap(({ blobs }) => blobs)))
  const asks = real.map((table) => {
    const ranges = known.get(table.name) ?? []
    const digests = ranges.map(({ digest, blobs }) => (!readAll && blobs.every((id) => stored.has(id)) ? digest : null))
    const bounds = table.key.length > 0 && !readAll ? ranges.map(({ until }) => until ?? []) : []
    return { table: table.name, bounds, digests, step: stepOf(table) }
  })
  return JSON.stringify(asks).length > BOUND_CHARACTERS ? null : asks
}

async function keep({ packer, tables, before }: SnapshotRequest, snapshot: Snapshot): Promise<Snapped | null> {
  const real = tables.filter(({ kind }) => kind === 'table')
  const snapped: Snapped = { tables: new Map(), creates: new Map(), read: { rows: 0, bytes: 0 } }
  let at = 0
  for (const [i, table] of real.entries()) {
    const { create, ranges } = snapshot.tables[i] ?? { create: '', ranges: [] }
    if (!sameDefinition(create, table.create) || doubtOf({ ...table, create }) !== null) return null
    const known = new Map(comparable(before.get(table.name), table).map((range) => [nameOf(range), range]))
    const kept: TableRange[] = []
    for (const { until, rows, digest, size, skipped } of ranges) {
      const after = kept.at(-1)?.until ?? null
      if (size === null) {
        const same = known.get(nameOf({ until, digest }))
        if (!same) return null
        kept.push({ ...same, after })
      } else if (rowsOf({ rows, skipped }) > 0) {
        const { blobs, bytes } = await store({ packer }, table, { sql: snapshot.sql.subarray(at, at + size), rows })
        at += size
        kept.push({ after, until, offset: 0, rows, bytes, blobs, digest, ...withSkipped(skipped) })
        snapped.read.rows += rows
        snapped.read.bytes += bytes
      }
    }
    snapped.tables.set(table.name, kept)
    snapped.creates.set(table.name, create)
  }
  return snapped
}

const nameOf = ({ until, digest }: Pick<TableRange, 'until' | 'digest'>) => JSON.stringify([until, digest])
