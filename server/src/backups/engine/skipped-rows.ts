// Rows that are too large to travel: a backup does without them, and says so wherever it is looked at.
import { plainWord } from '../../kernel/site-said.ts'
import type { SkippedRow, SkippedRows, TableRange } from './manifest.ts'

const samples = 10

/** Rows of the site that a range stands for, with those it does not hold. */
export const rowsOf = ({ rows, skipped = [] }: Pick<TableRange, 'rows' | 'skipped'>) => rows + skipped.length

/** For a range without any, no field. */
export const withSkipped = (skipped: SkippedRow[]) => (skipped.length > 0 ? { skipped } : {})

/** Which row of its table, in words for people; of a key only what is one plain word. */
export function showRow({ key, offset, bytes }: SkippedRow): string {
  const values = key?.map((value) => plainWord(Buffer.from(value, 'base64').toString('utf8')) ?? '…')
  return `${values ? `the row with key ${values.join(', ')}` : `row number ${offset + 1}`} (${(bytes / 1024 ** 2).toFixed(1)} MiB)`
}

/** What is missing of all tables; null: nothing. */
export function skippedOf(tables: Iterable<{ table: { name: string }; ranges: TableRange[] }>): SkippedRows | null {
  const found: SkippedRows = { count: 0, tables: [], sample: [] }
  for (const { table, ranges } of tables) {
    const rows = ranges.flatMap(({ skipped = [] }) => skipped)
    if (rows.length > 0) found.tables.push(table.name)
    found.count += rows.length
    found.sample.push(...rows.slice(0, samples - found.sample.length).map((row) => `${table.name}: ${showRow(row)}`))
  }
  return found.count > 0 ? found : null
}
