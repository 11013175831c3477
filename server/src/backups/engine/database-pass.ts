// One look at all tables: what is as it was before is taken over, the rest is read.
import { SKIP_ABOVE } from '../../connector/call.ts'
import type { Params, Result } from '../../connector/commands.ts'
import { malformed } from '../../connector/slice.ts'
import { UnknownRows } from './insert-grammar.ts'
import { comparable, type KnownTables } from './known-tables.ts'
import type { TableRange } from './manifest.ts'
import type { Packer } from './packer.ts'
import { type FoundRange, type Key, type Piece, RANGE_BYTES, RangePlan } from './range-plan.ts'
import { isRefused, twice, UNREADABLE } from './refused.ts'
import { rowsOf } from './skipped-rows.ts'
import { type Position, type RangeRequest, readRange, readRanges, type Table } from './table-ranges.ts'

export type AskDigests = (params: Params<'db.digests'>, signal: AbortSignal) => Promise<Result<'db.digests'>>

/** Where an earlier attempt stopped inside a table. */
export type OpenTable = { ranges: TableRange[]; next: number; position: Position }

export type PassRequest = RangeRequest & {
  packer: Pick<Packer, 'add' | 'stored'>
  /** Absent: the site knows no digests, so everything is read. */
  digests: AskDigests | undefined
  tables: Table[]
  /** Of the tables the one without which the others are nothing. */
  options: string
  engine: string
  before: KnownTables
  /** Takes nothing over. */
  readAll: boolean
  /** Tables without digests are read while they are no more than so many bytes of SQL in all; the others are kept as before. */
  wholeBytes: number
  open?: ReadonlyMap<string, OpenTable>
  /** After each range; `read`: it travelled. */
  onRange(table: Table, range: TableRange, at: { read: boolean; next: number; position: Position }): Promise<void>
  onTable(table: Table, ranges: TableRange[]): Promise<void>
  /** It cannot be read, or what the site sent for it is no rows, so nothing of it is kept. */
  onOmitted(table: Table): void
}

/** `moved`: tables that were not as before. `unseen`: those that were not looked at. `omitted`: those that cannot be read or whose rows are none, and why. */
export type PassResult = {
  tables: Map<string, TableRange[]>
  omitted: Map<string, string>
  moved: Set<string>
  unseen: Set<string>
  fresh: Set<TableRange>
}

const TABLES_AT_ONCE = 200
const BOUNDS_AT_ONCE = 2_000
// With the names of their tables, below what small hosts and firewalls take of a request, in an envelope too.
const ASK_CHARACTERS = 40_000
const ASK_FIELDS = 60
const RANGES_AT_ONCE = 300
const BUDGET_MS = 8_000
const MIN_STEP = 50
const MAX_STEP = 20_000
/** A table without a key is digested in one go, which has to end in time. */
const KEYLESS_BYTES = 64 * 1024 * 1024

type Settling = { piece: Piece; position: Position; stored: ReadonlySet<string>; beside: TableRange[] }
type Going = { table: Table; plan: RangePlan; ranges: TableRange[] }

export async function passOver(request: PassRequest): Promise<PassResult> {
  return new DatabasePass(request).run()
}

/** Whether a table can be compared in parts, or at least as a whole, without its rows. */
export function hasDigests({ kind, key, bytes }: Table, engine: string): boolean {
  return kind === 'table' && (key.length > 0 || (engine !== 'sqlite' && bytes <= KEYLESS_BYTES))
}

/** How many of its rows may be a range. */
export const stepOf = ({ rows, bytes }: Table) =>
  Math.round(Math.min(MAX_STEP, Math.max(MIN_STEP, bytes > 0 ? (RANGE_BYTES * rows) / bytes : 1_000)))

class DatabasePass {
  readonly #request: PassRequest
  readonly #result: PassResult = { tables: new Map(), omitted: new Map(), moved: new Set(), unseen: new Set(), fresh: new Set() }
  #wholeBytes = 0

  constructor(request: PassRequest) {
    this.#request = { ...request, rows: twice(request.rows) }
  }

  async run(): Promise<PassResult> {
    const { tables, digests, engine, before } = this.#request
    const compared = digests ? tables.filter((table) => hasDigests(table, engine)) : []
    await this.#compare(compared)
    const others = new Set(tables)
    for (const table of compared) others.delete(table)
    for (const table of others) await this.#orOmit(table, () => this.#whole(table))
    for (const name of before.keys()) if (!this.#result.tables.has(name)) this.#result.moved.add(name)
    return this.#result
  }

  async #compare(tables: Table[]): Promise<void> {
    let going = tables.map((table) => this.#begin(table))
    while (going.length > 0) {
      const asks = asksFor(going)
      const answer = await this.#answer(asks, going[0]?.table)
      for (const [i, { ranges, done }] of answer.entries()) {
        const one = going[i]
        // Behind a range without an end there is nothing, whatever a site that has no time left says of it.
        const last = (done && asks[i]?.tail === true) || ranges.at(-1)?.until === null
        if (one) await this.#orOmit(one.table, () => this.#take(one, ranges, last))
      }
      going = going.filter(({ table, plan }) => !plan.ended && !this.#result.omitted.has(table.name))
    }
  }

  /** One table that is not what it should be is no reason to have none. */
  async #orOmit(table: Table, read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      const isLost = isRefused(error) && table.name !== this.#request.options
      const why = error instanceof UnknownRows ? error.message : isLost ? UNREADABLE : null
      if (why === null) throw error
      this.#result.omitted.set(table.name, why)
      this.#result.tables.delete(table.name)
      this.#result.moved.delete(table.name)
      this.#request.onOmitted(table)
    }
  }

  #begin(table: Table): Going {
    const open = this.#request.open?.get(table.name)
    const before = comparable(this.#request.before.get(table.name), table)
    return {
      table,
      plan: new RangePlan(table.name, before, { readAll: this.#request.readAll, next: open?.next, after: open?.position.after }),
      ranges: open?.ranges ?? [],
    }
  }

  /** Of the first of the tables that are asked for. One that cannot be read is found by asking for fewer, and is left out. */
  async #answer(asks: Params<'db.digests'>['tables'], first: Table | undefined): Promise<Result<'db.digests'>['tables']> {
    let answer: Result<'db.digests'>['tables'] = []
    const read = async () => {
      answer = await this.#ask(asks)
      if (answer.length === 0 || answer.length > asks.length) throw malformed('The site’s digests do not fit what was asked for.')
    }
    if (asks.length === 1 && first) await this.#orOmit(first, read)
    else
      try {
        await read()
      } catch (error) {
        if (!isRefused(error)) throw error
        return this.#answer(asks.slice(0, Math.ceil(asks.length / 2)), first)
      }
    return answer
  }

  async #ask(tables: Params<'db.digests'>['tables']) {
    const { digests, slice, signal } = this.#request
    const params = { tables, bytes: RANGE_BYTES, skip_above: SKIP_ABOVE, max_items: RANGES_AT_ONCE, budget_ms: BUDGET_MS }
    const ask = digests && tables.length === 1 ? twice(digests) : digests
    return (await slice.ask(signal, async () => ask?.(params, signal)))?.tables ?? []
  }

  async #take(one: Going, found: FoundRange[], last: boolean): Promise<void> {
    const { table, plan, ranges } = one
    const before = comparable(this.#request.before.get(table.name), table)
    const beside = before.slice(plan.next, plan.next + found.length)
    const pieces = plan.take(found, last)
    const stored = await this.#request.packer.stored(pieces.flatMap(({ known }) => known?.blobs ?? []))
    for (const [i, piece] of pieces.entries()) {
      const position = { after: piece.until, offset: 0, done: last && i === pieces.length - 1 }
      await this.#settle(one, { piece, position, stored, beside })
    }
    if (!last) return
    this.#result.tables.set(table.name, ranges)
    if (ranges.length === 0 && before.length > 0) this.#result.moved.add(table.name)
    await this.#request.onTable(table, ranges)
  }

  /** `beside`: the ranges of before in whose place it is. */
  async #settle({ table, ranges }: Going, { piece, position, stored, beside }: Settling): Promise<void> {
    const kept = piece.known?.blobs.every((id) => stored.has(id)) ? piece.known : null
    const range = kept ?? (await readRange(this.#request, table, piece))
    if (!kept && rowsOf(range) === 0) return this.#extend(table, ranges, piece.until)
    ranges.push(range)
    if (!kept) this.#result.fresh.add(range)
    const held = kept ?? beside.some((other) => contentOf([other]) === contentOf([range]))
    // Other rows came than were digested a moment before.
    if (!held || range.digest !== piece.digest) this.#result.moved.add(table.name)
    await this.#request.onRange(table, range, { read: !kept, next: piece.next, position })
  }

  /** Behind the last range are no rows up to this key. */
  #extend({ name }: Table, ranges: TableRange[], until: Key): void {
    const last = ranges.at(-1)
    if (last) ranges[ranges.length - 1] = { ...last, until }
    this.#result.moved.add(name)
  }

  async #whole(table: Table): Promise<void> {
    const { before, onRange, onTable, open, wholeBytes } = this.#request
    const known = before.get(table.name)?.ranges
    const ranges = open?.get(table.name)?.ranges ?? []
    const position = open?.get(table.name)?.position ?? { after: null, offset: 0, done: table.kind === 'view' }
    if (this.#wholeBytes > wholeBytes && known) {
      ranges.push(...known)
      if (known.length > 0) this.#result.unseen.add(table.name)
    } else {
      for await (const step of readRanges(this.#request, table, position)) {
        ranges.push(step.range)
        this.#wholeBytes += step.range.bytes
        await onRange(table, step.range, { read: true, next: 0, position: step.position })
      }
      if (table.kind === 'table' && contentOf(ranges) !== contentOf(known ?? [])) this.#result.moved.add(table.name)
    }
    if (table.kind === 'table') this.#result.tables.set(table.name, ranges)
    await onTable(table, ranges)
  }
}

/** As many tables and bounds as one request should carry; a table whose bounds do not fit is asked for up to the last one that does. */
function asksFor(going: Going[]): Params<'db.digests'>['tables'] {
  const asks: Params<'db.digests'>['tables'] = []
  let [count, characters] = [0, 0]
  for (const { table, plan } of going.slice(0, TABLES_AT_ONCE)) {
    characters += JSON.stringify([table.name, plan.after]).length + ASK_FIELDS
    if (characters > ASK_CHARACTERS && asks.length > 0) break
    const bounds: string[][] = []
    const ahead = table.key.length > 0 ? plan.ahead(BOUNDS_AT_ONCE - count) : []
    for (const { until } of ahead) {
      characters += JSON.stringify(until).length + 1
      if (characters > ASK_CHARACTERS && bounds.length > 0) break
      bounds.push(until ?? [])
    }
    count += bounds.length
    const tail = table.key.length === 0 || plan.isLast(ahead.slice(0, bounds.length))
    asks.push({ table: table.name, after: plan.after, bounds, tail, step: stepOf(table) })
    if (!tail || count >= BOUNDS_AT_ONCE || characters > ASK_CHARACTERS) break
  }
  return asks
}

const contentOf = (ranges: TableRange[]) =>
  JSON.stringify([
    ranges.flatMap(({ blobs }) => blobs),
    ranges.flatMap(({ skipped = [] }) => skipped.map(({ key, offset }) => key ?? offset)),
  ])
