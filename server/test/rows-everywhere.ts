// A row of a workspace in every table that has rows of workspaces, those to come included: what the catalogue says of each column decides.
import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { tablesOfWorkspaces } from '../src/holdings/clear-store.ts'

type Db = Kysely<unknown>

interface Column {
  name: string
  type: string
  /** What a check allows, the first of it. */
  allowed: string | null
}

const values: Record<string, string> = {
  ...{
    text: 'md5(random()::text)',
    bytea: `decode(md5(random()::text), 'hex')`,
    jsonb: `'{}'`,
    json: `'{}'`,
    boolean: 'false',
    'text[]': `'{}'`,
    'integer[]': `'{}'`,
  },
  ...{ integer: '1', bigint: '1', smallint: '1', real: '1', 'double precision': '1', numeric: '1' },
  ...{ 'timestamp with time zone': 'now()', date: 'now()', inet: `'127.0.0.1'`, 'timestamp with time zone[]': `'{}'` },
}

/** Fills what is empty; of what a row refers to, it names one that is there. Answers all tables. */
export async function rowsEverywhere(db: Db, workspaceId: string, userId: string): Promise<string[]> {
  const tables = (await tablesOfWorkspaces(db)).toReversed()
  for (const table of tables) {
    const here = sql`FROM ${sql.table(table)} WHERE workspace_id = ${workspaceId} LIMIT 1`
    if ((await sql`SELECT 1 ${here}`.execute(db)).rows.length > 0) continue
    const given: Record<string, string> = { ...(await referred(db, table, workspaceId)), workspace_id: workspaceId }
    const columns = await mustBeGiven(db, table)
    const told = columns.map(({ name, type, allowed }) => {
      if (name === 'user_id' && type === 'text') return sql`${userId}`
      if (name === 'at' && type === 'text') return sql`${'01:00'}`
      if (given[name] !== undefined) return sql`${given[name]}`
      if (name === 'id' && type === 'text') return sql`${`${table}_of_${workspaceId}`}`
      return allowed === null ? sql.raw(values[type] ?? assert.fail(`${table}.${name} is ${type}`)) : sql`${allowed}`
    })
    const names = sql.join(columns.map(({ name }) => sql.ref(name)))
    await sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(told)})`.execute(db)
    assert.equal((await sql`SELECT 1 ${here}`.execute(db)).rows.length, 1, table)
  }
  return tables
}

async function mustBeGiven(db: Db, table: string): Promise<Column[]> {
  const { rows } = await sql<Column>`SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
      (SELECT (regexp_match(pg_get_constraintdef(k.oid), 'ANY [(].*?''([^'']+)''::text'))[1] FROM pg_constraint k
        WHERE k.contype = 'c' AND k.conrelid = a.attrelid AND k.conkey = ARRAY[a.attnum] LIMIT 1) AS allowed
    FROM pg_attribute a WHERE a.attrelid = ${table}::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND (a.attname IN ('workspace_id', 'site_id') OR (a.attnotnull AND NOT a.atthasdef AND a.attidentity = '')) ORDER BY a.attnum`.execute(
    db,
  )
  return rows
}

/** The values of columns that refer to rows of other tables. */
async function referred(db: Db, table: string, workspaceId: string): Promise<Record<string, string>> {
  const { rows } = await sql<{ refers_to: string; own: string[]; theirs: string[] }>`SELECT k.confrelid::regclass::text AS refers_to,
      ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u (n, i) JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY i) AS own,
      ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u (n, i) JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY i) AS theirs
    FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = ${table}::regclass`.execute(db)
  const found: Record<string, string> = {}
  for (const { refers_to, own, theirs } of rows.filter(({ theirs }) => theirs.includes('workspace_id'))) {
    const { rows: those } = await sql<Record<string, string>>`SELECT ${sql.join(theirs.map((name) => sql.ref(name)))}
      FROM ${sql.table(refers_to)} WHERE workspace_id = ${workspaceId} LIMIT 1`.execute(db)
    for (const [place, name] of own.entries())
      found[name] ??= those[0]?.[theirs[place] ?? ''] ?? assert.fail(`${table} refers to ${refers_to}`)
  }
  return found
}

/** How many rows of the workspace each table has that has some, and what is in them. */
export async function rowsOf(db: Db, workspaceId: string): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`SELECT c.relname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`.execute(db)
  const each = tables.map(
    ({ name }) => sql`SELECT ${name} AS name, count(*) || ' ' || md5(string_agg(t::text, E'\n' ORDER BY t::text)) AS told
      FROM ${sql.table(name)} t WHERE workspace_id = ${workspaceId}`,
  )
  const { rows } = await sql<{ name: string; told: string | null }>`${sql.join(each, sql` UNION ALL `)}`.execute(db)
  return Object.fromEntries(rows.flatMap(({ name, told }) => (told === null ? [] : [[name, told]])))
}
