import { z } from 'zod'
import type { OpenTable } from './database-pass.ts'
import { type Consistency, type DatabasePart, type TableEntry, type TableRange, TableEntry as TableRecord } from './manifest.ts'
import type { Packer } from './packer.ts'
import { type ReadBlob, RecordWriter, readRecords, TreeNode } from './record-tree.ts'
import type { Position, Table } from './table-ranges.ts'

const RECORD_CHARACTERS = 256 * 1024

const Counts = z.strictObject({ rows: z.int(), bytes: z.int() })

/** Where a pull of the database goes on after a kill: what has been read is in the tree; `open` is the table it was in. */
export const DatabaseState = z.strictObject({
  nodes: z.array(TreeNode),
  open: z.strictObject({ table: z.string(), next: z.int(), offset: z.int() }).nullable(),
  omitted: z.array(z.string()).default([]),
  counts: Counts,
  read: Counts,
  slice_bytes: z.int(),
})
export type DatabaseState = z.infer<typeof DatabaseState>
type Written = Pick<DatabasePart, 'nodes' | 'tables' | 'rows' | 'bytes'>

/** The list of tables and ranges as it grows. */
export class DatabaseRecords {
  readonly #packer: Pick<Packer, 'add'>
  readonly #resume: DatabaseState | null
  /** What travelled. */
  read: { rows: number; bytes: number }
  #counts: { rows: number; bytes: number }
  #writer: RecordWriter
  #open: TableRange[] = []
  readonly #omitted: Set<string>

  constructor(packer: Pick<Packer, 'add'>, resume: DatabaseState | null) {
    this.#packer = packer
    this.#resume = resume
    this.#omitted = new Set(resume?.omitted)
    this.read = { ...(resume?.read ?? { rows: 0, bytes: 0 }) }
    this.#counts = { ...(resume?.counts ?? { rows: 0, bytes: 0 }) }
    this.#writer = this.#newWriter(resume?.nodes)
  }

  get rows(): number {
    return this.#counts.rows
  }

  get bytes(): number {
    return this.#counts.bytes
  }

  /** What an earlier attempt had read: tables that were done, and the one it was in. */
  async recall(read: ReadBlob): Promise<{ done: Map<string, TableRange[]>; open: Map<string, OpenTable> }> {
    const done = new Map<string, TableRange[]>()
    const open = new Map<string, OpenTable>()
    for await (const record of readRecords(this.#resume?.nodes ?? [], read)) {
      const { name, ranges } = TableRecord.parse(record)
      if (!this.#omitted.has(name)) done.set(name, [...(done.get(name) ?? []), ...ranges])
    }
    const at = this.#resume?.open
    const ranges = at && done.get(at.table)
    if (at && ranges) {
      const position = { after: ranges.at(-1)?.until ?? null, offset: at.offset, done: false }
      open.set(at.table, { ranges, next: at.next, position })
      done.delete(at.table)
    }
    return { done, open }
  }

  count(range: TableRange, { held, read }: { held: boolean; read: boolean }): void {
    for (const counts of [...(held ? [this.#counts] : []), ...(read ? [this.read] : [])]) {
      counts.rows += range.rows
      counts.bytes += range.bytes
    }
  }

  push(range: TableRange): void {
    this.#open.push(range)
  }

  /** Writes what there is of a table that is still being read. */
  async open(table: Table, { next, position }: { next: number; position: Position }): Promise<DatabaseState['open']> {
    await this.close(table)
    return { table: table.name, next, offset: position.offset }
  }

  async close(table: Table): Promise<void> {
    await this.#write(table, this.#open, 'fuzzy')
    this.#open = []
  }

  /** Nothing of it counts, neither what was read last nor what was written before. */
  omit({ name }: Table): void {
    this.#omitted.add(name)
    this.#open = []
  }

  async state(open: DatabaseState['open'], slice_bytes: number): Promise<DatabaseState> {
    return {
      nodes: await this.#writer.cut(),
      open,
      omitted: [...this.#omitted],
      counts: { ...this.#counts },
      read: { ...this.read },
      slice_bytes,
    }
  }

  /** The final list, in the place of what was written on the way. */
  async writeAll(entries: { table: Table; ranges: TableRange[]; consistency: Consistency }[]): Promise<Written> {
    this.#writer = this.#newWriter()
    this.#counts = { rows: 0, bytes: 0 }
    for (const { table, ranges, consistency } of entries) {
      for (const range of ranges) this.count(range, { held: true, read: false })
      await this.#write(table, ranges, consistency)
    }
    return { nodes: await this.#writer.cut(), tables: entries.length, ...this.#counts }
  }

  async #write(table: Table, ranges: TableRange[], consistency: Consistency): Promise<void> {
    for (const some of inRecords(ranges)) await this.#writer.write(entryOf(table, some, consistency))
  }

  #newWriter(nodes?: TreeNode[]): RecordWriter {
    return new RecordWriter((bytes) => this.#packer.add('manifest', bytes), nodes)
  }
}

/** A record has to fit a blob, so a table of many ranges is several records; one without any is one. */
function inRecords(ranges: TableRange[]): TableRange[][] {
  const records: TableRange[][] = [[]]
  let characters = 0
  for (const range of ranges) {
    characters += JSON.stringify(range).length
    if (characters > RECORD_CHARACTERS && records.at(-1)?.length) {
      records.push([])
      characters = 0
    }
    records.at(-1)?.push(range)
  }
  return records
}

function entryOf(table: Table, ranges: TableRange[], consistency: Consistency): TableEntry {
  const { name, kind, create, columns, key, auto_increment, triggers = [] } = table
  return { name, kind, create, columns, key, auto_increment, consistency, ranges, ...(triggers.length > 0 ? { triggers } : {}) }
}
