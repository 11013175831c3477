import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { corePackage, writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { familyCpu } from '../../server/test/meter.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'

const LIMITS = `<?php
add_action( 'init', function () {
	$asked = isset( $_GET['limits'] ) ? $_GET['limits'] : '';
	if ( 'loop' === $asked ) { while ( true ) {} }
	if ( 'memory' === $asked ) { str_repeat( 'x', 200 << 20 ); }
	if ( 'report' === $asked ) {
		wp_send_json( array( 'exec' => function_exists( 'exec' ), 'zip' => class_exists( 'ZipArchive' ), 'etc' => @is_readable( '/etc/passwd' ), 'db' => $GLOBALS['wpdb']->db_server_info() ) );
	}
} );
`

let dir: string
let mirror: Mirror
let fleet: Fleet
let modern: NativeSite
let sqlite: NativeSite
let old: NativeSite

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fleet-test-'))
  await writeFile(join(dir, 'limits.php'), LIMITS)
  mirror = await startMirror()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb', confined: true },
      { wp: '7.1.1', db: 'sqlite', php: { memory_limit: '300M' } },
      { wp: '6.1.9', db: 'mariadb' },
    ],
    {
      plugins: [await writeSamplePlugin(dir)],
      muPlugins: [join(dir, 'limits.php'), join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
      constants: { WPORG_MIRROR: mirror.url },
    },
  )
  ;[modern, sqlite, old] = fleet.sites as [NativeSite, NativeSite, NativeSite]
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  await rm(dir, { recursive: true, force: true })
})

const report = async (site: NativeSite) => (await fetch(`${site.url}/?limits=report`)).json() as Promise<Record<string, unknown>>

test('every site serves its own WordPress on its own origin', async () => {
  for (const [site, version] of [
    [modern, '7.1.1'],
    [sqlite, '7.1.1'],
    [old, '6.1.9'],
  ] as const) {
    const page = await fetch(site.url)
    assert.equal(page.status, 200)
    assert.match(await page.text(), new RegExp(`content="WordPress ${version}"`))
  }
  assert.equal(new Set(fleet.sites.map((site) => new URL(site.url).origin)).size, 3)
})

test('each site has the database it was given', async () => {
  assert.match(String((await report(modern)).db), /MariaDB/)
  assert.match(String((await report(old)).db), /MariaDB/)
  assert.ok(existsSync(join(sqlite.dir, 'wp-content/database/.ht.sqlite')))
})

test('programs and the rest of the disk are out of reach', async () => {
  assert.deepEqual({ ...(await report(modern)), db: 0 }, { exec: false, zip: true, etc: false, db: 0 })
})

test('a page that takes too much memory or time, and a body above 1 MiB, end in an error', async () => {
  assert.equal((await fetch(`${modern.url}/?limits=memory`)).status, 500)
  assert.equal((await fetch(`${sqlite.url}/?limits=memory`)).status, 200)
  assert.equal((await fetch(modern.url, { method: 'POST', body: 'x'.repeat((1 << 20) + 1) })).status, 413)
  // PHP counts its own seconds, which take longer on a busy machine.
  const before = familyCpu(fleet.pids.php)
  assert.equal((await fetch(`${modern.url}/?limits=loop`)).status, 500)
  assert.ok(familyCpu(fleet.pids.php) - before < 15)
  assert.match(await readFile(join(modern.dir, '../log/php.log'), 'utf8'), /Maximum execution time of 10 seconds exceeded/)
})

test('the stand-in for wordpress.org offers a plugin and a core update, and both are installed', async () => {
  mirror.addPackage('wordpress-7.1.2.zip', await corePackage(modern.dir, '7.1.2'))
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' }, core: '7.1.2' })
  await modern.wpCli(['plugin', 'update', 'harbour-notices'])
  assert.match(await (await fetch(modern.url)).text(), /Harbour Notices 1\.1\.0/)
  await modern.wpCli(['eval', UPDATE_CORE])
  assert.equal(await modern.wpCli(['core', 'version']), '7.1.2')
  assert.equal((await fetch(modern.url)).status, 200)
})

test('a second fleet runs beside the first, without an extension, and nothing of it is left when it has stopped', async () => {
  const other = await startFleet([{ wp: '7.1.1', db: 'mariadb', confined: true }], {
    muPlugins: [join(dir, 'limits.php')],
    withoutExtensions: ['zip'],
  })
  assert.equal((await report(other.sites[0] as NativeSite)).zip, false)
  const pids = await Promise.all(['fpm', 'nginx', 'mariadb'].map((name) => readFile(join(other.dir, 'run', `${name}.pid`), 'utf8')))
  await other.stop()
  assert.equal(existsSync(other.dir), false)
  for (const pid of pids) assert.equal(existsSync(`/proc/${pid.trim()}/exe`), false)
})

// Not `wp core update`: that fetches by itself and would miss the stand-in.
const UPDATE_CORE = `
require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
wp_version_check();
( new Core_Upgrader( new Automatic_Upgrader_Skin() ) )->upgrade( find_core_update( '7.1.2', 'en_US' ) );`
