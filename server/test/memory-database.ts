// For tests: a database in memory that answers as the connector does, byte caps and positions included.

import type { SiteDatabase } from '../src/backups/engine/pull-database.ts'
import { quoted } from '../src/backups/engine/sql-name.ts'
import type { Rows } from '../src/connector/call.ts'
import type { Params, Result } from '../src/connector/commands.ts'
import { type DigestRow, rangesIn } from './memory-digests.ts'

const HEAVY = 40 * 1024 * 1024

type TableMaker = { name: string; rows: number; keyed: boolean }

/** Tables behind the connector's database verbs; a row's text says its table, number and version, its key its number plus one. */
export class MemoryDatabase implements SiteDatabase {
  made: TableMaker[]
  /** How long its keys are at least. */
  keyCharacters = 0
  readonly #keys: string[][] = []
  /** Of rows, of digests, and bytes of rows that were told. */
  requests = 0
  digested = 0
  told = 0
  version: (table: string, row: number) => number = () => 0
  beforeRows: (params: Params<'db.rows'>) => void = () => undefined
  beforeDigests: (params: Params<'db.digests'>) => void = () => undefined
  /** Rows that were deleted. */
  gone: (table: string, row: number) => boolean = () => false
  /** Rows that are too large to travel. */
  heavy: (table: string, row: number) => boolean = () => false
  /** It has no time left behind each range. */
  hurried = false
  /** What a digest is made of. */
  digestText = (table: string, row: number) => this.line(table, row)

  constructor(made: TableMaker[]) {
    this.made = made
  }

  async tables(): Promise<Result<'db.tables'>> {
    const column = (name: string) => ({ name, type: 'longtext', binary: false, generated: false })
    const columns = [column('id'), column('text')]
    const tables = this.made.map(({ name, rows, keyed }) => {
      const create = `CREATE TABLE ${quoted(name)} (\`id\` bigint, \`text\` longtext)`
      return {
        name,
        kind: 'table' as const,
        rows,
        bytes: rows * 100,
        create,
        auto_increment: keyed ? rows + 1 : null,
        columns,
        key: keyed ? ['id'] : [],
      }
    })
    const create = 'CREATE VIEW `wp_view` AS SELECT `id` FROM `wp_posts`;'
    const view = {
      name: 'wp_view',
      kind: 'view' as const,
      rows: 0,
      bytes: 0,
      create,
      auto_increment: null,
      columns: [column('id')],
      key: [],
    }
    return { engine: 'mariadb', version: '11.4', charset: 'utf8mb4', sql_mode: '', tables: [view, ...tables], done: true }
  }

  readonly rows = async (params: Params<'db.rows'>): Promise<Rows> => {
    this.requests += 1
    this.beforeRows(params)
    const table = this.#table(params.table)
    const first = params.after ? numberOf(params.after) : params.offset
    const end = params.until ? Math.min(table.rows, numberOf(params.until)) : table.rows
    let [last, rows, sql] = [first, 0, '']
    const skipped: Rows['skipped'] = []
    for (; last < end && rows < params.max_items && (sql === '' || sql.length < params.max_bytes - 200); last++) {
      if (this.gone(table.name, last)) continue
      if (this.#skips(params, last)) {
        skipped.push({ key: table.keyed ? this.#keyOf(last + 1) : null, offset: table.keyed ? 0 : last, bytes: HEAVY })
        continue
      }
      sql += this.line(table.name, last)
      rows += 1
    }
    this.told += sql.length
    const after = table.keyed ? this.#keyOf(last) : null
    const offset = table.keyed ? params.offset : last
    return { rows, after, offset, done: last >= end, encoding: 'identity', skipped, sql: Buffer.from(sql) }
  }

  readonly digests = async (params: Params<'db.digests'>): Promise<Result<'db.digests'>> => {
    this.digested += 1
    this.beforeDigests(params)
    const tables: Result<'db.digests'>['tables'] = []
    let left = this.hurried ? 1 : params.max_items
    for (const ask of params.tables) {
      const ranges = [...rangesIn(this.#rowsOf(ask.table), ask, params.bytes, compareKeys)]
      tables.push({ ranges: ranges.slice(0, left), done: ranges.length < left })
      left -= ranges.length
      if (left <= 0) break
    }
    return { tables }
  }

  #skips({ table, skip_above }: { table: string; skip_above?: number | undefined }, row: number): boolean {
    return skip_above !== undefined && skip_above < HEAVY && this.heavy(table, row)
  }

  /** Of what a backup can hold. */
  text(name: string): string {
    const rows = Array.from({ length: this.#table(name).rows }, (_, i) => i)
    return rows.map((i) => (this.gone(name, i) || this.heavy(name, i) ? '' : this.line(name, i))).join('')
  }

  line(name: string, i: number): string {
    return `INSERT INTO ${quoted(name)} (\`id\`,\`text\`) VALUES (${i},'row ${i} v${this.version(name, i)} é');\n`
  }

  /** Key and text are made when they are asked for: most of a large table's never are. */
  #rowsOf(name: string): DigestRow[] {
    const table = this.#table(name)
    const rows = Array.from({ length: table.rows }, (_, i) => i).filter((i) => !this.gone(name, i))
    const keyOf = (i: number) => (table.keyed ? this.#keyOf(i + 1) : [])
    const textOf = (i: number) => (this.heavy(name, i) ? `H${i}` : this.digestText(name, i))
    return rows.map((i) => new MadeRow(i, keyOf, textOf))
  }

  #keyOf(number: number): string[] {
    this.#keys[number] ??= [Buffer.from(String(number).padStart(this.keyCharacters, '0')).toString('base64')]
    return this.#keys[number]
  }

  #table(name: string): TableMaker {
    const table = this.made.find((one) => one.name === name)
    if (!table) throw new Error(`no table ${name}`)
    return table
  }
}

class MadeRow implements DigestRow {
  readonly #number: number
  readonly #keyOf: (number: number) => string[]
  readonly #textOf: (number: number) => string

  constructor(number: number, keyOf: (number: number) => string[], textOf: (number: number) => string) {
    this.#number = number
    this.#keyOf = keyOf
    this.#textOf = textOf
  }

  get key(): string[] {
    return this.#keyOf(this.#number)
  }

  get text(): string {
    return this.#textOf(this.#number)
  }
}

const numberOf = (key: string[]) => Number(Buffer.from(key[0] ?? '', 'base64').toString())
const compareKeys = (a: string[], b: string[]) => numberOf(a) - numberOf(b)
