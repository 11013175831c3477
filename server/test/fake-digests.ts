// The verbs `db.digests` and `db.snapshot` of a fake site. Its rows are hashed as text, which no one but itself compares.
import { gzipSync } from 'node:zlib'
import type { Params } from '../src/connector/commands.ts'
import {
  compareKeys,
  type FakeAnswer,
  type FakeCall,
  failure,
  isTooLarge,
  keyOf,
  skippedRow,
  told,
  typedKey,
  wireKey,
} from './fake-data.ts'
import type { FakeState, FakeTable, FakeValue } from './fake-state.ts'
import { type DigestRow, rangesIn } from './memory-digests.ts'

export function dbDigests(state: FakeState, { params }: FakeCall): FakeAnswer {
  const { tables: asked, bytes, max_items, skip_above } = params as Params<'db.digests'>
  const tables: { ranges: unknown[]; done: boolean }[] = []
  let left = max_items
  for (const ask of asked) {
    const table = state.tables.find(({ name }) => name === ask.table)
    if (!table) return failure('bad_request', 'No such table.')
    const ranges = [...rangesIn(rowsOf(state, table, skip_above), ask, bytes, compareIn(table))]
    tables.push({ ranges: ranges.slice(0, left), done: ranges.length < left })
    left -= ranges.length
    if (left <= 0) break
  }
  return { result: { tables } }
}

export function dbSnapshot(state: FakeState, { params }: FakeCall): FakeAnswer {
  const { tables: asked, bytes, max_bytes, skip_above } = params as Params<'db.snapshot'>
  const names = state.tables.filter(({ kind }) => kind === 'table').map(({ name }) => name)
  const parts: string[] = []
  const tables = asked.flatMap((ask) => {
    const table = state.tables.find(({ name }) => name === ask.table)
    if (!table) return []
    const known = new Map(ask.bounds.map((bound, i) => [JSON.stringify(bound), ask.digests[i]]))
    if (table.key.length === 0) known.set('null', ask.digests[0])
    let at = 0
    const rows = sorted(table)
    const ranges = [...rangesIn(rowsOf(state, table, skip_above), { ...ask, after: null, tail: true }, bytes, compareIn(table))].map(
      (range) => {
        const all = rows.slice(at, at + range.rows)
        at += range.rows
        if (known.get(JSON.stringify(range.until)) === range.digest) return { ...range, size: null }
        const some = all.filter((row) => !isTooLarge(state, table, row, { skip_above }))
        const skipped = all.filter((row) => !some.includes(row)).map((row) => skippedRow(table, row, rows.indexOf(row)))
        const sql = some.length > 0 ? told(state, table, some) : ''
        parts.push(sql)
        return { ...range, rows: some.length, size: Buffer.byteLength(sql), skipped }
      },
    )
    return [{ create: table.create, ranges }]
  })
  const sql = Buffer.from(parts.join(''))
  const complete = state.snapshots && sql.length <= max_bytes && tables.length === names.length
  if (!complete) return { result: { complete, tables: [], encoding: 'identity' }, payload: Buffer.alloc(0) }
  return { result: { complete, tables, encoding: 'gzip' }, payload: gzipSync(sql, { level: 1 }) }
}

const sorted = (table: FakeTable) => table.rows.toSorted((a, b) => compareKeys(keyOf(table, a), keyOf(table, b)))

function rowsOf(state: FakeState, table: FakeTable, skip_above: number | undefined): DigestRow[] {
  const textOf = state.digested ?? ((_: FakeTable, row: FakeValue[]) => JSON.stringify(row))
  return sorted(table).map((row) => {
    const key = wireKey(keyOf(table, row))
    return { key, text: isTooLarge(state, table, row, { skip_above }) ? `H${key}` : textOf(table, row) }
  })
}

const compareIn = (table: FakeTable) => (a: string[], b: string[]) => compareKeys(typedKey(table, a), typedKey(table, b))
