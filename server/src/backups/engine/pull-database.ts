import { z } from 'zod'
import type { Result } from '../../connector/commands.ts'
import { malformed } from '../../connector/slice.ts'
import { type Consistency, DatabasePart, type TableEntry, type TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import { RecordWriter, TreeNode } from './record-tree.ts'
import { type Report, Reporter, Saver, type SaveState, saveEvery } from './saver.ts'
import { SliceSize } from './slice-size.ts'
import { type Position, type RangeRequest, type ReadRows, readRanges, type Table } from './table-ranges.ts'

/** The site's two verbs, already parsed. */
export type SiteDatabase = { tables(signal: AbortSignal): Promise<Result<'db.tables'>>; rows: ReadRows }

/** Where a pull of the database goes on after a kill. The ranges so far of the table it was in are in the tree already. */
export const DatabaseState = z.strictObject({
  nodes: z.array(TreeNode),
  table: z.string(),
  position: z.strictObject({ after: z.array(z.string()).nullable(), offset: z.int(), done: z.boolean() }),
  ranges: z.int(),
  fuzzy: z.array(z.string()),
  counts: DatabasePart.pick({ tables: true, rows: true, bytes: true }),
  slice_bytes: z.int(),
})
export type DatabaseState = z.infer<typeof DatabaseState>

export type PullDatabase = {
  site: SiteDatabase
  packer: Pick<Packer, 'add' | 'flush'>
  report: Report
  /** Gets a small JSON value a few times a second at most; what it names is durable by then. */
  checkpoint: SaveState<DatabaseState>
  resumeFrom: unknown
  signal: AbortSignal
  now: () => Date
  sliceBytes: number
  /** A database of up to this many bytes of SQL is read again until two passes agree. */
  settleBytes?: number
}

const SETTLE_BYTES = 32 * 1024 * 1024
const MAX_PASSES = 4
const START: Position = { after: null, offset: 0, done: false }

/**
 * Reads all tables of a site into blobs, range after range. When it returns, everything is durable and recorded.
 * `snapshot`: one request brought everything. `settled`: two passes in a row brought the same. Otherwise `fuzzy`, with the tables named.
 */
export async function pullDatabase(request: PullDatabase): Promise<{ part: DatabasePart; sliceBytes: number }> {
  const found = await request.site.tables(request.signal)
  if (new Set(found.tables.map((table) => table.name)).size !== found.tables.length) throw malformed('The site listed a table twice.')
  const pull = new DatabasePull(request, found)
  try {
    return await pull.run()
  } finally {
    await pull.stop()
  }
}

class DatabasePull {
  readonly #request: PullDatabase
  readonly #found: Result<'db.tables'>
  readonly #ranges: RangeRequest
  readonly #resume: DatabaseState | null
  readonly #reporter: Reporter
  readonly #saver: Saver<DatabaseState>
  readonly #fuzzy: Set<string>
  /** What the latest pass brought, table by table. */
  readonly #latest = new Map<string, TableRange[]>()
  #records: RecordWriter
  #counts: DatabaseState['counts']

  constructor(request: PullDatabase, found: Result<'db.tables'>) {
    this.#request = request
    this.#found = found
    this.#resume = request.resumeFrom ? DatabaseState.parse(request.resumeFrom) : null
    const slice = new SliceSize(this.#resume?.slice_bytes ?? request.sliceBytes)
    this.#ranges = { rows: request.site.rows, packer: request.packer, slice, signal: request.signal }
    this.#records = this.#newRecords(this.#resume?.nodes)
    this.#counts = { ...(this.#resume?.counts ?? { tables: 0, rows: 0, bytes: 0 }) }
    this.#fuzzy = new Set(this.#resume?.fuzzy)
    this.#reporter = new Reporter(request.report, request.now)
    const total = found.tables.reduce((sum, table) => sum + table.bytes, 0)
    this.#saver = new Saver(request.packer, request.checkpoint, request.now, saveEvery(total), this.#counts.bytes)
  }

  async run(): Promise<{ part: DatabasePart; sliceBytes: number }> {
    for (const table of this.#tablesLeft()) await this.#firstPass(table)
    const consistency = this.#tookOneRequest() ? 'snapshot' : (await this.#settle()) ? 'settled' : 'fuzzy'
    const nodes = await this.#records.cut()
    await this.#saver.settle()
    await this.#request.packer.flush()
    await this.#say(true)
    const { engine, version, charset, sql_mode } = this.#found
    const part: DatabasePart = { engine, version, charset, sql_mode, consistency, fuzzy_tables: [...this.#fuzzy], nodes, ...this.#counts }
    return { part, sliceBytes: this.#ranges.slice.bytes }
  }

  stop(): Promise<void> {
    return this.#saver.stop()
  }

  #tablesLeft(): Table[] {
    const { tables } = this.#found
    if (!this.#resume) return tables
    const at = tables.findIndex((table) => table.name === this.#resume?.table)
    // With the table gone, what the earlier attempt has read cannot be told from what is still to be read.
    if (at < 0) throw new Error('A table went away between two attempts; the database has to be read from its beginning.')
    return tables.slice(at)
  }

  async #firstPass(table: Table): Promise<void> {
    const resumed = this.#resume?.table === table.name ? this.#resume : null
    let position = resumed?.position ?? START
    let count = resumed?.ranges ?? 0
    const open: TableRange[] = []
    if (position.done) return
    for await (const step of this.#read(table, position)) {
      position = step.position
      count += 1
      if (count > 1) this.#fuzzy.add(table.name)
      open.push(step.range)
      this.#count(step.range)
      await this.#say()
      if (position.done || !this.#saver.due(this.#counts.bytes)) continue
      await this.#write(table, open.splice(0), 'fuzzy')
      await this.#save(table, position, count)
    }
    await this.#write(table, open, count > 1 ? 'fuzzy' : 'snapshot')
    this.#counts.tables += 1
    if (this.#saver.due(this.#counts.bytes)) await this.#save(table, { ...position, done: true }, count)
  }

  #read(table: Table, from: Position) {
    return readRanges(this.#ranges, table, table.kind === 'view' ? { ...from, done: true } : from)
  }

  #count(range: TableRange): void {
    this.#counts.rows += range.rows
    this.#counts.bytes += range.bytes
  }

  async #write({ name, kind, create, columns, key, auto_increment }: Table, ranges: TableRange[], consistency: Consistency): Promise<void> {
    if (this.#small()) this.#latest.set(name, [...(this.#latest.get(name) ?? []), ...ranges])
    else this.#latest.clear()
    const entry: TableEntry = { name, kind, create, columns, key, auto_increment, consistency, ranges }
    await this.#records.write(entry)
  }

  async #save(table: Table, position: Position, ranges: number): Promise<void> {
    const nodes = await this.#records.cut()
    const slice_bytes = this.#ranges.slice.bytes
    const state = { nodes, table: table.name, position, ranges, fuzzy: [...this.#fuzzy], counts: { ...this.#counts }, slice_bytes }
    this.#saver.start(state, this.#counts.bytes)
  }

  #small(): boolean {
    return this.#counts.bytes <= (this.#request.settleBytes ?? SETTLE_BYTES)
  }

  #tookOneRequest(): boolean {
    return !this.#resume && this.#found.tables.filter((table) => table.kind === 'table').length <= 1 && this.#fuzzy.size === 0
  }

  /** Reads everything again until a pass brings what the one before it brought: at the moment between them that was the database. */
  async #settle(): Promise<boolean> {
    if (!this.#small()) return false
    for (let pass = 2; pass <= MAX_PASSES; pass++) {
      const moved: string[] = []
      for (const table of this.#found.tables) if (!(await this.#sameAgain(table))) moved.push(table.name)
      this.#fuzzy.clear()
      if (moved.length === 0) return this.#rewrite('settled')
      for (const name of moved) this.#fuzzy.add(name)
    }
    return this.#rewrite('fuzzy')
  }

  async #sameAgain(table: Table): Promise<boolean> {
    const ranges: TableRange[] = []
    for await (const { range } of this.#read(table, START)) ranges.push(range)
    const before = this.#latest.get(table.name)
    this.#latest.set(table.name, ranges)
    return before !== undefined && contentOf(before) === contentOf(ranges)
  }

  /** Writes the records once more, as the latest pass found the tables. */
  async #rewrite(consistency: 'settled' | 'fuzzy'): Promise<boolean> {
    this.#records = this.#newRecords()
    this.#counts = { tables: this.#found.tables.length, rows: 0, bytes: 0 }
    for (const table of this.#found.tables) {
      const ranges = this.#latest.get(table.name) ?? []
      for (const range of ranges) this.#count(range)
      this.#latest.delete(table.name)
      await this.#write(table, ranges, this.#fuzzy.has(table.name) ? 'fuzzy' : 'settled')
    }
    return consistency === 'settled'
  }

  #newRecords(nodes?: TreeNode[]): RecordWriter {
    return new RecordWriter((bytes) => this.#request.packer.add('manifest', bytes), nodes)
  }

  #say(always = false): Promise<void> {
    const total = this.#found.tables.reduce((sum, table) => sum + table.rows, 0)
    const { rows, bytes } = this.#counts
    return this.#reporter.say({ phase: 'database', done: rows, total: Math.max(total, rows), unit: 'rows', bytes }, always)
  }
}

const contentOf = (ranges: TableRange[]) => JSON.stringify(ranges.flatMap((range) => range.blobs))
