import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { checkServer, connectPool, databaseOn } from './database.ts'

let database: TestDatabase
before(async () => {
  database = await aDatabase({ empty: true })
})
after(() => database.drop())

test('instants are dates, whole and decimal numbers are numbers, calendar days stay text', async () => {
  const { rows } = await database.pool.query(`select 9007199254740991::bigint as big, 1.5::numeric as decimal, date '2026-02-03' as day,
    timestamptz '2026-02-03 04:05:06.789+00' as instant, '{"a":1}'::jsonb as document, null::bigint as nothing`)
  assert.deepEqual(rows[0], {
    big: 9007199254740991,
    decimal: 1.5,
    day: '2026-02-03',
    instant: new Date('2026-02-03T04:05:06.789Z'),
    document: { a: 1 },
    nothing: null,
  })
})

test('a bigint that no number can hold is an error, not another number', async () => {
  await assert.rejects(database.pool.query('select 9007199254740993::bigint as big'), RangeError)
  assert.equal((await database.pool.query('select 1 as one')).rows[0].one, 1)
})

test('a statement that takes too long is ended by the server', async () => {
  const client = await database.pool.connect()
  assert.equal((await client.query('show statement_timeout')).rows[0].statement_timeout, '30s')
  await client.query(`set statement_timeout = '20ms'`)
  await assert.rejects(client.query('select pg_sleep(5)'), /statement timeout/)
  client.release(true)
})

test('the server is checked, and one that does not answer is named in one line', async () => {
  await checkServer(database.pool)
  const nobody = connectPool({ url: 'postgres://someone:hidden@127.0.0.1:1/none' }, { warn() {} })
  await assert.rejects(
    checkServer(nobody),
    (error: Error) => /^the database does not answer: /.test(error.message) && !error.message.includes('hidden'),
  )
  await nobody.end()
})

test('a server older than 15 is refused with its version', async () => {
  const old = { query: async () => ({ rows: [{ server_version_num: '140011' }] }) }
  await assert.rejects(checkServer(old as never), /PostgreSQL 15 or newer is needed; DATABASE_URL leads to version 14/)
})

test('a connection that is lost in the middle of a transaction fails its next query and nothing else', async () => {
  const warned: string[] = []
  const pool = connectPool(database.address, { warn: (message) => warned.push(message) })
  const client = await pool.connect()
  // Not `once` of events, which would listen for its errors.
  const ended = new Promise<void>((resolve) => client.on('end', () => resolve()))
  await client.query('begin')
  const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0]
  await database.pool.query('select pg_terminate_backend($1)', [pid])
  await ended
  await assert.rejects(client.query('select 1'), /not queryable/)
  client.release()
  assert.equal((await pool.query('select 1 as one')).rows[0].one, 1)
  assert.match(warned.join(), /a database connection was lost: terminating connection/)
  await pool.end()
})

test('while the database is away what is asked of it says so, and such a connection is not used again', async () => {
  const pool = connectPool(database.address, { warn() {} }, { max: 1 })
  const db = databaseOn(pool)
  const isAway = { code: 'unavailable', retryable: true, retryAfter: 2 }
  const server = async () => (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)).rows[0]?.pid
  const first = await server()
  await assert.rejects(sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(db), isAway)
  const second = await server()
  // As a server answers that was the primary and is none any more.
  await assert.rejects(sql`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '25006'; END $$`.execute(db), isAway)
  const third = await server()
  assert.equal(new Set([first, second, third]).size, 3)
  await assert.rejects(sql`SELECT 1/0`.execute(db), { code: '22012' })
  assert.equal(await server(), third, 'a mistake in a statement is no reason to part')
  await db.destroy()
  const nobody = databaseOn(connectPool({ url: 'postgres://someone@127.0.0.1:1/none' }, { warn() {} }))
  await assert.rejects(sql`SELECT 1`.execute(nobody), isAway)
  await nobody.destroy()
})
