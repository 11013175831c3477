// Whether the database of a backup can be imported, and is then what was backed up: tried in a database that is thrown away.
import { hash } from 'node:crypto'
import { siteSaid } from '../connector/clean.ts'
import { listOpenJobs } from '../jobs/store.ts'
import { plainWord, type SiteSaid } from '../kernel/site-said.ts'
import { type MysqlClient, MysqlRefusal } from '../platform/mysql-client.ts'
import type { World } from '../world.ts'
import { addRow, noRows, type RowSum, sameRows } from './engine/insert-rows.ts'
import { type Manifest, readTables, type TableEntry } from './engine/manifest.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { dumpBytes, dumpParts } from './engine/sql-dump.ts'
import { quoted } from './engine/sql-name.ts'

export interface Imported {
  ok: boolean
  /** Why not. */
  reason: string | null
  /** What the database said, which repeats what it was given. */
  site_said: SiteSaid | null
  tables: number
  rows: number
}

/** So much SQL at most is given to the server. */
const mostBytes = 8 * 1024 ** 3
const named = 10

type Wanted = { manifest: Manifest; read: ReadBlob; sums: ReadonlyMap<string, RowSum>; jobId: string; signal: AbortSignal }

/** Imports, compares every row, and drops. A server that cannot take it says nothing against the backup. */
export async function tryImport(world: Pick<World, 'db' | 'masterKey'>, client: MysqlClient, wanted: Wanted): Promise<Imported> {
  const { manifest, jobId, signal } = wanted
  const imported: Imported = { ok: false, reason: null, site_said: null, tables: 0, rows: 0 }
  const database = databaseOf(world, jobId)
  if ((manifest.database?.bytes ?? 0) > mostBytes) return { ...imported, reason: 'The database is too large to be tried out.' }
  try {
    await sweepDatabases(world, client, signal)
    await client.ask(
      null,
      `DROP DATABASE IF EXISTS ${database}; CREATE DATABASE ${database} CHARACTER SET utf8mb4`,
      () => undefined,
      signal,
    )
    await client.feed(database, dumpBytes(dumpParts(tablesOnly(readTables(manifest, wanted.read))), wanted.read), signal)
    imported.reason = await difference(client, database, wanted, imported)
  } catch (error) {
    if (!(error instanceof MysqlRefusal)) throw error
    imported.reason = 'The import did not end well; what the database said tells why.'
    imported.site_said = siteSaid(error.message)
  } finally {
    await client.ask(null, `DROP DATABASE IF EXISTS ${database}`, () => undefined, AbortSignal.timeout(60_000)).catch(() => undefined)
  }
  return { ...imported, ok: imported.reason === null }
}

/** What acts by itself is no part of a trial: its user need not be allowed to make such things. */
async function* tablesOnly(tables: AsyncIterable<TableEntry>): AsyncGenerator<TableEntry, void, undefined> {
  for await (const table of tables) yield { ...table, triggers: [] }
}

// Several installations may use one server.
const prefixOf = ({ masterKey }: Pick<World, 'masterKey'>) => `svc_verify_${hash('sha256', masterKey.id).slice(0, 8)}_`
const databaseOf = (world: Pick<World, 'masterKey'>, jobId: string) => `${prefixOf(world)}${jobId.replace(/^job_/, '')}`

/** Drops what killed jobs left there. */
async function sweepDatabases(world: Pick<World, 'db' | 'masterKey'>, client: MysqlClient, signal: AbortSignal): Promise<void> {
  const open = new Set((await listOpenJobs(world.db)).map(({ id }) => databaseOf(world, id)))
  const there: string[] = []
  const seen = (line: Uint8Array) => there.push(Buffer.from(line).toString('utf8'))
  await client.ask(null, `SHOW DATABASES LIKE '${prefixOf(world).replaceAll('_', '\\_')}%'`, seen, signal)
  for (const name of there)
    if (/^[a-z0-9_]+$/.test(name) && !open.has(name)) await client.ask(null, `DROP DATABASE IF EXISTS ${name}`, () => undefined, signal)
}

/** Null when every row is there as it was. */
async function difference(client: MysqlClient, database: string, wanted: Wanted, imported: Imported): Promise<string | null> {
  const { manifest, read, sums, signal } = wanted
  const unlike: string[] = []
  const seen = new Set<string>()
  for await (const table of readTables(manifest, read)) {
    if (table.kind === 'view' || seen.has(table.name)) continue
    seen.add(table.name)
    const expected = sums.get(table.name) ?? noRows()
    // SQLite's rows have other types than the tables they are put into here.
    const same =
      manifest.database?.engine === 'sqlite' ? await countOf(client, database, table, signal) : await sumOf(client, database, table, signal)
    imported.tables += 1
    imported.rows += same.rows
    const equal = manifest.database?.engine === 'sqlite' ? same.rows === expected.rows : sameRows(same, expected)
    const name = plainWord(table.name) ?? 'a table'
    if (!equal) unlike.push(same.rows === expected.rows ? name : `${name} (${same.rows} rows instead of ${expected.rows})`)
  }
  return unlike.length === 0 ? null : `Not what was backed up, once imported: ${unlike.slice(0, named).join(', ')}`
}

const session = "SET time_zone = '+00:00', sql_mode = ''; "
const floating = /^(float|double|real)\b/i

/** Read as the connector reads: binary as hex, floats as doubles. */
async function sumOf(client: MysqlClient, database: string, { name, columns }: TableEntry, signal: AbortSignal): Promise<RowSum> {
  const fields = columns
    .filter(({ generated }) => !generated)
    .map((column) => (column.binary ? `HEX(${quoted(column.name)})` : quoted(column.name) + (floating.test(column.type) ? ' + 0e0' : '')))
  const sum = noRows()
  await client.ask(database, `${session}SELECT ${fields.join(', ')} FROM ${quoted(name)}`, (line) => addRow(sum, line), signal)
  return sum
}

async function countOf(client: MysqlClient, database: string, { name }: TableEntry, signal: AbortSignal): Promise<RowSum> {
  const sum = noRows()
  const take = (line: Uint8Array) => {
    sum.rows = Number(Buffer.from(line).toString('latin1'))
  }
  await client.ask(database, `${session}SELECT COUNT(*) FROM ${quoted(name)}`, take, signal)
  return sum
}
