import type { Result } from '../../connector/commands.ts'
import { SiteError } from '../../connector/site-error.ts'
import { malformed } from '../../connector/slice.ts'
import { databaseNotes } from './database-notes.ts'
import { type AskDigests, hasDigests, type PassRequest, type PassResult, passOver } from './database-pass.ts'
import { DatabaseRecords, DatabaseState } from './database-records.ts'
import { type AskSnapshot, takeWhole } from './database-snapshot.ts'
import { doubtOf } from './definition.ts'
import { collectTables, type KnownTable } from './known-tables.ts'
import type { Consistency, DatabasePart, TableEntry, TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import type { ReadBlob } from './record-tree.ts'
import { type Report, Reporter, Saver, type SaveState, saveEvery } from './saver.ts'
import { skippedOf } from './skipped-rows.ts'
import { SliceSize } from './slice-size.ts'
import type { ReadRows, Table } from './table-ranges.ts'

/** The site's verbs, already parsed. Without `digests` or `snapshot` everything is read. */
export type SiteDatabase = {
  tables(signal: AbortSignal): Promise<Result<'db.tables'>>
  rows: ReadRows
  digests?: AskDigests
  snapshot?: AskSnapshot
}

/** The backup that unchanged ranges are taken over from. */
export type PreviousDatabase = { id: string; entries: AsyncIterable<TableEntry>; increment: number }

export type PullDatabase = {
  site: SiteDatabase
  packer: Pick<Packer, 'add' | 'stored' | 'flush'>
  readBlob: ReadBlob
  report: Report
  /** Gets a small JSON value a few times a second at most; what it names is durable by then. */
  checkpoint: SaveState<DatabaseState>
  resumeFrom: unknown
  /** Name of the table without which there is no backup. */
  options: string
  signal: AbortSignal
  now: () => Date
  sliceBytes: number
  previous?: PreviousDatabase
  /** Tables without digests are read again to compare them while they are no more than so many bytes of SQL in all. */
  settleBytes?: number
}

/** Why a table is in no backup that WordPress reads all the same: another database has it, or it is taken for another WordPress’s. */
const ELSEWHERE = 'it is not among the tables of the site in its database'
const SETTLE_BYTES = 32 * 1024 * 1024
const MORE_PASSES = 3

/**
 * Reads what has changed of all tables into blobs. When it returns, everything is durable and recorded.
 * `snapshot`: one transaction told everything. `settled`: after the last range was read, all was as it had been read. Otherwise `fuzzy`,
 * with the tables named.
 */
export async function pullDatabase(request: PullDatabase): Promise<{ part: DatabasePart; sliceBytes: number }> {
  const found = await tablesOf(request)
  const before = request.previous ? await collectTables(request.previous.entries) : new Map()
  const pull = new DatabasePull(request, found, before)
  try {
    return await pull.run()
  } finally {
    await pull.stop()
  }
}

/** `unfit`: tables that are no part of a backup, because of their definition, and why. */
type DatabaseTables = Result<'db.tables'> & { unfit: Map<string, string> }

async function tablesOf({ site, signal }: PullDatabase): Promise<DatabaseTables> {
  const found = await site.tables(signal)
  if (new Set(found.tables.map((table) => table.name)).size !== found.tables.length) throw malformed('The site listed a table twice.')
  const judged = found.tables.map((table) => ({ table, doubt: doubtOf(table) }))
  const unfit = new Map(judged.flatMap(({ table, doubt }) => (doubt === null ? [] : [[table.name, doubt]])))
  return { ...found, tables: judged.filter(({ doubt }) => doubt === null).map(({ table }) => table), unfit }
}

type How = Pick<PassRequest, 'before' | 'readAll' | 'wholeBytes' | 'open'>

class DatabasePull {
  readonly #request: PullDatabase
  readonly #resume: DatabaseState | null
  readonly #before: Map<string, KnownTable>
  readonly #slice: SliceSize
  readonly #reporter: Reporter
  readonly #saver: Saver<DatabaseState>
  readonly #records: DatabaseRecords
  #digests: AskDigests | undefined
  #found: DatabaseTables
  /** What the last pass had to leave out. */
  #omitted: ReadonlyMap<string, string> = new Map()

  constructor(request: PullDatabase, found: DatabaseTables, before: Map<string, KnownTable>) {
    this.#request = request
    this.#found = found
    this.#before = before
    this.#digests = request.site.digests
    this.#resume = request.resumeFrom ? DatabaseState.parse(request.resumeFrom) : null
    this.#slice = new SliceSize(this.#resume?.slice_bytes ?? request.sliceBytes)
    this.#reporter = new Reporter(request.report, request.now)
    const total = found.tables.reduce((sum, table) => sum + table.bytes, 0)
    this.#records = new DatabaseRecords(request.packer, this.#resume)
    const { packer, checkpoint: save, now } = request
    this.#saver = new Saver(packer, { save, now, everyBytes: saveEvery(total), bytes: this.#records.read.bytes })
  }

  async run(): Promise<{ part: DatabasePart; sliceBytes: number }> {
    const part = (this.#resume ? null : await this.#snapshot()) ?? (await this.#passes())
    await this.#saver.settle()
    await this.#request.packer.flush()
    await this.#say(part.rows, true)
    return { part, sliceBytes: this.#slice.bytes }
  }

  stop(): Promise<void> {
    return this.#saver.stop()
  }

  get #readAll(): boolean {
    return (this.#request.previous?.increment ?? 0) === 0
  }

  async #snapshot(): Promise<DatabasePart | null> {
    const { site, packer, signal } = this.#request
    if (!site.snapshot) return null
    const request = {
      packer,
      tables: this.#found.tables,
      before: this.#before,
      readAll: this.#readAll,
      sliceBytes: this.#slice.bytes,
      signal,
    }
    const snapped = await takeWhole({ ...request, ask: site.snapshot })
    if (!snapped) return null
    this.#records.read = snapped.read
    const tables = this.#found.tables.map((table) => ({ ...table, create: snapped.creates.get(table.name) ?? table.create }))
    this.#found = { ...this.#found, tables }
    return this.#finish(snapped.tables, 'snapshot', new Set())
  }

  /** Looks at everything until nothing has moved since the look before. */
  async #passes(): Promise<DatabasePart> {
    let tables = await this.#firstPass()
    let last: PassResult | undefined
    for (let n = 0; n < MORE_PASSES && last?.moved.size !== 0; n++) {
      const real = this.#found.tables.filter(({ kind, name }) => kind === 'table' && tables.has(name))
      const before = new Map(real.map(({ name, create, key }) => [name, { create, key, ranges: tables.get(name) ?? [] }]))
      this.#found = await tablesOf(this.#request)
      last = await this.#pass({ before, readAll: false, wholeBytes: this.#request.settleBytes ?? SETTLE_BYTES })
      tables = last.tables
    }
    const fuzzy = new Set([...(last?.moved ?? []), ...(last?.unseen ?? [])])
    // What was read last was not compared any more, so that its digest may be of other rows.
    for (const range of fuzzy.size > 0 ? (last?.fresh ?? []) : []) range.digest = null
    return this.#finish(tables, fuzzy.size > 0 ? 'fuzzy' : 'settled', fuzzy)
  }

  async #firstPass(): Promise<Map<string, TableRange[]>> {
    const { done, open } = await this.#records.recall(this.#request.readBlob)
    const left = this.#found.tables.filter(({ name }) => !done.has(name))
    const request = { before: this.#before, readAll: this.#readAll, wholeBytes: Number.POSITIVE_INFINITY, open }
    const { tables } = await this.#pass(request, left)
    return new Map([...done, ...tables])
  }

  async #pass(how: How, tables = this.#found.tables): Promise<PassResult> {
    const result = await this.#passOnce(how, tables).catch((error) => {
      if (!(error instanceof SiteError && error.reason === 'error:unknown_verb' && this.#digests)) throw error
      this.#digests = undefined
      return this.#passOnce(how, tables)
    })
    this.#omitted = result.omitted
    return result
  }

  #passOnce(how: How, tables: Table[]): Promise<PassResult> {
    const { site, packer, signal, options } = this.#request
    const first = how.open !== undefined
    return passOver({
      ...{ rows: site.rows, digests: this.#digests, packer, slice: this.#slice, signal, tables, options, engine: this.#found.engine },
      ...how,
      onRange: async (table, range, at) => {
        this.#records.count(range, { held: first, read: at.read })
        await this.#say(this.#records.rows)
        if (!first) return
        this.#records.push(range)
        if (!at.position.done && this.#saver.due(this.#records.read.bytes)) await this.#save(await this.#records.open(table, at))
      },
      onTable: async (table) => {
        if (!first) return
        await this.#records.close(table)
        if (this.#saver.due(this.#records.read.bytes)) await this.#save(null)
      },
      onOmitted: (table) => {
        if (first) this.#records.omit(table)
      },
    })
  }

  async #save(open: DatabaseState['open']): Promise<void> {
    this.#saver.start(await this.#records.state(open, this.#slice.bytes), this.#records.read.bytes)
  }

  async #finish(tables: Map<string, TableRange[]>, consistency: Consistency, fuzzy: Set<string>): Promise<DatabasePart> {
    const { engine, version, charset, sql_mode, unfit, events, other_events, unseen = [], elsewhere = [], unnamed } = this.#found
    const { previous } = this.#request
    const consistencyOf = (name: string): Consistency => (fuzzy.has(name) ? 'fuzzy' : consistency === 'fuzzy' ? 'settled' : consistency)
    const held = this.#found.tables.filter(({ name }) => !this.#omitted.has(name))
    const entries = held.map((table) => {
      return { table, ranges: tables.get(table.name) ?? [], consistency: consistencyOf(table.name) }
    })
    const whole_tables = held.filter((table) => this.#isWhole(table)).map(({ name }) => name)
    const written = await this.#records.writeAll(entries)
    const omitted = [...unfit, ...this.#omitted, ...elsewhere.map((table) => [table, ELSEWHERE] as const)]
    const origin = { parent: previous?.id ?? null, increment: previous?.increment ?? 0, read: { ...this.#records.read } }
    return {
      engine,
      version,
      charset,
      sql_mode,
      consistency,
      fuzzy_tables: [...fuzzy],
      whole_tables,
      skipped: skippedOf(entries),
      events: events ?? [],
      other_events: (events && !unseen.includes('EVENT') && other_events) || null,
      beside: this.#found.beside ?? [],
      notes: databaseNotes(this.#found),
      omitted: omitted.map(([table, why]) => ({ table, why })),
      unnamed: unnamed?.elsewhere ?? 0,
      ...origin,
      ...written,
    }
  }

  #isWhole(table: Table): boolean {
    return table.kind === 'table' && (table.key.length === 0 || !this.#digests || !hasDigests(table, this.#found.engine))
  }

  #say(rows: number, always = false): Promise<void> {
    const total = this.#found.tables.reduce((sum, table) => sum + table.rows, 0)
    return this.#reporter.say(
      { phase: 'database', done: rows, total: Math.max(total, rows), unit: 'rows', bytes: this.#records.bytes },
      always,
    )
  }
}
