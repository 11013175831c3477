import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { aDatabase, type TestDatabase } from '../../test/database.ts'
import { connectPool } from './database.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let folder: string

before(async () => {
  database = await aDatabase({ empty: true })
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-migrations-'))
})
beforeEach(async () => {
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name))
  await database.pool.query('drop schema public cascade; create schema public')
})
after(async () => {
  fs.rmSync(folder, { recursive: true })
  await database.drop()
})

const write = (name: string, sql: string) => fs.writeFileSync(path.join(folder, name), sql)

test('migrations run once, in order, and later ones are added', async () => {
  write('0001_first.sql', 'create table a (n int); insert into a values (1);')
  write('0002_second.sql', 'alter table a add column m int;')
  assert.deepEqual(await migrate(database.pool, folder), ['0001_first.sql', '0002_second.sql'])
  assert.deepEqual(await migrate(database.pool, folder), [])
  write('0003_third.sql', 'insert into a values (2, 2);')
  assert.deepEqual(await migrate(database.pool, folder), ['0003_third.sql'])
  assert.deepEqual((await database.pool.query('select n, m from a order by n')).rows, [
    { n: 1, m: null },
    { n: 2, m: 2 },
  ])
})

test('eight processes that start at once apply each migration once', async () => {
  write('0001_first.sql', 'create table a (n int);')
  write('0002_second.sql', 'insert into a values (1); select pg_sleep(0.05);')
  const pools = Array.from({ length: 8 }, () => connectPool(database.address, { warn() {} }))
  const applied = await Promise.all(pools.map((pool) => migrate(pool, folder)))
  await Promise.all(pools.map((pool) => pool.end()))
  assert.deepEqual(applied.flat().sort(), ['0001_first.sql', '0002_second.sql'])
  assert.equal((await database.pool.query('select count(*) as n from a')).rows[0].n, 1)
})

test('a failing migration leaves nothing behind and is named', async () => {
  write('0001_first.sql', 'create table a (n int);')
  write('0002_broken.sql', 'create table b (n int); select nonsense;')
  await assert.rejects(migrate(database.pool, folder), /^Refusal: migration 0002_broken.sql failed and nothing of it was kept/)
  const { rows } = await database.pool.query(`select to_regclass('a') is not null as a, to_regclass('b') is not null as b`)
  assert.deepEqual(rows, [{ a: true, b: false }])
})

test('an edited, an unknown newer, a late, a doubled and a misnamed migration are refused', async () => {
  write('0001_first.sql', 'create table a (n int);')
  write('0003_third.sql', 'create table c (n int);')
  await migrate(database.pool, folder)
  write('0001_first.sql', 'create table a (n bigint);')
  await assert.rejects(migrate(database.pool, folder), /0001_first.sql was changed after it had been applied/)
  write('0001_first.sql', 'create table a (n int);')
  write('0002_late.sql', 'select 1;')
  await assert.rejects(migrate(database.pool, folder), /0002_late.sql comes before 0003_third.sql, which has been applied already/)
  fs.rmSync(path.join(folder, '0002_late.sql'))
  fs.rmSync(path.join(folder, '0003_third.sql'))
  await assert.rejects(
    migrate(database.pool, folder),
    /the database is newer than this program: it has migration 0003_third.sql.* Start the version that made it, or a newer one; to go back/,
  )
  write('0001_again.sql', 'select 1;')
  await assert.rejects(migrate(database.pool, folder), /two migrations have the number of/)
  fs.rmSync(path.join(folder, '0001_again.sql'))
  write('notes.txt', '')
  await assert.rejects(migrate(database.pool, folder), /notes.txt is not a migration/)
})

test('a migration that needs a lock which others hold steps back, so that nobody waits behind it for long, and comes again', async () => {
  write('0001_first.sql', 'create table a (n int);')
  await migrate(database.pool, folder)
  write('0002_second.sql', 'alter table a add column m int;')
  const holder = await database.pool.connect()
  await holder.query('begin; select * from a')
  const migrated = migrate(database.pool, folder)
  const waiting = async () =>
    (
      await database.pool.query(`select 1 from pg_locks where relation = 'a'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    ).rows.length > 0
  while (!(await waiting())) await sleep(10)
  assert.deepEqual((await database.pool.query('select n from a')).rows, [], 'it waits behind the migration, and then goes before it')
  await holder.query('commit')
  holder.release()
  assert.deepEqual(await migrated, ['0002_second.sql'])
})

test('an index is built beside the work of others, and built anew where that was interrupted', async () => {
  write('0001_first.sql', 'create table a (n int); insert into a values (1), (1);')
  await migrate(database.pool, folder)
  const index = '-- concurrently\ndrop index concurrently if exists a_n;\ncreate unique index concurrently a_n on a (n);\n'
  write('0002_index.sql', index)
  await assert.rejects(migrate(database.pool, folder), /could not create unique index/)
  const valid = async () => (await database.pool.query(`select indisvalid as valid from pg_index where indexrelid = 'a_n'::regclass`)).rows
  assert.deepEqual(await valid(), [{ valid: false }])
  await database.pool.query('delete from a where ctid in (select ctid from a limit 1)')
  const writer = await database.pool.connect()
  await writer.query('begin; insert into a values (2)')
  const pools = [connectPool(database.address, { warn() {} }), connectPool(database.address, { warn() {} })]
  const migrated = Promise.all(pools.map((pool) => migrate(pool, folder)))
  const building = async () => {
    const { rows } = await database.pool.query(`select 1 from pg_stat_activity
      where datname = current_database() and query ilike '%index concurrently%' and wait_event_type = 'Lock'`)
    return rows.length > 0
  }
  while (!(await building())) await sleep(10)
  await database.pool.query('insert into a values (3)')
  await writer.query('commit')
  writer.release()
  assert.deepEqual((await migrated).flat(), ['0002_index.sql'])
  await Promise.all(pools.map((pool) => pool.end()))
  assert.deepEqual(await valid(), [{ valid: true }])
})
