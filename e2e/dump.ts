// Reads a database.sql, and a SQLite database, into rows that can be compared.
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'

/** Table → rows; a row is a JSON text of its values by column, each as text or null. */
export type Rows = Map<string, string[]>

/** The rows of every table of a dump. A line feed ends a statement and occurs nowhere else. */
export async function rowsOfDump(file: string): Promise<Rows> {
  const tables: Rows = new Map()
  for (const statement of (await readFile(file, 'utf8')).split('\n')) {
    const created = /^CREATE TABLE `([^`]+)`/.exec(statement)?.[1]
    if (created !== undefined) tables.set(created, [])
    const [head, table, names] = /^INSERT INTO `([^`]+)` \(([^)]*)\) VALUES /.exec(statement) ?? []
    if (head === undefined || table === undefined || names === undefined) continue
    const columns = names.split(',').map((name) => name.slice(1, -1))
    const rows = tables.get(table) ?? []
    tables.set(table, rows)
    for (const values of tuples(statement, head.length)) rows.push(rowText(columns, values))
  }
  return sorted(tables)
}

/** The rows of every table WordPress made in a SQLite file; what the driver and the connector keep for themselves is left out. */
export function rowsOfSqlite(file: string): Rows {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = database.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_%' ESCAPE '\\'",
  )
  const tables: Rows = new Map()
  for (const { name } of names.all() as { name: string }[]) {
    const select = database.prepare(`SELECT * FROM "${name}"`)
    select.setReadBigInts(true)
    const rows = select.all().filter(({ option_name }) => !String(option_name).startsWith('svc_connector_'))
    tables.set(
      name,
      rows.map((row) => rowText(Object.keys(row), Object.values(row).map(sqliteText))),
    )
  }
  database.close()
  return sorted(tables)
}

const sorted = (tables: Rows): Rows => new Map([...tables].map(([name, rows]) => [name, rows.sort()]))
const rowText = (columns: string[], values: (string | null)[]) =>
  JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, values[index] ?? null])))

function sqliteText(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  return typeof value === 'string' ? Buffer.from(value).toString('latin1') : String(value)
}

const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', '0': '\0', Z: '\u001a', b: '\b' }

/** The values of `(…),(…);` from `at` on, as latin1 texts of their bytes. */
function* tuples(statement: string, at: number): Generator<(string | null)[]> {
  const token = /\(|\)|,|;|NULL|0x([0-9A-F]*)|'((?:[^'\\]|\\[\s\S])*)'|[-+.0-9eE]+/gy
  token.lastIndex = at
  let row: (string | null)[] = []
  for (let found = token.exec(statement); found; found = token.exec(statement)) {
    const [text, hex, quoted] = found
    if (text === ';') return
    if (text === '(') row = []
    else if (text === ')') yield row
    else if (text !== ',') row.push(textOf(text, hex, quoted))
  }
  throw new Error(`Not an INSERT: ${statement.slice(token.lastIndex, token.lastIndex + 80)}`)
}

function textOf(text: string, hex: string | undefined, quoted: string | undefined): string | null {
  if (hex !== undefined) return Buffer.from(hex, 'hex').toString('latin1')
  if (quoted !== undefined) return Buffer.from(quoted.replace(/\\([\s\S])/g, (_, char: string) => ESCAPED[char] ?? char)).toString('latin1')
  if (text === 'NULL') return null
  return /[.e]/i.test(text) ? String(Number(text)) : text
}
