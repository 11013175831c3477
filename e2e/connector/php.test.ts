// The connector's own checks, in every PHP it has to run in. Installs Debian's PHP where it is missing, which needs root.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ensureAssets, ensureRuntime } from '../../demo/assets.ts'
import { type Php, startPhp } from '../../demo/php.ts'
import { similarSite } from '../../server/src/pairing/refused.ts'
import { ensurePackages, PHP_VERSION } from '../native/debian.ts'

const ROOT = join(import.meta.dirname, '../..')
const TESTS = join(ROOT, 'connector/test')
const CONNECTOR = join(ROOT, 'connector/svc-connector')
const PHP = `php${PHP_VERSION}`
/** Between the oldest and the newest with `npm run prove:fuzz`. */
const WASM_VERSIONS = process.env.CONNECTOR_SEED === undefined ? ['7.4', '8.5'] : ['7.4', '8.3', '8.5']

/** Always the same in the gate, with which `paths.php` meets a link that leads to itself; `CONNECTOR_SEED=random`: where nobody was. */
const seedOf = () => {
  const { CONNECTOR_SEED = '237504694' } = process.env
  return CONNECTOR_SEED === 'random' ? String(Math.floor(Math.random() * 1e9)) : CONNECTOR_SEED
}

/** Rounds of kills: few in the gate. */
const roundsOf = (long: number) => (process.env.CONNECTOR_SEED === undefined ? 1 : long)

test('a statement of a backup is taken, and of 20,000 changed ones nothing but literals', async () => {
  const seed = seedOf()
  assert.match(await run([join(TESTS, 'dump.php'), '20000', seed]), new RegExp(`^seed ${seed}: 20000 rounds, .* 0 wrong\\n$`))
})

test('no plan of a restore leads out of the site, by hand or at random', async () => {
  const seed = seedOf()
  assert.match(
    await run([join(TESTS, 'paths.php'), '1000', seed]),
    new RegExp(`^seed ${seed}: \\d+ paths by hand, 1000 plans at random: 0 wrong\\n$`),
  )
})

test('each file of a site is in one root, what leads out is named, and nothing beside the roots is written', async () => {
  assert.match(await run([join(TESTS, 'roots.php')]), /^\d+ layouts: 0 wrong\n$/)
})

test('what PHP may not change is refused before anything is touched, and files keep their group', async () => {
  assert.match(await run([join(TESTS, 'writable.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('a login link that is over says so on a page of its own, which runs nothing and nobody keeps', async () => {
  assert.match(await run([join(TESTS, 'login.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('a folder with more names than there is memory for is told as one that cannot be read, and ends no listing', async () => {
  assert.match(await run(['-d', 'memory_limit=128M', join(TESTS, 'names.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('nothing outlives the connection that began it: doors do not know the service, visitors make the site whole', async () => {
  assert.match(await run([join(TESTS, 'ending.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('the door that needs no WordPress lets the service in and is silent to everybody else', async () => {
  assert.match(await run([join(TESTS, 'standing.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('only the service gets into a trial, and nothing that a transaction cannot take back is carried out there', async () => {
  assert.match(await run([join(TESTS, 'trial.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('the options without which a site is another one are put back by a door that knows nothing of WordPress', async () => {
  assert.match(await run([join(TESTS, 'vital.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('what a version writes outside of its folder outlives no trial and no way back, and shuts no site for good', async () => {
  assert.match(await run([join(TESTS, 'around.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('an update that switches another plugin off, or takes events from others, is told', async () => {
  assert.match(await run([join(TESTS, 'others.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('a package of any kind that leads out of its folder is refused before it is unpacked, with the extension zip and without it', async () => {
  assert.match(await run([join(TESTS, 'packages.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('a new version finds what stands beside it in its trial, is whole or not there, and nobody stays awake for it who is needed elsewhere', async () => {
  assert.match(await run([join(TESTS, 'staged.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('what a look into wp-admin tells the object cache is heard by nobody else', async () => {
  assert.match(await run([join(TESTS, 'unshared.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('caches of pages are emptied once after the site was changed, by a request that has loaded all that they need', async () => {
  assert.match(await run([join(TESTS, 'page-caches.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('whoever exchanges code waits for the requests that load it, they for the exchange, and nobody for long', async () => {
  assert.match(await run([join(TESTS, 'code-lock.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('copies of a site are told from it and do not speak for it, and a site that stays where it is is no copy', async () => {
  assert.match(await run([join(TESTS, 'copies.php')]), /^\d+ sites and copies: 0 wrong\n$/)
})

test('whoever pairs by WP-CLI reads the whole of the longest refusal, and is not told of a connection before the service came by', async () => {
  const host = `${'long-name.'.repeat(24)}example.org`
  const { message } = similarSite({ id: `site_${'0'.repeat(26)}`, domain: host, host })
  assert.match(await run([join(TESTS, 'pairing.php'), message]), /^\d+ commands: 0 wrong\n$/)
})

test('Disconnect on the page of the plugin asks first, and without the answer nothing is disconnected', async () => {
  assert.match(await run([join(TESTS, 'settings.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('a swap that is killed again and again ends exactly new or exactly old', async () => {
  const seed = seedOf()
  assert.match(
    await run([join(TESTS, 'swap.php'), String(roundsOf(4)), seed]),
    new RegExp(`seed ${seed}: ${roundsOf(4)} rounds, \\d+ kills: 0 wrong\\n$`),
  )
})

test('files are fingerprinted in slices of any size, no link is followed, and no code passes for a comment', async () => {
  assert.match(await run([join(TESTS, 'integrity.php')]), /^\d+ entries of core, \d+ contents: 0 wrong\n$/)
})

test('administrators are told by number and login, all of them or none, and no address leaves the site', async () => {
  assert.match(await run([join(TESTS, 'choices.php')]), /^\d+ checks: 0 wrong\n$/)
})

test('nothing behind a link is read, whatever inode is told, with open_basedir and without', async () => {
  assert.match(await run([join(TESTS, 'reading.php')]), /open_basedir off: 0 wrong\n$/)
  const limited = ['-d', `open_basedir=${tmpdir()}:${join(ROOT, 'connector')}`]
  assert.match(await run([...limited, join(TESTS, 'reading.php')]), /open_basedir on: 0 wrong\n$/)
})

test('PHP errors are seen whatever ends the page, and nobody else who listens notices', async () => {
  assert.match(await run([join(TESTS, 'errors.php')]), /^\d+ checks, a flood \d\.\d\d times as long: 0 wrong\n$/)
})

test('secrets, blocks and the sealed key change exactly as they should', async () => {
  assert.match(await run([join(TESTS, 'tweaks.php'), '500']), /^\d+ checks, seed \d+: 0 wrong\n$/)
})

test('an update that is taken back under kills leaves exactly what was there', async () => {
  const seed = seedOf()
  assert.match(
    await run([join(TESTS, 'undo.php'), String(roundsOf(10)), seed]),
    new RegExp(`seed ${seed}: ${roundsOf(10)} rounds, \\d+ kills: 0 wrong\n$`),
  )
})

let root: string
before(async () => {
  await ensurePackages()
  root = await mkdtemp(join(tmpdir(), 'svc-php-'))
  const { wordpress } = await ensureAssets()
  await cp(join(wordpress, 'wp-includes/sodium_compat'), join(root, 'wp-includes/sodium_compat'), { recursive: true })
  for (const path of ['connector', 'contract/wire-vectors.json']) await cp(join(ROOT, path), join(root, path), { recursive: true })
})
after(() => rm(root, { recursive: true, force: true }))

/** What a script printed; it must end well. `-n`: no php.ini, so only what is compiled in. */
function run(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(PHP, args, (error, out, err) => (error ? reject(new Error(`${PHP} ${args.join(' ')}: ${out}${err}`)) : resolve(out)))
  })
}

/** All in one process: to start PHP for each takes a hundred times as long. */
const COMPILE_ALL = 'foreach ( array_slice( $argv, 1 ) as $file ) { opcache_compile_file( $file ); } echo count( $argv ) - 1, " compiled";'

test('every file is valid PHP and keeps the connector’s own rules', async () => {
  assert.match(await run([join(TESTS, 'rules.php')]), /: 0 broken rules\n$/)
  assert.match(await run([join(TESTS, 'plugin-check.php')]), /: 0 are not kept\n$/)
  const files = (await readdir(CONNECTOR, { recursive: true })).filter((name) => name.endsWith('.php'))
  const complaints = ['opcache.enable_cli=1', 'error_reporting=-1', 'display_errors=1'].flatMap((setting) => ['-d', setting])
  assert.equal(await run([...complaints, '-r', COMPILE_ALL, ...files.map((name) => join(CONNECTOR, name))]), `${files.length} compiled`)
})

test('ext/sodium and the sodium of WordPress agree with every recorded message', async () => {
  const { wordpress } = await ensureAssets()
  assert.match(await run([join(TESTS, 'vectors.php')]), /, ext\/sodium: request:\d{2,},.* 0 wrong\n$/)
  assert.match(await run(['-n', join(TESTS, 'vectors.php'), wordpress]), /, sodium_compat: request:\d{2,},.* 0 wrong\n$/)
})

test('of 20,000 changed requests none is admitted', async () => {
  const seed = seedOf()
  const said = await run([join(TESTS, 'mutations.php'), '20000', seed])
  assert.match(said, /^20000 mutations \(seed \d+\): 0 accepted/)
})

for (const version of WASM_VERSIONS)
  test(`PHP ${version} reads every file and agrees with every recorded message`, async () => {
    const php: Php = await startPhp({ runtime: await ensureRuntime(version), version, root, url: 'http://127.0.0.1', instances: 1 })
    assert.equal(await php.run(READ_ALL), 'fine')
    const said = await php.run("<?php $argv = array( 'vectors.php', '/wordpress' ); require '/wordpress/connector/test/vectors.php';")
    assert.match(said, new RegExp(`^PHP ${version.replace('.', '\\.')}\\.\\d+, sodium_compat: request:\\d{2,},.* 0 wrong\\n$`))
  })

/** Parsing, and the declaration of every class, with every complaint an error. */
const READ_ALL = `<?php
error_reporting( -1 );
set_error_handler( function ( $number, $message, $file, $line ) { throw new ErrorException( $message, 0, $number, $file, $line ); } );
define( 'ABSPATH', '/wordpress/' );
foreach ( array_merge( glob( '/wordpress/connector/svc-connector/*.php' ), glob( '/wordpress/connector/svc-connector/src/*/*.php' ) ) as $file ) {
	token_get_all( (string) file_get_contents( $file ), TOKEN_PARSE );
	if ( false !== strpos( $file, '/class-' ) ) {
		require_once $file;
	}
}
echo 'fine';`
