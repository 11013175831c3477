import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { clientConfig, connectPool, type Database, databaseOn } from '../src/platform/database.ts'
import { clusterFolder, type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import { createLog } from '../src/platform/log.ts'
import { migrate } from '../src/platform/migrate.ts'
import type { DatabaseAddress } from '../src/platform/open-database.ts'
import { findServer } from '../src/platform/postgres-pid-file.ts'
import { openQueue } from '../src/platform/queue.ts'

export type TestDatabase = {
  db: Database
  pool: pg.Pool
  address: DatabaseAddress
  drop: () => Promise<void>
}

const MIGRATIONS = path.join(import.meta.dirname, '../migrations')
const TEMPLATE = 'service_template'
const FOLDER = 'svc-test-pg-'
const ABANDONED_AFTER_MS = 10 * 60_000
const silent = { warn() {}, debug() {} }

/** The server of `npm test`, or one for this file alone that ends with it. */
const inherited = process.env.SERVICE_TEST_POSTGRES
let own: Promise<EmbeddedPostgres> | undefined
let users = 0

/** A migrated database of its own for a test, or an empty one; `drop` removes it and, after the last one, the server started for it. */
export async function aDatabase({ empty = false } = {}): Promise<TestDatabase> {
  users++
  const socketDir = inherited ?? (await startOwn()).address.socketDir
  const database = `t_${randomBytes(6).toString('hex')}`
  await asAdministrator(socketDir, `create database ${database} template ${empty ? 'template0' : TEMPLATE} strategy file_copy`)
  const address = { socketDir, database }
  const pool = connectPool(address, silent)
  return { db: databaseOn(pool), pool, address, drop: () => drop(address, pool) }
}

/** The address as an operator writes it, for a process of its own. */
export const urlOf = ({ address }: Pick<TestDatabase, 'address'>): string =>
  'url' in address ? address.url : `postgres://postgres@localhost/${address.database}?host=${encodeURIComponent(address.socketDir)}`

/** Starts a server in a throw-away folder with the migrated template in it. Fast and not durable: for tests only. */
export async function startTestServer(more: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  removeAbandoned(fastFolder())
  const dataDir = fs.mkdtempSync(path.join(fastFolder(), FOLDER))
  const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '300' }
  const server = await startEmbeddedPostgres({ dataDir, log: silent, settings: { ...fast, ...more } })
  await asAdministrator(server.address.socketDir, `create database ${TEMPLATE}`)
  await furnish({ ...server.address, database: TEMPLATE })
  const stop = async () => {
    await dismissAdministrator(server.address.socketDir)
    await server.stop().finally(() => fs.rmSync(dataDir, { recursive: true, force: true }))
  }
  return { ...server, stop }
}

/** All that a service makes in its database when it starts for the first time: each world would pay for it, mostly for the queue's. */
async function furnish(address: DatabaseAddress): Promise<void> {
  const pool = connectPool(address, silent)
  await migrate(pool, MIGRATIONS)
  await (await openQueue(clientConfig(address), createLog({ level: 'error', to: { write: () => undefined } }), { works: false })).stop()
  // Every migration has left rows behind that nobody sees, and that every connection to every copy would read again.
  const { rows } = await pool.query<{ name: string }>(`SELECT oid::regclass::text AS name FROM pg_class
    WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared`)
  await pool.query(`VACUUM (FULL, FREEZE) ${rows.map(({ name }) => name).join(', ')}`)
  await pool.end()
}

/** Memory where there is enough of it: a new database is 300 files, 10 ms there and 350 ms on a slow disk. */
function fastFolder(): string {
  const memory = fs.existsSync('/dev/shm') ? fs.statfsSync('/dev/shm') : { bavail: 0, bsize: 0 }
  return memory.bavail * memory.bsize > 2 * 1024 ** 3 ? '/dev/shm' : os.tmpdir()
}

/** Runs that were killed leave their server's folder behind. */
function removeAbandoned(parent: string): void {
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(FOLDER))) {
    const folder = path.join(parent, name)
    const age = Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > ABANDONED_AFTER_MS && !findServer(clusterFolder(folder))) fs.rmSync(folder, { recursive: true, force: true })
  }
}

function startOwn(): Promise<EmbeddedPostgres> {
  own ??= startTestServer()
  return own
}

async function drop({ socketDir, database }: { socketDir: string; database: string }, pool: pg.Pool): Promise<void> {
  await pool.end()
  await asAdministrator(socketDir, `drop database ${database} with (force)`)
  users--
  if (users > 0 || !own) return
  const server = await own
  own = undefined
  await server.stop()
}

/** By one connection of this process: to open one costs a server more than most of what is asked of it. */
const administrators = new Map<string, pg.Pool>()

async function asAdministrator(socketDir: string, sql: string): Promise<void> {
  const known = administrators.get(socketDir)
  const one =
    known ??
    connectPool({ socketDir }, silent, { max: 1, query_timeout: 0, statement_timeout: 0, idleTimeoutMillis: 0, allowExitOnIdle: true })
  administrators.set(socketDir, one)
  await one.query(sql)
}

async function dismissAdministrator(socketDir: string): Promise<void> {
  await administrators.get(socketDir)?.end()
  administrators.delete(socketDir)
}
