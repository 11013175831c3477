// What a release left behind: the checksums of its migrations, and the data of a small installation as it wrote it.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../src/platform/database.ts'

export const MIGRATIONS = path.join(import.meta.dirname, '../migrations')
const FOLDER = path.join(import.meta.dirname, 'released')

/** One installation, and what it answered when it was recorded. */
export interface Released {
  migrations: string[]
  /** The master key's file, and a token. */
  masterKey: string
  token: string
  /** What is asked of it, with what was answered. */
  answers: Record<string, unknown>
  /** Rows by table. */
  rows: Record<string, object[]>
}

export const released = (): Record<string, string> => JSON.parse(fs.readFileSync(path.join(FOLDER, 'migrations.json'), 'utf8'))

export const checksums = (): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(MIGRATIONS)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(fs.readFileSync(path.join(MIGRATIONS, name)))
          .digest('hex'),
      ]),
  )

export const installations = (): [version: string, Released][] =>
  fs
    .readdirSync(FOLDER)
    .filter((name) => name !== 'migrations.json')
    .map((name) => [path.basename(name, '.json'), JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'))])

/** Called once for a release. */
export function writeReleased(version: string, installation: Released): void {
  fs.mkdirSync(FOLDER, { recursive: true })
  fs.writeFileSync(path.join(FOLDER, `${version}.json`), `${JSON.stringify(installation, null, 1)}\n`)
  fs.writeFileSync(path.join(FOLDER, 'migrations.json'), `${JSON.stringify(checksums(), null, 2)}\n`)
}

interface Column {
  table_name: string
  columns: string[]
}

/** Every table with what can be written in it; not what a running process notes for itself. */
async function tables(db: Database): Promise<Column[]> {
  const { rows } = await sql<Column>`SELECT table_name, json_agg(column_name ORDER BY ordinal_position) AS columns
    FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER'
      AND table_name NOT IN ('schema_migrations', 'nodes', 'feed_staging') GROUP BY table_name ORDER BY table_name`.execute(db)
  return rows
}

export async function readRows(db: Database): Promise<Released['rows']> {
  const found: Released['rows'] = {}
  for (const { table_name, columns } of await tables(db)) {
    const { rows } = await sql<{ row: object }>`SELECT to_jsonb(t) AS row FROM
      (SELECT ${sql.join(columns.map((name) => sql.ref(name)))} FROM ${sql.table(table_name)}) t ORDER BY t::text`.execute(db)
    if (rows.length > 0) found[table_name] = rows.map(({ row }) => row)
  }
  return found
}

/** Into empty tables of the schema that the rows were read from. */
export async function loadRows(db: Database, all: Released['rows']): Promise<void> {
  await db.transaction().execute(async (within) => {
    // References and triggers are passed over: the rows are as they were, in any order.
    await sql`SET LOCAL session_replication_role = replica`.execute(within)
    for (const { table_name, columns } of await tables(within)) {
      const names = sql.join(columns.map((name) => sql.ref(name)))
      await sql`DELETE FROM ${sql.table(table_name)}`.execute(within)
      await sql`INSERT INTO ${sql.table(table_name)} (${names}) OVERRIDING SYSTEM VALUE
        SELECT ${names} FROM jsonb_populate_recordset(NULL::${sql.table(table_name)}, ${JSON.stringify(all[table_name] ?? [])}::jsonb)`.execute(
        within,
      )
    }
    const { rows: numbered } = await sql<{ table_name: string; column_name: string }>`SELECT table_name, column_name
      FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'`.execute(within)
    for (const { table_name, column_name } of numbered)
      await sql`SELECT setval(pg_get_serial_sequence(${table_name}, ${column_name}), (SELECT coalesce(max(${sql.ref(column_name)}), 0) + 1
        FROM ${sql.table(table_name)}), false)`.execute(within)
  })
}
