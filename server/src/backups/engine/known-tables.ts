import type { TableEntry, TableRange } from './manifest.ts'
import type { Table } from './table-ranges.ts'

/** What is known of a table from an earlier reading of it. */
export type KnownTable = Pick<TableEntry, 'create' | 'key' | 'ranges'>
export type KnownTables = ReadonlyMap<string, KnownTable>

/** The tables of a backup; one that was written in several records is put together. */
export async function collectTables(entries: AsyncIterable<TableEntry>): Promise<Map<string, KnownTable>> {
  const tables = new Map<string, KnownTable>()
  for await (const { name, kind, create, key, ranges } of entries) {
    if (kind === 'view') continue
    const before = tables.get(name)
    if (before) before.ranges.push(...ranges)
    else tables.set(name, { create, key, ranges: [...ranges] })
  }
  return tables
}

/** The ranges of before that those of now can be compared with: none when the definition has changed or their bounds are not known. */
export function comparable(known: KnownTable | undefined, { create, key }: Pick<Table, 'create' | 'key'>): TableRange[] {
  if (!known || !sameDefinition(known.create, create) || known.key.join() !== key.join()) return []
  if (key.length === 0) return known.ranges.length === 1 ? known.ranges : []
  return known.ranges.every(({ until }) => until !== null) ? known.ranges : []
}

/** But for the counter, which moves with each row. */
export const sameDefinition = (one: string, other: string): boolean => one.replace(COUNTER, '') === other.replace(COUNTER, '')

const COUNTER = / AUTO_INCREMENT=\d+/
