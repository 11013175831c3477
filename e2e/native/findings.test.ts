// Security findings on real sites: nothing false on a hardened one and on one that answers 200 to everything; what is planted is found, and gone when removed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { ensureAssets } from '../../demo/assets.ts'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'
import { reconfigure } from './processes.ts'

interface Finding {
  id: string
  check: string
  severity: string
  evidence: string[]
  component: { name: string } | null
}

const PLUGIN = dirname(SAMPLE_PLUGIN)
/** The date of a test run must not decide about it. */
const DATED = ['php_end_of_life', 'database_end_of_life']

let house: House
let fleet: Fleet
let directory: Server
let hardened: Managed
let soft: Managed
let plainConfig: string
/** What the stand-in says of plugins. */
const LISTINGS: Record<string, object> = {
  [PLUGIN]: { name: 'Harbour Notices', last_updated: '2026-09-01 10:00am GMT' },
  'harbour-old': { name: 'Harbour Old', last_updated: '2020-01-01 10:00am GMT' },
  'harbour-gone': { error: 'closed', name: 'Harbour Gone', closed: true, closed_date: '2026-05-01', reason_text: 'Security Issue' },
  'harbour-twin': { error: 'closed', name: 'Another Plugin', closed: true, closed_date: '2026-05-01', reason_text: 'Security Issue' },
}

before(async () => {
  const { wordpress } = await ensureAssets()
  directory = createServer((request, response) => {
    answer(wordpress, new URL(request.url ?? '/', 'http://directory.invalid')).then(
      (told) =>
        response.writeHead(told ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(told ?? { error: 'not found' })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((ready) => directory.listen(0, '127.0.0.1', ready))
  house = await openHouse({ SERVICE_WORDPRESS_ORG: `http://127.0.0.1:${(directory.address() as AddressInfo).port}` })
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [CONNECTOR, await writeSamplePlugin(house.dir)], muPlugins: [join(import.meta.dirname, 'mu-hardened.php')] },
  )
  plainConfig = await readFile(join(fleet.dir, 'nginx.conf'), 'utf8')
  const [first, second] = fleet.sites as [NativeSite, NativeSite]
  await first.wpCli(['user', 'create', 'keeper', 'keeper@example.invalid', '--role=administrator', '--user_pass=password'])
  await first.wpCli(['user', 'delete', 'admin', '--reassign=2', '--yes'])
  await writeFile(join(second.dir, 'wp-content/soft'), '')
  // Before it is paired: a site seals its key under its salts.
  const config = await readFile(join(second.dir, 'wp-config.php'), 'utf8')
  await writeFile(
    join(second.dir, 'wp-config.php'),
    config.replace(/(define\(\s*'NONCE_SALT',\s*)'[^']*'/, "$1'put your unique phrase here'"),
  )
  ;[hardened, soft] = (await connectAll(house, fleet)) as [Managed, Managed]
  await guard()
})
after(async () => {
  await fleet?.stop()
  await house?.close()
  directory?.close()
})

/** What WordPress.org publishes, made of the files this WordPress was copied from. */
async function answer(wordpress: string, url: URL): Promise<object | undefined> {
  if (url.pathname === '/api/core/checksums/1.0/') return { checksums: await sums(wordpress) }
  if (url.pathname === `/downloads/plugin-checksums/${PLUGIN}/1.0.0.json`) {
    const files = Object.entries(await sums(join(house.dir, PLUGIN))).map(([path, md5]) => [path, { md5 }])
    return { plugin: PLUGIN, version: '1.0.0', files: Object.fromEntries(files) }
  }
  return LISTINGS[url.searchParams.get('request[slug]') ?? '']
}

async function sums(folder: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    all[path.slice(folder.length + 1)] = createHash('md5')
      .update(await readFile(path))
      .digest('hex')
  }
  return all
}

const HEADERS = ['X-Content-Type-Options nosniff', 'X-Frame-Options SAMEORIGIN', 'Referrer-Policy strict-origin']
const GUARDS = [
  ...HEADERS.map((each) => `add_header ${each};`),
  'location = /readme.html { return 404; }',
  'location = /license.txt { return 404; }',
  'location ~ ^/wp-content/uploads/.*\\.php { return 403; }',
]

/** The first site's web server as a careful administrator sets it up; or as `change` makes it. */
async function guard(change: (config: string) => string = (config) => config): Promise<void> {
  const guarded = plainConfig.replace('index index.php;', `index index.php; ${GUARDS.join(' ')}`)
  await reconfigure(fleet, change(guarded))
}

async function check({ site }: Managed): Promise<Finding[]> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/security/check`, {})
  const job = await house.finished<{ sources: { source: string; status: string; error: string | null }[] }>(job_id)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  for (const { source, status, error } of job.result.sources) assert.equal(status, 'checked', `${source}: ${error}`)
  const found = await house.ask<Finding[]>('GET', `/sites/${site.id}/security`)
  return found.filter((each) => !DATED.includes(each.check))
}
const names = (findings: Finding[]) => findings.map(({ check }) => check).sort()
const filesOf = async ({ native }: Managed) =>
  (await readdir(join(native.dir, 'wp-content/uploads')).catch(() => [])).filter((name) => /svc-connector-probe/.test(name))

/** What is true of the hardened one: it has no TLS, and the usual prefix. */
const TRUE_OF_IT = ['no_https', 'table_prefix']

test('nothing false is found on a hardened site', async () => {
  assert.deepEqual(names(await check(hardened)), TRUE_OF_IT)
  assert.deepEqual(await filesOf(hardened), [], 'the probe was taken away')
})

test('a site that answers 200 to every name has exposed nothing', async () => {
  assert.equal((await fetch(`${soft.native.url}/no-such-page`)).status, 200)
  assert.deepEqual(
    names(await check(soft)),
    [
      ...[
        'admin_user',
        'file_editor',
        'pingbacks',
        'readme_exposed',
        'salts',
        'security_headers',
        'uploads_run_php',
        'user_enumeration',
        'user_id_1',
      ],
      ...['version_disclosed', 'xmlrpc', ...TRUE_OF_IT],
    ].sort(),
  )
})

test('every route to a login name is named', async () => {
  const { evidence = [] } = (await check(soft)).find(({ check }) => check === 'user_enumeration') ?? {}
  assert.deepEqual(evidence.map((line) => line.split(':')[0]).sort(), [
    'REST',
    'REST by parameter',
    'author archives',
    'feeds',
    'login errors',
    'oEmbed',
    'sitemap',
  ])
  for (const line of evidence.filter((each) => !each.startsWith('login'))) assert.match(line, /admin/)
})

const FILES: Record<string, string> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.env': 'APP_KEY=secret-canary\nDB_PASSWORD=secret-canary\n',
  'wp-config.php.bak': "<?php\ndefine( 'DB_PASSWORD', 'secret-canary' );\n",
  'backup.sql': '-- MySQL dump 10.19\nCREATE TABLE `wp_users` (secret-canary);\n',
  'wp-content/debug.log': '[20-Nov-2026 08:00:00 UTC] PHP Warning:  secret-canary in /srv/x.php on line 1\n',
  'info.php': '<?php phpinfo();',
  'wp-includes/class-wp-cache-x.php': '<?php // Foreign.',
  'wp-content/plugins/harbour-old/harbour-old.php': '<?php\n/* Plugin Name: Harbour Old\n * Version: 1.0 */\n',
  'wp-content/plugins/harbour-gone/harbour-gone.php': '<?php\n/* Plugin Name: Harbour Gone\n * Version: 1.0 */\n',
  'wp-content/plugins/harbour-twin/harbour-twin.php': '<?php\n/* Plugin Name: Harbour Twin\n * Version: 1.0 */\n',
  'wp-content/uploads/2026/x.phtml': '<?php system( 1 );',
}
const EXPECTED = [
  ...['backup_exposed', 'config_exposed', 'env_exposed', 'vcs_exposed', 'debug_log_exposed', 'phpinfo_exposed', 'directory_listing'],
  ...['core_modified', 'core_unknown', 'core_missing', 'plugin_modified', 'uploads_php_files', 'uploads_run_php', 'readme_exposed'],
  ...['new_admin', 'debug_display', 'cron', 'plugin_abandoned', 'plugin_closed', 'security_headers'],
]

test('what is planted is found, and is gone when it was removed', async () => {
  const { dir, wpCli } = hardened.native
  const kept = await Promise.all(
    ['wp-includes/functions.php', 'wp-admin/about.php', 'wp-config.php', `wp-content/plugins/${SAMPLE_PLUGIN}`].map(
      async (path) => [path, await readFile(join(dir, path))] as const,
    ),
  )
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content)
  }
  await mkdir(join(dir, 'wp-content/uploads'), { recursive: true })
  const append = async (path: string, more: string) => writeFile(join(dir, path), `${await readFile(join(dir, path), 'utf8')}\n${more}`)
  await append('wp-includes/functions.php', '// Changed.')
  await append(`wp-content/plugins/${SAMPLE_PLUGIN}`, '// Changed.')
  await rm(join(dir, 'wp-admin/about.php'))
  const config = await readFile(join(dir, 'wp-config.php'), 'utf8')
  await writeFile(
    join(dir, 'wp-config.php'),
    config.replace('<?php', "<?php\ndefine( 'WP_DEBUG', true );\ndefine( 'WP_DEBUG_DISPLAY', true );\n"),
  )
  await run('chown', ['-R', 'www-data:', dir])
  await wpCli(['user', 'create', 'wpsupport', 'x@example.invalid', '--role=administrator', '--user_pass=password'])
  await wpCli(['cron', 'event', 'schedule', 'harbour_tide', '2026-01-01 00:00:00'])
  await run('mkdir', ['-p', join(dir, 'wp-content/uploads')])
  await guard(() => plainConfig.replace('location ~ /\\.|', 'autoindex on; location ~ '))

  const found = await check(hardened)
  assert.deepEqual(
    EXPECTED.filter((each) => !found.some(({ check }) => check === each)),
    [],
    names(found).join(' '),
  )
  assert.ok(!JSON.stringify(found).includes('canary'), 'no secret is told')
  const evidence = Object.fromEntries(found.map((each) => [each.check, each.evidence.join(' ')]))
  assert.match(evidence.core_modified ?? '', /wp-includes\/functions\.php/)
  assert.match(evidence.core_unknown ?? '', /wp-includes\/class-wp-cache-x\.php/)
  assert.match(evidence.core_missing ?? '', /wp-admin\/about\.php/)
  assert.match(evidence.new_admin ?? '', /wpsupport, registered 20/)
  const closed = found.filter((each) => each.check === 'plugin_closed')
  assert.deepEqual(
    closed.map((each) => each.evidence),
    [['The directory closed harbour-gone on 2026-05-01. Reason: Security Issue.']],
    'the twin is another plugin of that name',
  )

  for (const path of Object.keys(FILES)) await rm(join(dir, path))
  for (const plugin of ['old', 'gone', 'twin']) await rm(join(dir, `wp-content/plugins/harbour-${plugin}`), { recursive: true })
  for (const [path, bytes] of kept) await writeFile(join(dir, path), bytes)
  await run('chown', ['-R', 'www-data:', dir])
  await wpCli(['user', 'delete', 'wpsupport', '--yes'])
  await wpCli(['cron', 'event', 'delete', 'harbour_tide'])
  await guard()
  assert.deepEqual(names(await check(hardened)), TRUE_OF_IT)
})
