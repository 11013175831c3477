import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from './open-database.ts'
import { Refusal } from './refusal.ts'

export type Database = Kysely<unknown>

export type PoolLog = { warn: (message: string) => void }

/** How many connections one process may hold; LISTEN and migrations use the same pool. */
const POOL_SIZE = 20
/** A query of ours that takes longer is a mistake; jobs that may take longer say so with SET LOCAL. */
const STATEMENT_TIMEOUT_MS = 30_000
const OLDEST_SERVER = 150_000

const INT8 = 20
const DATE = 1082
const NUMERIC = 1700

/** A database over a pool of its own; `destroy()` ends both. Instants are `Date`, bigint and numeric are `number`, dates stay text. */
export function connectDatabase(address: DatabaseAddress, log: PoolLog): Database {
  return databaseOn(connectPool(address, log))
}

export function databaseOn(pool: pg.Pool): Database {
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
}

export function connectPool(address: DatabaseAddress, log: PoolLog): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(address),
    max: POOL_SIZE,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    connectionTimeoutMillis: 10_000,
    application_name: 'service',
    types: { getTypeParser },
  })
  pool.on('error', (error) => log.warn(`an idle database connection was lost: ${error.message}`))
  return pool
}

/** What a `pg` client needs to reach an address. */
export function clientConfig(address: DatabaseAddress): pg.ClientConfig {
  if ('url' in address) return { connectionString: address.url }
  return { host: address.socketDir, user: 'postgres', database: address.database ?? 'postgres' }
}

/** Runs `work` in a transaction: the caller's where there is one, else a new one. */
export function inTransaction<T>(db: Database, work: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Transaction<unknown>) : db.transaction().execute(work)
}

/** Throws `Refusal` when the server is unreachable or too old. */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const number = await serverVersion(pool)
  if (number < OLDEST_SERVER)
    throw new Refusal(`PostgreSQL 15 or newer is needed; DATABASE_URL leads to version ${Math.trunc(number / 10_000)}`)
}

async function serverVersion(pool: pg.Pool): Promise<number> {
  try {
    const { rows } = await pool.query('show server_version_num')
    return Number(rows[0].server_version_num)
  } catch (error) {
    throw new Refusal(`the database does not answer: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8) return safeInteger
  if (oid === NUMERIC) return Number
  if (oid === DATE) return String
  return pg.types.getTypeParser(oid, format)
}

/** Above 2^53 a number would silently be another one. */
function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`a bigint of the database does not fit a number: ${text}`)
  return value
}
