// Rows that no PHP could send: a backup of a real site goes on without them, says so, and a restore leaves them where they are.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { backUp } from '../backup.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { databaseSocket } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'

const PHP_64 = { php: { memory_limit: '64M' } }
const MiB = 1024 * 1024
// Doubled in the database: what a client may send at once is less than a row can hold.
const MAKE = `global $wpdb; $big = $wpdb->prefix . 'error_log'; $medium = $wpdb->prefix . 'medium';
foreach ( array( $big, $medium ) as $t ) {
  $wpdb->query( "CREATE TABLE $t (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, a longtext, b longtext, c longtext, d longtext)" );
  for ( $n = 1; $n <= 60; $n++ ) $wpdb->query( "INSERT INTO $t (id, a, b) VALUES ($n, 'line $n', '')" );
  $wpdb->query( "UPDATE $t SET a = '" . str_repeat( "0123456789abcde\\\\n", 640 ) . "' WHERE id = 30" );
  for ( $n = 0; $n < 10; $n++ ) $wpdb->query( "UPDATE $t SET a = CONCAT(a, a) WHERE id = 30" );
}
$wpdb->query( "UPDATE $big SET b = a, c = a, d = a WHERE id = 30" );`
// Two values that a database of MariaDB takes at once, and not together.
const WIDE = `global $wpdb; $t = $wpdb->prefix . 'wide';
$wpdb->query( "CREATE TABLE $t (id int PRIMARY KEY, a longtext, b longtext)" );
$wpdb->query( "INSERT INTO $t VALUES (1, '" . str_repeat( "0123456789abcde\\\\n", 544 ) . "', '')" );
for ( $n = 0; $n < 10; $n++ ) $wpdb->query( "UPDATE $t SET a = CONCAT(a, a)" );
$wpdb->query( "UPDATE $t SET b = a" );`
const LOOK_WIDE = `global $wpdb; echo $wpdb->get_var( "SELECT CONCAT( (LENGTH(a) + LENGTH(b)), ' ', (a = b) ) FROM {$wpdb->prefix}wide" );`
const LOOK = `global $wpdb; $t = $wpdb->prefix . 'error_log';
echo $wpdb->get_var( "SELECT LENGTH(a) + LENGTH(b) + LENGTH(c) + LENGTH(d) FROM $t WHERE id = 30" ), ' ', $wpdb->get_var( "SELECT a FROM $t WHERE id = 5" );`

interface Listed {
  id: string
  skipped_rows: { count: number; tables: string[]; sample: string[] } | null
}
interface Planned {
  plan: { warnings: string[]; kept: string[]; tables: { name: string }[] }
}

let house: House
let fleet: Fleet
let all: (Managed & { name: string; missing: string[] })[]
before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
      { wp: '7.1.1', db: 'mariadb', ...PHP_64 },
      { wp: '7.1.1', db: 'sqlite', ...PHP_64 },
    ],
    { plugins: [CONNECTOR] },
  )
  const connected = await connectAll(house, fleet)
  const both = ['wp_error_log', 'wp_medium']
  all = connected.map((one, n) => ({ ...one, name: `site ${n}`, missing: n < 2 ? both.slice(0, 1) : both }))
  for (const { native, name } of all) {
    await native.wpCli(['eval', MAKE])
    assert.equal(await native.wpCli(['eval', LOOK]), `${40 * MiB} line 5`, name)
  }
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

const listed = async (site: string, backup: string) => {
  const row = (await house.ask<Listed[]>('GET', `/sites/${site}/backups`)).find(({ id }) => id === backup)
  assert.ok(row)
  return row
}

test('whatever memory PHP has, what it cannot send is left out and told', async () => {
  const found = await run('php8.2', [join(import.meta.dirname, '../../connector/test/rows.php'), databaseSocket(fleet.dir)])
  assert.match(found, /, 0 wrong/)
})

test('a row of 40 MiB, and with 64 MB for PHP one of 10 MiB, is left out and named; the next backup reads nothing', async () => {
  for (const { site, name, missing } of all) {
    const first = await backUp(house, site.id, 'db')
    assert.notEqual(first.listed.consistency, 'fuzzy', name)
    const { skipped_rows } = await listed(site.id, first.listed.id)
    assert.deepEqual([skipped_rows?.count, skipped_rows?.tables], [missing.length, missing], name)
    assert.match(
      skipped_rows?.sample.join() ?? '',
      /^wp_error_log: the row with key 30 \(40\.0 MiB\)(,wp_medium: the row with key 30 \(10\.\d MiB\))?$/,
    )
    const { tables } = JSON.parse(await readFile(join(first.folder, 'manifest.json'), 'utf8')).database
    const held = ['wp_error_log', 'wp_medium'].map((table) => tables[table].rows)
    assert.deepEqual(held, [59, missing.length === 1 ? 60 : 59], name)
    assert.match(await readFile(join(first.folder, 'database.sql'), 'utf8'), /^-- Rows that are missing here/m)
    const second = await backUp(house, site.id, 'db')
    assert.deepEqual([second.listed.rows_read, second.listed.increment, second.listed.parent], [0, 1, first.listed.id], name)
    assert.deepEqual((await listed(site.id, second.listed.id)).skipped_rows, skipped_rows, name)
  }
})

test('a restore brings the rest back and leaves the table with the row as it is; named, it comes back without', async () => {
  for (const { site, native, name } of all.slice(0, 2)) {
    await native.wpCli(['eval', WIDE])
    const { listed: backup } = await backUp(house, site.id, 'db')
    await native.wpCli(['post', 'delete', '1', '--force'])
    await native.wpCli(['eval', 'global $wpdb; $wpdb->query( "UPDATE {$wpdb->prefix}wide SET a = \'since\'" );'])
    await native.wpCli(['eval', 'global $wpdb; $wpdb->query( "UPDATE {$wpdb->prefix}error_log SET a = \'since\' WHERE id = 5" );'])
    const restores = `/sites/${site.id}/backups/${backup.id}/restore`
    const { plan } = await house.ask<Planned>('POST', restores, { dry_run: true })
    assert.match(plan.warnings.join(), /^The table wp_error_log stays as it is on the site, .* key 30 \(40\.0 MiB\)/, name)
    assert.ok(!plan.tables.some((table) => table.name === 'wp_error_log'), name)
    const restored = async (body: object) => {
      const { job_id } = await house.ask<{ job_id: string }>('POST', restores, { safety_backup: false, ...body })
      const { status, error, result } = await house.finished<{ warnings: string[] }>(job_id)
      assert.equal(status, 'completed', `${name}: ${JSON.stringify(error)}`)
      return result
    }
    assert.deepEqual((await restored({}))?.warnings, plan.warnings, name)
    assert.equal(await native.wpCli(['eval', LOOK]), `${40 * MiB} since`, name)
    assert.equal(await native.wpCli(['post', 'get', '1', '--field=post_status']), 'publish', name)
    assert.equal(await native.wpCli(['eval', LOOK_WIDE]), `${17 * MiB} 1`, name)
    assert.match(
      (await restored({ include: ['table:error_log'] }))?.warnings.join() ?? '',
      /^The table wp_error_log comes back without/,
      name,
    )
    assert.equal(await native.wpCli(['eval', LOOK]), 'line 5', name)
  }
})
