import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Refusal } from './refusal.ts'

type Migration = { version: number; name: string; sql: string; checksum: string }

type Applied = { version: number; name: string; checksum: string }

/** The key of the advisory lock: any constant that nothing else in the database uses. */
const LOCK = 7_236_401

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/

const CREATE_TABLE = `create table if not exists schema_migrations (
  version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`

/** A statement that needs a lock waits so long for it: behind it wait all others who want that table. Then it steps back and tries again. */
const LOCK_TIMEOUT_MS = 3000
const TRIES = 40
const PAUSE_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'

/** The first line of a migration that builds indexes beside everybody's work: no transaction, each statement on lines of its own. */
const CONCURRENTLY = /^-- concurrently\n/

/**
 * Brings the database to the newest of the plain SQL files in `folder` (`NNNN_name.sql`, forward only, one transaction each) and
 * answers the names it applied. Several processes may do so at once. Throws `Refusal` when files and database contradict each other.
 */
export async function migrate(pool: pg.Pool, folder: string): Promise<string[]> {
  const migrations = readMigrations(folder)
  const applied: string[] = []
  if (await isUpToDate(pool, migrations)) return applied
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await takeTurn(client)
    await client.query(CREATE_TABLE)
    for (let next = await applyNext(client, migrations); next; next = await applyNext(client, migrations)) applied.push(next)
    return applied
  } finally {
    // With the connection ends its lock, however this went.
    client.release(true)
  }
}

/** Asks again and again: whoever waits in a statement would keep `create index concurrently` waiting for him. */
async function takeTurn(client: pg.PoolClient): Promise<void> {
  const mine = async () => (await client.query('select pg_try_advisory_lock($1) as mine', [LOCK])).rows[0].mine
  while (!(await mine())) await sleep(50)
}

/** The files are not those of one version. */
const mixed = (what: string) => new Refusal(`${what}: install this version anew, into an empty folder`)

/** The migrations in a folder, in order. Throws `Refusal` for a file with another kind of name or a number used twice. */
function readMigrations(folder: string): Migration[] {
  const migrations = fs
    .readdirSync(folder)
    .sort()
    .map((name) => readMigration(folder, name))
  const twice = migrations.find(({ version }, index) => migrations[index - 1]?.version === version)
  if (twice) throw mixed(`two migrations have the number of ${twice.name}`)
  return migrations
}

function readMigration(folder: string, name: string): Migration {
  const version = FILE_NAME.exec(name)?.[1]
  if (version === undefined) throw new Refusal(`${name} is not a migration: its name must look like 0001_what_it_does.sql`)
  const sql = fs.readFileSync(path.join(folder, name), 'utf8')
  return { version: Number(version), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

async function isUpToDate(pool: pg.Pool, migrations: Migration[]): Promise<boolean> {
  const { rows } = await pool.query(`select to_regclass('schema_migrations') is not null as exists`)
  if (!rows[0].exists) return false
  return findNext(migrations, await readApplied(pool)) === undefined
}

/** Applies the first pending migration, and steps back for a moment while others hold the locks it needs. */
async function applyNext(client: pg.PoolClient, migrations: Migration[]): Promise<string | undefined> {
  const next = findNext(migrations, await readApplied(client))
  if (!next) return undefined
  for (let tries = 1; ; tries++) {
    try {
      await apply(client, next)
      return next.name
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      const kept = CONCURRENTLY.test(next.sql) ? 'and is begun anew the next time' : 'and nothing of it was kept'
      if (code !== LOCK_NOT_AVAILABLE)
        throw new Refusal(`migration ${next.name} failed ${kept}: ${message}. Mend what it names, or start the version from before again`)
      if (tries === TRIES)
        throw new Refusal(
          `migration ${next.name} was given up: others keep what it must lock. Nothing of it was kept; start again when less is done on the database`,
        )
    }
    await sleep(PAUSE_MS)
  }
}

async function apply(client: pg.PoolClient, { version, name, sql, checksum }: Migration): Promise<void> {
  const concurrently = CONCURRENTLY.test(sql)
  const each = sql.split(/(?<=;)\n/).filter((statement) => statement.includes(';'))
  const statements = concurrently ? each : ['begin', `set local lock_timeout = ${LOCK_TIMEOUT_MS}`, sql]
  try {
    for (const statement of statements) await client.query(statement)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [version, name, checksum])
    if (!concurrently) await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function readApplied(client: pg.Pool | pg.PoolClient): Promise<Applied[]> {
  const { rows } = await client.query<Applied>('select version, name, checksum from schema_migrations order by version')
  return rows
}

/** The first migration the database lacks. Throws `Refusal` unless what it has is exactly a beginning of what we have. */
function findNext(migrations: Migration[], applied: Applied[]): Migration | undefined {
  applied.forEach((done, index) => {
    const ours = migrations[index]
    if (!migrations.some(({ version }) => version === done.version)) {
      throw new Refusal(
        `the database is newer than this program: it has migration ${done.name}, which is unknown here. Start the version that made it, or a newer one; to go back, put back the copy of the database from before the update`,
      )
    }
    if (ours?.version !== done.version) throw mixed(`migration ${ours?.name} comes before ${done.name}, which has been applied already`)
    if (ours.checksum !== done.checksum) throw mixed(`migration ${ours.name} was changed after it had been applied`)
  })
  return migrations[applied.length]
}
