// The database of native sites: any row comes back as it was, and of a database that was backed up before only what has changed travels.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../demo/npm.ts'
import { anyColumns, anyRows } from '../../server/test/any-row.ts'
import { backUp } from '../backup.ts'
import { rowsOfDump, rowsOfSqlite } from '../dump.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { databaseSocket } from './daemons.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { databaseDifferences, importSql, query } from './mariadb.ts'

const HERE = import.meta.dirname
const seed = Number(process.env.SVC_SEED ?? randomInt(1e9))
// Every seventh backup reads everything; the tests below count on where in the seven they are.
const runs = 3 + 7 * Number(process.env.DATABASE_WEEKS ?? 0)
const OWN = ['wp_svc_connector']

let house: House
let fleet: Fleet
let native: NativeSite
let sqlite: NativeSite
let [site, other] = ['', '']
before(async () => {
  console.log(`SVC_SEED=${seed} rounds: ${runs}`)
  house = await openHouse()
  const constants = { WP_HTTP_BLOCK_EXTERNAL: true }
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [CONNECTOR], constants },
  )
  const [one, two] = fleet.sites
  assert.ok(one && two)
  ;[native, sqlite] = [one, two]
  ;[site, other] = [await connected(native), await connected(sqlite)]
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

async function connected(one: NativeSite): Promise<string> {
  await one.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  const found = await until('a connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === one.url && status === 'connected'),
  )
  return found.id
}

const sql = (text: string) => query(fleet.dir, 'wp_1', text)
const session = "SET NAMES utf8mb4, time_zone = '+03:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; "
/** Statements that are too long for a command line. */
async function execute(text: string): Promise<void> {
  await writeFile(join(fleet.dir, 'some.sql'), session + text)
  await importSql(fleet.dir, 'wp_1', join(fleet.dir, 'some.sql'))
}

/** Backs up, imports the download into another database, and compares. */
async function same() {
  const { folder, listed } = await backUp(house, site, 'db')
  await query(fleet.dir, '', 'DROP DATABASE IF EXISTS copy; CREATE DATABASE copy CHARACTER SET utf8mb4')
  await importSql(fleet.dir, 'copy', join(folder, 'database.sql'))
  assert.deepEqual(await databaseDifferences(fleet.dir, 'wp_1', 'copy', OWN), [])
  return listed
}

test('what looks alike has different digests, and the parts of a table are the whole', async () => {
  assert.match(await run('php8.2', [join(HERE, '../../connector/test/digests.php'), databaseSocket(fleet.dir), '40']), /, 0 wrong/)
})

test('any rows of any type come back as they were, from the first backup and from each that was built on it', async () => {
  for (const name of ['keyed', 'keyless'])
    await sql(
      `CREATE TABLE wp_r_${name} (id int NOT NULL, name varchar(20) NOT NULL, ${anyColumns()}${name === 'keyed' ? ', PRIMARY KEY (name, id)' : ''})`,
    )
  await importSql(fleet.dir, 'wp_1', join(HERE, 'types.sql'))
  for (let round = 0; round < runs; round++) {
    const rows = anyRows(400, seed + round)
    const tuples = rows.map((row, n) => `(${round * 1000 + n}, '${['a', 'Ä', 'b ', ''][n % 4]}${n % 9}', ${row})`)
    const inserts = ['keyed', 'keyless'].map(
      (name, half) => `INSERT INTO wp_r_${name} VALUES\n${tuples.slice(half * 200, half * 200 + 200).join(',\n')};`,
    )
    await execute(inserts.join('\n'))
    const [row] = anyRows(1, seed - round)
    if (round > 0) {
      await execute(`DELETE FROM wp_r_keyed WHERE id % 5 = ${round % 5}; DELETE FROM wp_r_keyless WHERE id % 3 = 0;
        REPLACE INTO wp_r_keyed VALUES (7, 'again', ${row}); UPDATE wp_r_keyed SET c5 = c5 DIV 2, c18 = 'x' WHERE id % 7 = 3;`)
    }
    const listed = await same()
    assert.equal(listed.consistency, 'settled', 'a table of Aria takes part in no transaction')
    assert.deepEqual([listed.increment, listed.parent === null], [round % 7, round === 0])
    if (round % 7 > 0) assert.ok(Number(listed.rows_read) < Number(listed.rows_count) / 4, `${listed.rows_read} of ${listed.rows_count}`)
  }
})

test('of a table of 40 MB only the range of a changed row travels, whatever its dates and sizes say', async () => {
  await sql('CREATE TABLE wp_big (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, a varchar(100), b longtext)')
  await sql('INSERT INTO wp_big (a, b) SELECT md5(seq), concat(sha2(seq, 512), sha2(-seq, 512), sha2(seq * 7, 512)) FROM seq_1_to_90000')
  const first = await same()
  await sql("UPDATE wp_big SET b = replace(b, 'a', 'A') WHERE id = 50000")
  const changed = await same()
  assert.ok(Number(changed.rows_read) > 0 && Number(changed.rows_read) < 4_000, `${changed.rows_read} rows travelled`)
  assert.ok(
    Number(changed.stored_bytes) < 1_500_000 && Number(changed.stored_bytes) * 10 < Number(first.stored_bytes),
    `${changed.stored_bytes} bytes`,
  )
  const still = await backUp(house, site, 'db')
  assert.equal(still.listed.rows_read, 0)
})

/** Runs statements again and again until the work is done. */
async function during<Result>(text: () => string, work: Promise<Result>): Promise<{ result: Result; times: number }> {
  let [busy, times] = [true, 0]
  const result = work.finally(() => {
    busy = false
  })
  for (; busy; times++) await Promise.all([sql(text()), sleep(5)])
  return { result: await result, times }
}

test('a table that only grows for a while is settled; one that never holds still makes the backup fuzzy, and is named', async () => {
  await sql(
    'DROP TABLE wp_r_keyless; CREATE TABLE wp_log (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, note text); CREATE TABLE wp_counter (id int PRIMARY KEY, n int)',
  )
  await sql('INSERT INTO wp_counter VALUES (1, 0); UPDATE wp_big SET a = reverse(a)')
  let left = 20
  const growing = await during(() => (left-- > 0 ? 'INSERT INTO wp_log (note) VALUES (now(6))' : 'DO 1'), backUp(house, site, 'db'))
  assert.deepEqual([growing.result.listed.consistency, growing.result.listed.fuzzy_tables], ['settled', []])
  await sql('UPDATE wp_big SET a = reverse(a)')
  const moving = await during(() => 'UPDATE wp_counter SET n = n + 1', backUp(house, site, 'db'))
  assert.deepEqual(
    [moving.result.listed.consistency, moving.result.listed.fuzzy_tables],
    ['fuzzy', ['wp_counter']],
    `${moving.times} times`,
  )
  assert.equal((await same()).consistency, 'settled')
})

test('tables that all take part in transactions are backed up as of one moment, even while one never holds still', async () => {
  await sql('DROP TABLE wp_t_aria; ALTER TABLE wp_counter ADD other int')
  const { result, times } = await during(() => 'UPDATE wp_counter SET n = n + 1, other = n', backUp(house, site, 'db'))
  assert.deepEqual([result.listed.consistency, result.listed.fuzzy_tables], ['snapshot', []], `${times} times`)
  const [counter] = (await rowsOfDump(join(result.folder, 'database.sql'))).get('wp_counter') ?? []
  const { n, other: copy } = JSON.parse(counter ?? '{}') as Record<string, string>
  assert.equal(n, copy)
  await same()
})

test('WordPress on SQLite is compared in ranges too', async () => {
  const live = async (folder: string) => {
    const [told, rows] = [await rowsOfDump(join(folder, 'database.sql')), rowsOfSqlite(join(sqlite.dir, 'wp-content/database/.ht.sqlite'))]
    for (const tables of [told, rows]) for (const name of OWN) tables.delete(name)
    assert.deepEqual(told, rows)
  }
  const first = await backUp(house, other, 'db')
  await live(first.folder)
  assert.equal(first.listed.consistency, 'snapshot')
  const same = await backUp(house, other, 'db')
  assert.deepEqual([same.listed.rows_read, same.listed.parent], [0, first.listed.id])
  await sqlite.wpCli(['option', 'update', 'blogdescription', 'Grüße 🎉'])
  const changed = await backUp(house, other, 'db')
  await live(changed.folder)
  const options = rowsOfSqlite(join(sqlite.dir, 'wp-content/database/.ht.sqlite')).get('wp_options')?.length ?? 0
  assert.ok(Number(changed.listed.rows_read) > 0 && Number(changed.listed.rows_read) <= options, `${changed.listed.rows_read} rows`)
})
