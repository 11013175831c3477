// What stands between the service and a site: closed doors, stripped headers, and a copy that answers in its place.
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { backUp } from '../backup.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { postTicket } from '../visitor.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { databaseDifferences, importSql, query } from './mariadb.ts'
import { reconfigure } from './processes.ts'

let house: House
let fleet: Fleet
let native: NativeSite
let site: Site
let plainConfig: string

before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'mariadb' },
    ],
    { plugins: [CONNECTOR] },
  )
  native = fleet.sites[0] as NativeSite
  plainConfig = await readFile(join(fleet.dir, 'nginx.conf'), 'utf8')
  await native.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  site = await until('A connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

const ping = () => house.send('POST', `/sites/${site.id}/actions`, { action: 'ping' })
const seen = () => house.ask<Site>('GET', `/sites/${site.id}`)

/** Puts directives before the locations of the first site. */
const guarded = (directives: string) => reconfigure(fleet, plainConfig.replace('index index.php;', `index index.php; ${directives}`))

const CLOSED = {
  front: 'if ($args ~ "svc-connector=") { return 403; }',
  rest: 'location ^~ /wp-json { return 403; }',
  rest_route: 'if ($args ~ "rest_route") { return 403; }',
  ajax: 'location = /wp-admin/admin-ajax.php { return 403; }',
  xmlrpc: 'location = /xmlrpc.php { return 403; }',
  cron: 'location = /wp-cron.php { return 403; }',
}

for (const [open, closed] of [
  ['rest', ['front']],
  ['rest_route', ['front', 'rest']],
  ['ajax', ['front', 'rest', 'rest_route']],
  ['front', ['rest', 'rest_route', 'ajax', 'xmlrpc', 'cron']],
] as const)
  test(`with ${closed.join(', ')} closed the door is ${open}`, async () => {
    await guarded(closed.map((door) => CLOSED[door]).join(' '))
    const answer = await ping()
    assert.deepEqual([answer.status, ((await answer.json()) as { door: string }).door], [200, open])
    assert.equal((await seen()).connection.door, open)
  })

test('a host that strips unknown headers is spoken to in envelopes', async () => {
  await reconfigure(fleet, plainConfig.replaceAll('fastcgi_param HTTP_HOST', 'fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST'))
  assert.equal((await ping()).status, 200)
  const { listed } = await backUp(house, site.id, 'db')
  assert.equal(listed.status, 'completed')
})

test('with every door closed the reason is named, and the site is unreachable until one opens', async () => {
  await guarded(Object.values(CLOSED).join(' '))
  const answer = await ping()
  assert.equal(answer.status, 502)
  assert.match(await answer.text(), /HTTP 403/)
  const { status, connection } = await seen()
  assert.deepEqual([status, connection.last_error?.reason], ['unreachable', 'http_status'])
  await guarded('')
  const opened = await ping()
  assert.equal(opened.status, 200, await opened.text())
  assert.equal((await seen()).status, 'connected')
})

test('a login wall and a maintenance page are told apart', async () => {
  await guarded('auth_basic "staging"; auth_basic_user_file /dev/null;')
  assert.match(await (await ping()).text(), /asks for a password/)
  assert.equal((await seen()).connection.last_error?.reason, 'login_wall')
  await guarded('')
  await writeFile(join(native.dir, '.maintenance'), `<?php $upgrading = ${Math.floor(Date.now() / 1000)};`)
  const answer = await ping()
  await rm(join(native.dir, '.maintenance'))
  assert.match(await answer.text(), /WordPress is in maintenance mode/)
  assert.equal((await ping()).status, 200)
})

test('a row of many megabytes that do not shrink is carried whole', async () => {
  const megabytes = 6
  await query(fleet.dir, 'wp_1', 'CREATE TABLE wp_fat (id int PRIMARY KEY, body longtext, bytes longblob)')
  const text = `(SELECT group_concat(md5(concat(rand(), seq)) SEPARATOR '') FROM seq_1_to_${megabytes * 32_768})`
  const fat = `SET SESSION group_concat_max_len = 1 << 30; INSERT INTO wp_fat VALUES (1, ${text}, NULL), (2, 'small', ''), (3, NULL, unhex(${text}))`
  await query(fleet.dir, 'wp_1', fat)
  const { folder } = await backUp(house, site.id, 'db')
  await query(fleet.dir, '', 'CREATE DATABASE fat_copy CHARACTER SET utf8mb4')
  await importSql(fleet.dir, 'fat_copy', join(folder, 'database.sql'))
  assert.deepEqual(await databaseDifferences(fleet.dir, 'wp_1', 'fat_copy', ['wp_svc_connector']), [])
  await query(fleet.dir, 'wp_1', 'DROP TABLE wp_fat')
})

test('where the database allows no new table, the connector does without its own', async () => {
  await query(fleet.dir, 'wp_1', "REVOKE CREATE ON wp_1.* FROM 'wp_1'@'localhost'; DROP TABLE wp_svc_connector")
  const { url } = await house.ask<{ url: string }>('POST', `/sites/${site.id}/actions`, { action: 'login' })
  const tries = await Promise.all(Array.from({ length: 16 }, () => postTicket(url)))
  assert.deepEqual(tries.map(({ status }) => status).sort(), [302, ...Array(15).fill(403)])
  const { folder, listed } = await backUp(house, site.id, 'db')
  assert.equal(listed.consistency, 'snapshot')
  assert.doesNotMatch(await readFile(join(folder, 'database.sql'), 'utf8'), /svc_connector_row_/)
  assert.notEqual(await query(fleet.dir, 'wp_1', "SELECT option_name FROM wp_options WHERE option_name LIKE 'svc_connector_row_%'"), '')
})

test('a copy of folder and database that answers in place of the site is found out and changes nothing', async () => {
  const copy = fleet.sites[1] as NativeSite
  const config = (await readFile(join(native.dir, 'wp-config.php'), 'utf8')).replaceAll("'wp_1'", "'wp_2'")
  await rm(copy.dir, { recursive: true })
  await run('cp', ['-a', native.dir, copy.dir])
  await writeFile(join(copy.dir, 'wp-config.php'), config)
  const tables = (await query(fleet.dir, 'wp_1', 'SHOW TABLES')).split('\n').filter(Boolean)
  const copied = (name: string) =>
    `DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} LIKE wp_1.${name}; INSERT INTO ${name} SELECT * FROM wp_1.${name}`
  await query(fleet.dir, 'wp_2', tables.map(copied).join(';'))
  assert.match(await copy.wpCli(['svc-connector', 'status']).catch(String), /copy of the site/)

  // The name of the site now leads to the copy.
  const [here, there] = [native.dir, copy.dir].map((dir) => dir.replace(/\/www$/, ''))
  const socket = (number: number) => `unix:${fleet.dir}/run/site${number}.sock`
  await reconfigure(fleet, plainConfig.replace(`root ${here}/www`, `root ${there}/www`).replace(socket(1), socket(2)))
  for (const action of ['login', 'ping']) {
    const answer = await house.send('POST', `/sites/${site.id}/actions`, { action })
    assert.equal(answer.status, 502)
    assert.match(await answer.text(), /copy of/)
    assert.equal((await seen()).status, 'clone_detected')
  }
  assert.equal((await house.send('POST', `/sites/${site.id}/actions`, { action: 'update' })).status, 409)
  assert.equal((await house.send('POST', `/sites/${site.id}/backups`, {})).status, 409)

  await guarded('')
  assert.equal((await ping()).status, 200)
  assert.equal((await seen()).status, 'connected')
})
