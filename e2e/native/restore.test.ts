// Backups put back onto real WordPress sites: everything returns byte for byte, and what goes wrong leaves the site as it was.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse, type Site, until } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'
import { query } from './mariadb.ts'

interface Managed {
  native: NativeSite
  site: Site
  database: string | null
}
interface Restored {
  backup_id: string
  safety_backup_id: string | null
}

let house: House
let fleet: Fleet
let all: Managed[]

before(async () => {
  house = await openHouse()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    { plugins: [CONNECTOR, await writeSamplePlugin(house.dir)] },
  )
  all = []
  for (const [index, native] of fleet.sites.entries()) {
    await native.wpCli(['svc', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
    const site = await until(`${native.url} connected`, async () =>
      (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === native.url && status === 'connected'),
    )
    all.push({ native, site, database: index === 0 ? 'wp_1' : null })
  }
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

const OURS = /^wp-content\/(plugins\/svc-connector|svc-connector-work|database)(\/|$)/

/** Path → digest of content, for every file that is not the connector's own. */
async function filesOf(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name)
    const path = relative(dir, full)
    if (OURS.test(path)) continue
    if (entry.isSymbolicLink()) found[path] = `link ${await readlink(full)}`
    else if (entry.isDirectory()) found[path] = 'folder'
    else found[path] = createHash('sha256').update(await readFile(full)).digest('hex')
  }
  return found
}

/** What WordPress itself writes while it is looked at. */
const RESTLESS = "option_name NOT LIKE 'svc%' AND option_name NOT LIKE '%transient%' AND option_name NOT IN ('cron','rewrite_rules')"

/** Table → digest of its rows and definition, without the connector's own. */
async function rowsOf({ native, database }: Managed): Promise<Record<string, string>> {
  if (database === null) {
    const script = `global $wpdb; $all = array();
      foreach ( $wpdb->get_col( "SHOW TABLES" ) as $t ) { if ( $t === 'wp_svc_connector' ) { continue; }
        $rows = $wpdb->get_results( "SELECT * FROM \`$t\`" . ( $t === 'wp_options' ? " WHERE ${RESTLESS}" : '' ), ARRAY_A );
        $create = $wpdb->get_row( "SHOW CREATE TABLE \`$t\`", ARRAY_N );
        sort( $rows ); $all[ $t ] = md5( serialize( $rows ) ) . preg_replace( '/ AUTO_INCREMENT=\\d+/', '', $create[1] ); }
      echo json_encode( $all );`
    return JSON.parse(await native.wpCli(['eval', script, '--skip-plugins', '--skip-themes'])) as Record<string, string>
  }
  const tables = (await query(fleet.dir, database, "SHOW TABLES LIKE 'wp\\_%'")).split('\n').filter((name) => name !== '' && name !== 'wp_svc_connector')
  const found: Record<string, string> = {}
  for (const table of tables) {
    const where = table === 'wp_options' ? ` WHERE ${RESTLESS}` : ''
    await query(fleet.dir, database, `DROP TABLE IF EXISTS zz_copy; CREATE TABLE zz_copy AS SELECT * FROM ${table}${where}`)
    const create = await query(fleet.dir, database, `SHOW CREATE TABLE ${table}`)
    const sum = table === 'wp_options' ? await query(fleet.dir, database, 'CHECKSUM TABLE zz_copy') : await query(fleet.dir, database, `CHECKSUM TABLE ${table}`)
    found[table] = `${sum.split('\t').at(-1)?.trim()} ${create.replace(/ AUTO_INCREMENT=\d+/, '')}`
  }
  await query(fleet.dir, database, 'DROP TABLE IF EXISTS zz_copy')
  return found
}

/** Names whose values differ. */
const differing = (one: Record<string, string>, other: Record<string, string>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).map((name) => `${name}: ${one[name]} became ${other[name]}`.slice(0, 300))

/** The first visits make WordPress write rows of its own. */
async function warmUp({ native }: Managed): Promise<void> {
  for (const path of ['/', '/wp-login.php', '/']) await (await fetch(native.url + path)).text()
}

const stateOf = async (one: Managed) => ({ files: await filesOf(one.native.dir), rows: await rowsOf(one) })

async function backup({ site }: Managed, type = 'full'): Promise<string> {
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', `/sites/${site.id}/backups`, { type })
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  return backup_id
}

async function restore({ site }: Managed, id: string, body: object = {}): Promise<Job<Restored>> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/backups/${id}/restore`, body)
  return house.finished<Restored>(job_id)
}

const PLUGIN = 'wp-content/plugins/harbour-notices/harbour-notices.php'

async function damage({ native }: Managed): Promise<void> {
  await native.wpCli(['post', 'delete', '1', '--force'])
  await native.wpCli(['option', 'update', 'blogname', 'Hacked'])
  await writeFile(join(native.dir, PLUGIN), "<?php\n/* Plugin Name: Harbour Notices */\nthrow new Exception( 'broken' );\n")
  await writeFile(join(native.dir, 'wp-content/uploads-evil.php'), '<?php // evil')
  await rm(join(native.dir, 'wp-content/themes/twentytwentyfive/style.css'), { force: true })
}

test('a site with a deleted post and a broken plugin is brought back byte for byte', async () => {
  for (const one of all) {
    await warmUp(one)
    const was = await stateOf(one)
    const id = await backup(one)
    await damage(one)
    assert.equal((await fetch(one.native.url)).status, 500)
    const plan = await house.ask<{ plan: { files: object; obstacle: string | null } }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { dry_run: true })
    assert.equal(plan.plan.obstacle, null)
    console.error(JSON.stringify(plan.plan))
    const { status, error, result } = await restore(one, id)
    assert.equal(status, 'completed', JSON.stringify(error))
    console.error(JSON.stringify(result))
    const is = await stateOf(one)
    assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
    assert.equal((await fetch(one.native.url)).status, 200)
    assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
  }
})
