// Databases that several share, tables that hang on each other, networks of sites: what is restored is whole, and what is not ours is as it was.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../demo/npm.ts'
import { backUp } from '../backup.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse } from '../house.ts'
import { databaseSocket } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { importSql, query } from './mariadb.ts'
import { BELOW, makeNetwork } from './network.ts'
import { killWorkers } from './processes.ts'
import { differing, filesOf, warmUp } from './site-state.ts'
import { moveBeside, wholeDatabase } from './whole-database.ts'

interface Plan {
  plan: { obstacle: string | null; kept: string[]; warnings: string[]; tables: { name: string; what: string }[] | null }
}

let house: House
let fleet: Fleet
let [shop, neighbour, network]: Managed[] = []

test('whose tables are whose, and what hangs on tables, there and back under SIGKILL', async () => {
  assert.match(await run('php8.2', [join(import.meta.dirname, '../../connector/test/ties.php'), databaseSocket(fleet.dir)]), /, 0 wrong/)
})

test('the options without which a site is another one are put back on MariaDB as on SQLite', async () => {
  assert.match(await run('php8.2', [join(import.meta.dirname, '../../connector/test/vital.php'), databaseSocket(fleet.dir)]), /: 0 wrong/)
})

test('whatever a screen of wp-admin asks of the database while it is looked at, not a row and not a table is another one afterwards', async () => {
  assert.match(
    await run('php8.2', [join(import.meta.dirname, '../../connector/test/inspection.php'), databaseSocket(fleet.dir)]),
    /: 0 wrong/,
  )
})

const sites = () => {
  assert.ok(shop && neighbour && network)
  return { shop, neighbour, network }
}

before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', confined: true },
      { wp: '7.1.1', db: 'mariadb', confined: true },
      { wp: '7.1.1', db: 'mariadb', nginx: BELOW, confined: true },
    ],
    { plugins: [CONNECTOR] },
  )
  const [, guest, main] = fleet.sites
  assert.ok(guest && main)
  await moveBeside(fleet, guest, 'wp_1', 'wp_b_')
  const config = join(guest.dir, 'wp-config.php')
  const text = (await readFile(config, 'utf8')).replaceAll("'wp_2'", "'wp_1'").replace(/table_prefix = 'wp_'/, "table_prefix = 'wp_b_'")
  await writeFile(config, text)
  guest.database = 'wp_1'
  await importSql(fleet.dir, 'wp_1', join(import.meta.dirname, 'woocommerce.sql'))
  await makeNetwork(main)
  await main.wpCli(['site', 'create', '--slug=third', '--email=third@example.invalid'])
  await main.wpCli(['plugin', 'deactivate', 'svc-connector'])
  await main.wpCli(['plugin', 'activate', 'svc-connector', '--network'])
  for (const number of [2, 3]) {
    await mkdir(join(main.dir, `wp-content/uploads/sites/${number}`), { recursive: true })
    await writeFile(join(main.dir, `wp-content/uploads/sites/${number}/picture.png`), `picture of ${number}`)
  }
  await run('chown', ['-R', 'www-data:', join(main.dir, 'wp-content/uploads')])
  ;[shop, neighbour, network] = await connectAll(house, fleet)
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

const seen = ({ database }: Managed) => wholeDatabase(fleet, database ?? '')
const sql = (text: string, database = 'wp_1') => query(fleet.dir, database, text)

async function backup({ site }: Managed, type = 'full') {
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', `/sites/${site.id}/backups`, { type })
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  const all = await house.ask<{ id: string; omitted: { database: string[] } | null }[]>('GET', `/sites/${site.id}/backups`)
  return { id: backup_id, notes: all.find(({ id }) => id === backup_id)?.omitted?.database ?? [] }
}

const plan = async ({ site }: Managed, id: string, body: object = {}) =>
  (await house.ask<Plan>('POST', `/sites/${site.id}/backups/${id}/restore`, { dry_run: true, ...body })).plan

async function restore({ site }: Managed, id: string, body: object = {}, saw?: (job: Job<unknown>) => void) {
  const input = { safety_backup: false, ...body }
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/backups/${id}/restore`, input)
  const { status, error, result } = await house.finished<{ kept: string[]; warnings: string[] }>(job_id, saw)
  assert.equal(status, 'completed', JSON.stringify(error))
  return result
}

async function undo({ site }: Managed) {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/restores/undo`, {})
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
}

const destroyShop = async () => {
  const names = (await sql("SHOW TABLES LIKE 'wp\\_w%'")).split('\n').filter((name) => /^wp_w(c|oocommerce)_/.test(name))
  await sql(`SET foreign_key_checks = 0; DROP TABLE ${names.join(', ')}; DROP VIEW wp_open_orders; DROP EVENT wp_tidy; DELETE FROM wp_posts WHERE ID > 1;
    CREATE TABLE wp_later (id int PRIMARY KEY, post bigint unsigned, FOREIGN KEY (post) REFERENCES wp_posts (ID));
    CREATE VIEW wp_later_view AS SELECT 1 AS one; CREATE TRIGGER wp_posts_later BEFORE UPDATE ON wp_posts FOR EACH ROW SET @later = 1`)
}

test('a shop whose tables were dropped is whole again, with keys, triggers and views, and so is everybody beside it', async () => {
  const { shop, neighbour } = sites()
  for (const one of [shop, neighbour]) await warmUp(one)
  const whole = await seen(shop)
  const { id, notes } = await backup(shop)
  assert.match(notes.join(), /prefix wp_b_/)
  await destroyShop()
  await sql(
    "UPDATE wp_b_posts SET post_title = 'Written later'; CREATE TABLE wp_b_newplugin (id int PRIMARY KEY); INSERT INTO wp_b_newplugin VALUES (1)",
  )
  await warmUp(shop)
  const damaged = await seen(shop)
  const foreseen = await plan(shop, id)
  assert.equal(foreseen.obstacle, null)
  assert.deepEqual(
    foreseen.tables?.filter(({ name }) => name.startsWith('wp_b_')),
    [],
  )
  assert.match(notes.join(), /The event other_tidy is in no backup/)
  const { warnings } = await restore(shop, id)
  assert.deepEqual(warnings, [])
  const theirs = (name: string) => /wp_b_(posts|newplugin)\b/.test(name)
  const changed = differing(whole, await seen(shop))
  assert.deepEqual(
    changed.filter((name) => !theirs(name)),
    [],
  )
  assert.equal(await sql('SELECT post_title FROM wp_b_posts LIMIT 1'), 'Written later\n')
  // They act.
  await sql(
    "INSERT INTO wp_b_ledger (permission, note) VALUES (2, 'third'); INSERT INTO wp_wc_orders (id, status) VALUES (43, 'wc-pending')",
  )
  assert.match(await sql('SELECT said FROM wp_shop_log'), /order; 43/)
  assert.equal(await sql('SELECT many FROM wp_a_view'), '1\n')
  await assert.rejects(sql('INSERT INTO wp_b_ledger (permission) VALUES (99)'), /1452/)
  await sql('DELETE FROM wp_wc_orders WHERE id = 43; DELETE FROM wp_b_ledger WHERE id > 2; ALTER TABLE wp_b_ledger AUTO_INCREMENT = 3')
  await undo(shop)
  assert.deepEqual(differing(damaged, await seen(shop)), [])
  assert.deepEqual(await leftovers(shop), [])
  await restore(shop, id)
  assert.deepEqual(
    differing(whole, await seen(shop)).filter((name) => !theirs(name)),
    [],
  )
  await sql('DROP TABLE wp_b_newplugin')
})

test('one table of several that hang on each other comes back alone', async () => {
  const { shop } = sites()
  const whole = await seen(shop)
  const { id } = await backup(shop, 'db')
  await sql(
    "UPDATE wp_woocommerce_downloadable_product_permissions SET order_key = 'spoiled'; UPDATE wp_wc_orders SET currency = 'XXX'; DELETE FROM wp_shop_log",
  )
  await restore(shop, id, {
    type: 'db',
    include: ['table:woocommerce_downloadable_product_permissions', 'table:wc_orders', 'table:shop_log'],
  })
  assert.deepEqual(differing(whole, await seen(shop)), [])
})

test('PHP is killed again and again while such tables are exchanged', async () => {
  const { shop } = sites()
  const whole = await seen(shop)
  const { id } = await backup(shop, 'db')
  await destroyShop()
  let [kills, over, watching] = [0, false, false]
  const killing = (async () => {
    while (!over) {
      if (watching && kills < 10) kills += Math.min(1, await killWorkers(fleet.dir))
      await sleep(25)
    }
  })()
  await restore(shop, id, { type: 'db' }, ({ phase }) => {
    watching = phase === 'arm' || phase === 'swap' || phase === 'probe'
  })
  over = true
  await killing
  assert.ok(kills > 0)
  assert.deepEqual(differing(whole, await seen(shop)), [])
})

test('the neighbour is restored without the one whose prefix begins its own, whose copies stay', async () => {
  const { shop, neighbour } = sites()
  await warmUp(neighbour)
  const whole = await seen(shop)
  const { id, notes } = await backup(neighbour)
  assert.doesNotMatch(notes.join(), /prefix/)
  await sql("DROP TABLE wp_b_comments; UPDATE wp_b_posts SET post_title = 'Spoiled'")
  const copies = (await sql("SHOW TABLES LIKE 'svc\\_connector\\_old%'")).split('\n').filter(Boolean)
  assert.notDeepEqual(copies, [])
  await restore(neighbour, id)
  assert.deepEqual(differing(whole, await seen(shop)), [])
  await neighbour.native.wpCli(['plugin', 'uninstall', 'svc-connector', '--deactivate'])
  assert.deepEqual((await sql("SHOW TABLES LIKE 'svc\\_connector\\_old%'")).split('\n').filter(Boolean), copies)
})

test('the download of such a database is imported as it was', async () => {
  const { shop } = sites()
  const { folder } = await backUp(house, shop.site.id, 'db')
  await query(fleet.dir, '', 'DROP DATABASE IF EXISTS copy; CREATE DATABASE copy CHARACTER SET utf8mb4')
  await importSql(fleet.dir, 'copy', join(folder, 'database.sql'))
  const ours = (all: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([name]) => !/wp_b_|other_app/.test(name))
        .map(([name, value]) => [
          name,
          value.replaceAll(
            /DEFINER=`[^`]*`@`[^`]*` ?|\t(?:root|wp_1)@localhost|\b(?:copy|wp_1)\.|`(?:copy|wp_1)`\.|utf8mb[34]_\w+|utf8mb[34]/g,
            '',
          ),
        ]),
    )
  assert.deepEqual(differing(ours(await seen(shop)), ours(await wholeDatabase(fleet, 'copy'))), [])
})

test('a network of three sites is whole again, and one of them alone', async () => {
  const { network } = sites()
  await warmUp(network)
  const [rows, files] = [await seen(network), await filesOf(network.native.dir)]
  const { id } = await backup(network)
  const destroy = async (...numbers: number[]) => {
    for (const number of numbers) {
      const names = (await sql(`SHOW TABLES LIKE 'wp\\_${number}\\_%'`, 'wp_3')).split('\n').filter(Boolean)
      await sql(`DROP TABLE ${names.join(', ')}; CREATE TABLE wp_${number}_later (id int PRIMARY KEY)`, 'wp_3')
      await rm(join(network.native.dir, `wp-content/uploads/sites/${number}`), { recursive: true })
    }
  }
  await destroy(2, 3)
  await sql("UPDATE wp_posts SET post_title = 'Spoiled'; DELETE FROM wp_sitemeta WHERE meta_key = 'site_name'", 'wp_3')
  assert.equal((await plan(network, id)).obstacle, null)
  await restore(network, id)
  assert.deepEqual([differing(rows, await seen(network)), differing(files, await filesOf(network.native.dir))], [[], []])
  await destroy(3)
  await sql("UPDATE wp_posts SET post_title = 'Written later'; UPDATE wp_2_posts SET post_title = 'Written later'", 'wp_3')
  await restore(network, id, { include: ['subsite:3'] })
  const changed = differing(rows, await seen(network)).map((line) => line.split(':')[0])
  assert.deepEqual([changed.sort(), differing(files, await filesOf(network.native.dir))], [['wp_2_posts', 'wp_posts'], []])
  assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${network.site.id}/actions`, { action: 'ping' })).ok, true)
})
