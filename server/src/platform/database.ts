import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { reportingPool } from './database-trouble.ts'
import type { DatabaseAddress } from './open-database.ts'
import { Refusal } from './refusal.ts'

export type Database = Kysely<unknown>

export type PoolLog = { warn: (message: string) => void }

/** How many connections a pool may hold where nothing else is said. */
const POOL_SIZE = 20
/** What comes each minute finds a connection: to open one costs the database more than most questions do. */
const IDLE_MS = 75_000
/** A query of ours that takes longer is a mistake; jobs that may take longer say so with SET LOCAL. */
const STATEMENT_TIMEOUT_MS = 30_000
/** Longer than any statement of ours may take; then a server that says nothing at all is taken for gone. */
const SILENCE_MS = 150_000
/** A server whose machine has vanished says nothing: whether it lives is asked of a connection that was idle for so long. */
const LIVELINESS = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 10_000 }
const OLDEST_SERVER = 150_000

const INT8 = 20
const DATE = 1082
const NUMERIC = 1700

/** Kysely over a pool; `destroy()` ends the pool. While the database is away whatever is asked ends with `DatabaseAway`. */
export function databaseOn(pool: PostgresPool): Database {
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: reportingPool(pool) }) })
}

/** Instants come as `Date`, bigint and numeric as `number`, calendar days as text. */
export function connectPool(address: DatabaseAddress, log: PoolLog, over: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(address),
    max: POOL_SIZE,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_MS,
    application_name: 'service',
    types: { getTypeParser },
    ...over,
  })
  // The pool hears of those that are idle. Without a listener the loss of one in use would be the end of the process.
  pool.on('connect', (client) => client.on('error', (error) => log.warn(`a database connection was lost: ${error.message}`)))
  pool.on('error', () => {})
  return pool
}

/** What a `pg` client needs to reach an address. */
export function clientConfig(address: DatabaseAddress): pg.ClientConfig {
  if ('url' in address) return { connectionString: address.url, ...LIVELINESS }
  // All of it said: what is not said is read from PGPORT, PGSSLMODE and their like.
  return { host: address.socketDir, port: 5432, ssl: false, user: 'postgres', database: address.database ?? 'postgres', ...LIVELINESS }
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
    throw new Refusal(
      `the database does not answer: ${error instanceof Error ? error.message : String(error)}. See that it runs, and that DATABASE_URL leads to it where that is set`,
    )
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
