import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin, writeSampleTheme } from '../../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { startSite } from '../../demo/start-site.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'

const DEMO = join(import.meta.dirname, '../../demo')
const ADMIN = `<?php require '/wordpress/wp-load.php'; require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';`

let dir: string
let mirror: Mirror
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wasm-site-'))
  mirror = await startMirror()
})
after(async () => {
  await mirror.stop()
  await rm(dir, { recursive: true, force: true })
})

const options = async (name: string) => ({
  dir: join(dir, name),
  title: 'The Harbour',
  plugins: [await writeSamplePlugin(dir)],
  muPlugins: [join(DEMO, 'mu-wporg-mirror.php')],
  constants: { WPORG_MIRROR: mirror.url, WP_HTTP_BLOCK_EXTERNAL: true, DISABLE_WP_CRON: true },
})

test('a site is installed, updated from the stand-in, and keeps both over a restart on another port', async () => {
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' }, themes: { harbour: '1.1.0' } })
  const first = await startSite(await options('one'))
  const theme = await writeSampleTheme(join(first.dir, 'wp-content/themes'))
  await first.runPhp(
    `${ADMIN} wp_update_plugins(); ( new Plugin_Upgrader( new Automatic_Upgrader_Skin() ) )->bulk_upgrade( array( '${SAMPLE_PLUGIN}' ) );`,
  )
  await first.runPhp(
    `${ADMIN} wp_update_themes(); ( new Theme_Upgrader( new Automatic_Upgrader_Skin() ) )->bulk_upgrade( array( 'harbour' ) );`,
  )
  assert.match(readFileSync(join(theme, 'style.css'), 'utf8'), /Version: 1\.1\.0/)
  await first.stop()
  const second = await startSite({ ...(await options('one')), title: 'Another title', pass: 'another' })
  const page = await (await fetch(second.url)).text()
  assert.match(page, /The Harbour/)
  assert.match(page, /Harbour Notices 1\.1\.0/)
  assert.equal(second.adminPassword, first.adminPassword)
  await second.stop()
  await assert.rejects(fetch(second.url), ({ cause }: Error) => (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED')
})

test('files below WordPress are served, but not the database, hidden files or what lies outside', async () => {
  const site = await startSite(await options('one'))
  const status = async (path: string) => (await fetch(site.url + path)).status
  assert.equal(await status('/wp-includes/css/dashicons.min.css'), 200)
  for (const path of [
    '/wp-content/database/.ht.sqlite',
    '/.htaccess',
    '/%2e%2e/site.json',
    '/..%2fsite.json',
    '/wp-content/..%2f..%2fsite.json',
  ])
    assert.equal(await status(path), 404, path)
  const code = await (await fetch(`${site.url}/wp-config.php`)).text()
  assert.doesNotMatch(code, /AUTH_KEY/)
  await site.stop()
})

test('both PHP instances see the same inode, the one of the disk', async () => {
  const site = await startSite(await options('one'))
  const look = () => site.runPhp("<?php usleep( 200000 ); echo getmypid(), ' ', fileinode( '/wordpress/wp-load.php' );")
  const seen = (await Promise.all([look(), look()])).map((line) => line.split(' '))
  assert.notEqual(seen[0]?.[0], seen[1]?.[0])
  for (const [, inode] of seen) assert.equal(Number(inode), statSync(join(site.dir, 'wp-load.php')).ino)
  await site.stop()
})

test('PHP 7.4 runs WordPress too', async () => {
  const site = await startSite({ ...(await options('old')), phpVersion: '7.4' })
  assert.match(await site.runPhp(`${ADMIN} echo PHP_VERSION;`), /^7\.4\./)
  assert.equal((await fetch(site.url)).status, 200)
  await site.stop()
})

test('a site ends when the process that started it is killed, even in the middle of an endless loop', async () => {
  const starter = join(dir, 'starter.mjs')
  await writeFile(
    starter,
    `import { startSite } from ${JSON.stringify(join(DEMO, 'start-site.ts'))}
    const site = await startSite({ dir: ${JSON.stringify(join(dir, 'one'))}, title: 'x' })
    process.stdout.write(String(site.pid))
    await site.runPhp('<?php while ( true ) {}')`,
  )
  const parent = spawn(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
  await sleep(300)
  parent.kill('SIGKILL')
  while (isRunning(Number(pid))) await sleep(50)
})

/** A zombie, which only waits to be collected, does not run. */
function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
