// What befalls a site between its backup and its restore, and sites that answer badly all the time.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../demo/npm.ts'
import { newSalts } from '../../../demo/site-files.ts'
import type { Job, Site } from '../../house.ts'
import { setClock } from '../daemons.ts'
import type { Fleet } from '../fleet.ts'
import { query } from '../mariadb.ts'
import { reconfigure } from '../processes.ts'
import { pair } from './walk.ts'
import type { Ground, Paired, World } from './world.ts'

const site = { wp: '7.1.1', db: 'mariadb' } as const
const CONFIG = 'www/wp-config.php'

const muPlugin =
  (code: string) =>
  async ({ native }: Ground) =>
    writeFile(join(native.content, 'mu-plugins/harbour.php'), `<?php\n/* Plugin Name: Harbour */\n${code}\n`)
const visitors = (status: number, words: string) =>
  muPlugin(
    `add_action( 'template_redirect', function () { if ( ! is_user_logged_in() ) { status_header( ${status} ); exit( '<html><body><h1>${words}</h1></body></html>' ); } } );`,
  )

const asBefore = (status: number) => new RegExp(`^The front page answers with ${status}, as it was before the restore\\.$`)

async function changeConfig({ place }: Ground, change: (text: string) => string): Promise<void> {
  await writeFile(join(place, CONFIG), change(await readFile(join(place, CONFIG), 'utf8')))
}

/** Paired anew, it is the site it was. */
async function pairAgain(ground: Paired, host?: string): Promise<void> {
  const { id } = ground.one.site
  await ground.native.wpCli(['svc-connector', 'disconnect'])
  assert.equal((await pair(ground, { site: id, ...(host !== undefined && { host }) })).id, id, 'It kept its id and history.')
}

/** The same site at another address; the one of before is gone. */
async function moveAway(ground: Paired): Promise<void> {
  const { hostname } = new URL(ground.native.url)
  const other = hostname.replace('127.1.', '127.2.')
  const config = await readFile(join(ground.fleet.dir, 'nginx.conf'), 'utf8')
  await reconfigure(ground.fleet, config.replaceAll(`listen ${hostname}:`, `listen ${other}:`))
  await changeConfig(ground, (text) => text.replaceAll(hostname, other))
  ground.native.url = ground.native.url.replace(hostname, other)
  await pairAgain(ground, new URL(ground.native.url).host)
}

/** The service sees by how many seconds the site's clock is wrong. */
const isOff =
  (seconds: number) =>
  async ({ house, one }: Paired) => {
    const { clock_skew_s: skew } = await house.ask<{ clock_skew_s: number }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })
    assert.ok(Math.abs(skew - seconds) <= 2, `${skew} s`)
  }

/** Visitors are sent to https from now on. */
async function encrypt(ground: Paired): Promise<void> {
  const { native } = ground
  const url = native.url.replace('http:', 'https:')
  await changeConfig(ground, (text) => text.replaceAll(native.url, url))
  native.url = url
  await pairAgain(ground)
  assert.equal((await ground.house.ask<Site>('GET', `/sites/${ground.one.site.id}`)).url, url)
}

/** The document root on a disk of its own, with 70 MB to spare. */
async function onSmallDisk({ native, sh }: Ground): Promise<void> {
  const used = Number((await run('du', ['--summarize', '--block-size=1M', native.dir])).split('\t')[0])
  await sh('mv www tmp/before; mkdir www')
  await run('mount', ['-t', 'tmpfs', '-o', `size=${used + 70}m,uid=33,gid=33,mode=755`, 'tmpfs', native.dir])
  await sh('cp -a tmp/before/. www/; rm -r tmp/before')
}

async function newSecrets(ground: Paired): Promise<void> {
  const salts = newSalts()
  await changeConfig(ground, (text) =>
    text.replace(/define\( '(\w+_(?:KEY|SALT))', '[^']*' \);/g, (_, name: string) => `define( '${name}', '${salts[name]}' );`),
  )
  const answer = await ground.house.send('POST', `/sites/${ground.one.site.id}/actions`, { action: 'ping' })
  const words = await answer.text()
  assert.match(words, /salts|secrets/i)
  await pairAgain(ground)
}

/** Every table of one database, as it is now, in another one. */
async function copied({ dir }: Fleet, from: string, to: string): Promise<void> {
  const tables = (await query(dir, from, 'SHOW TABLES')).split('\n').filter(Boolean)
  const each = tables.map(
    (table) =>
      `DROP TABLE IF EXISTS ${to}.${table}; CREATE TABLE ${to}.${table} LIKE ${table}; INSERT INTO ${to}.${table} SELECT * FROM ${table}`,
  )
  await query(dir, from, `CREATE DATABASE IF NOT EXISTS ${to}; ${each.join('; ')}`)
}

/** A backup during which the plugin is switched off ends soon and says so. */
async function switchedOff(ground: Paired): Promise<void> {
  const { house, one, native } = ground
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups`, { type: 'full' })
  let off: Promise<unknown> | undefined
  const job = await house.finished(job_id, ({ phase }: Job<unknown>) => {
    if (phase === 'files') off ??= native.wpCli(['plugin', 'deactivate', 'svc-connector'])
  })
  await off
  assert.deepEqual([job.status, /not active|page/.test(job.error?.message ?? '')], ['failed', true], JSON.stringify(job.error))
  await native.wpCli(['plugin', 'activate', 'svc-connector'])
  assert.equal((await pair(ground, { site: one.site.id })).id, one.site.id, 'It kept its id and history.')
}

export const troubles: World[] = [
  { name: 'coming soon: visitors get 503', site, lay: visitors(503, 'Coming soon'), warned: asBefore(503) },
  { name: 'a front page that has long been 500', site, lay: visitors(500, 'Sorry'), warned: asBefore(500) },
  { name: 'index.php does not parse', site, harm: ({ sh }) => sh('echo "<?php this is not PHP" >www/index.php') },
  {
    name: 'wp-includes is gone',
    site,
    harm: ({ sh }) => sh('chmod -R u+rwX www/wp-includes; rm -r www/wp-includes'),
  },
  {
    name: 'half of wp-includes is gone',
    site,
    harm: ({ sh }) => sh('chmod -R u+rwX www/wp-includes; rm -r www/wp-includes/blocks www/wp-includes/class-wp-hook.php'),
  },
  {
    name: 'a .maintenance that nobody takes away',
    site,
    harm: ({ sh }) => sh("echo '<?php $upgrading = 4102444800;' >www/.maintenance"),
    warned:
      /^A notice of maintenance \(\.maintenance\) stood on the site\. A restore of all files takes it away; otherwise it is there again\.$/,
  },
  { name: 'another address', site, meanwhile: moveAway, becomes: [CONFIG] },
  { name: 'https in the place of http', site, https: true, meanwhile: encrypt, becomes: [CONFIG] },
  {
    name: 'a clock that is twenty minutes slow, and three hours fast after the backup',
    site,
    clock: '-20m',
    plant: isOff(-20 * 60),
    meanwhile: ({ fleet }) => setClock(fleet.dir, '+3h'),
    atLast: isOff(3 * 60 * 60),
  },
  { name: 'other salts', site, meanwhile: newSecrets, becomes: [CONFIG] },
  {
    name: 'WordPress dies of a file that the restore put back, and the restore is undone',
    site,
    afterwards: ({ sh }) => sh("echo '<?php this is not PHP' >www/wp-includes/version.php"),
  },
  {
    name: 'the database of an older dump, the connector’s own tables with it',
    site,
    plant: ({ fleet, native }) => copied(fleet, String(native.database), 'older'),
    meanwhile: ({ fleet, native }) => copied(fleet, 'older', String(native.database)),
  },
  {
    name: 'a disk that is full',
    site,
    lay: onSmallDisk,
    plant: ({ sh }) => sh('mkdir -p "$content/uploads"; head -c 30000000 /dev/urandom >"$content/uploads/film.mp4"'),
    harm: ({ sh }) =>
      sh('rm -rf "$content/uploads/film.mp4"; head -c 100000000 /dev/zero >www/junk 2>/dev/null || truncate -s -4000000 www/junk'),
    obstacle: { said: /disk/, clear: ({ sh }) => sh('rm www/junk') },
    leave: async ({ dir }) => run('umount', ['--lazy', join(dir, 'site1/www')]).catch(() => undefined),
  },
  { name: 'switched off in the middle of a backup', site, plant: switchedOff },
]
