// What a restore changes in the database.
import { doubtOf } from '../backups/engine/definition.ts'
import { type Manifest, readTables, type TableEntry, type TableRange } from '../backups/engine/manifest.ts'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import { showRow } from '../backups/engine/skipped-rows.ts'
import type { Result } from '../connector/commands.ts'
import { plainWord } from '../kernel/site-said.ts'
import type { Scope } from './scope.ts'

export type TablePlan = {
  name: string
  create: string
  columns: string[]
  rows: number
  bytes: number
  ranges: TableRange[]
  live: boolean
}

const rowsShown = 5

/**
 * Tables that come back, and live ones the backup does not have. A live table of which the backup lacks rows, because they were too large,
 * stays as it is unless it is named.
 */
export async function planTables(
  { manifest, read }: { manifest: Manifest; read: ReadBlob },
  live: Result<'db.tables'>,
  scope: Scope,
  prefix: string,
) {
  const tables = new Map<string, TablePlan>()
  const omitted = new Set(manifest.database?.omitted.map(({ table }) => table))
  const views: string[] = []
  const own = `${prefix}svc_connector`
  const there = new Set(live.tables.filter(({ kind }) => kind === 'table').map(({ name }) => name))
  for await (const entry of readTables(manifest, read)) {
    if (entry.kind === 'view') views.push(entry.name)
    else if (doubtOf(entry) !== null) omitted.add(entry.name)
    else if (entry.name !== own && scope.hasTable(entry.name)) addRanges(tables, entry, there.has(entry.name))
  }
  const stay = [...tables.values()].filter(({ live, ranges }) => scope.whole && live && lacking(ranges).length > 0)
  const extra = scope.whole ? [...there].filter((name) => name !== own && !tables.has(name) && !omitted.has(name)) : []
  const absent = [...omitted].filter((name) => scope.hasTable(name))
  const back = [...tables.values()].filter((table) => !stay.includes(table))
  const lacks = back.filter(({ ranges }) => lacking(ranges).length > 0)
  return {
    ...{ tables: back, extra, views, absent: absent.filter((name) => there.has(name)), stay: stay.map(({ name }) => name) },
    warnings: [...stay.map(staying), ...lacks.map(coming), ...absent.map(missing)],
  }
}

const lacking = (ranges: TableRange[]) => ranges.flatMap(({ skipped = [] }) => skipped)

function inWords(ranges: TableRange[]): string {
  const rows = lacking(ranges)
  const shown = rows.slice(0, rowsShown).map(showRow).join('; ')
  return rows.length > rowsShown ? `${shown}; and ${rows.length - rowsShown} more` : shown
}

const called = (name: string) => plainWord(name) ?? 'with a name that is not plain'
const missing = (name: string) =>
  `The table ${called(name)} does not come back: what the site sent for it is no plain table. What the site has under that name stays as it is.`

const staying = ({ name, ranges }: TablePlan) =>
  `The table ${called(name)} stays as it is on the site, because the backup lacks what was too large for it: ${inWords(ranges)}. Name table:${plainWord(name) ?? '…'} in include to bring the table back without.`

const coming = ({ name, ranges, live }: TablePlan) =>
  `The table ${called(name)} comes back without what was too large for the backup: ${inWords(ranges)}.${live ? ' Where the site still has it, it goes with this restore.' : ''}`

function addRanges(tables: Map<string, TablePlan>, { name, create, columns, ranges }: TableEntry, live: boolean): void {
  const stored = columns.filter(({ generated }) => !generated).map((column) => column.name)
  const table = tables.get(name) ?? { name, create, columns: stored, rows: 0, bytes: 0, ranges: [], live }
  for (const range of ranges) {
    table.rows += range.rows
    table.bytes += range.bytes
    table.ranges.push(range)
  }
  tables.set(name, table)
}
