// Backups put back onto real WordPress sites: everything returns byte for byte, and what goes wrong leaves the site as it was.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { type Service, startService } from '../../demo/service.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse, QUIET, type Site, until } from '../house.ts'
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
const successors: Service[] = []
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
  for (const service of successors) await service.stop()
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
    else
      found[path] = createHash('sha256')
        .update(await readFile(full))
        .digest('hex')
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
  const tables = (await query(fleet.dir, database, "SHOW TABLES LIKE 'wp\\_%'"))
    .split('\n')
    .filter((name) => name !== '' && name !== 'wp_svc_connector')
  const found: Record<string, string> = {}
  for (const table of tables) {
    const where = table === 'wp_options' ? ` WHERE ${RESTLESS}` : ''
    await query(fleet.dir, database, `DROP TABLE IF EXISTS zz_copy; CREATE TABLE zz_copy AS SELECT * FROM ${table}${where}`)
    const create = await query(fleet.dir, database, `SHOW CREATE TABLE ${table}`)
    const sum =
      table === 'wp_options'
        ? await query(fleet.dir, database, 'CHECKSUM TABLE zz_copy')
        : await query(fleet.dir, database, `CHECKSUM TABLE ${table}`)
    found[table] = `${sum.split('\t').at(-1)?.trim()} ${create.replace(/ AUTO_INCREMENT=\d+/, '')}`
  }
  await query(fleet.dir, database, 'DROP TABLE IF EXISTS zz_copy')
  return found
}

/** Names whose values differ. */
const differing = (one: Record<string, string>, other: Record<string, string>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .map((name) => `${name}: ${one[name]?.slice(0, 60)} became ${other[name]?.slice(0, 60)}`)

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
    const plan = await house.ask<{ plan: { files: object; obstacle: string | null } }>(
      'POST',
      `/sites/${one.site.id}/backups/${id}/restore`,
      { dry_run: true },
    )
    assert.equal(plan.plan.obstacle, null)
    const { status, error } = await restore(one, id)
    assert.equal(status, 'completed', JSON.stringify(error))
    const is = await stateOf(one)
    assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
    assert.equal((await fetch(one.native.url)).status, 200)
    assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
  }
})

test('the last restore can be undone, once', async () => {
  for (const one of all) {
    await writeFile(join(one.native.dir, 'wp-content/after.txt'), 'written after the restore')
    const undone = async () => {
      const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/restores/undo`, {})
      return house.finished<{ undone: boolean }>(job_id)
    }
    const { status, error } = await undone()
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.match(await readFile(join(one.native.dir, PLUGIN), 'utf8'), /broken/)
    assert.match(await readFile(join(one.native.dir, 'wp-content/uploads-evil.php'), 'utf8'), /evil/)
    assert.equal(await one.native.wpCli(['option', 'get', 'blogname', '--skip-plugins', '--skip-themes']), 'Hacked')
    assert.equal((await undone()).error?.code, 'conflict')
    assert.deepEqual(await leftovers(one), [])
  }
})

/** What a restore might leave behind. */
async function leftovers({ native, database }: Managed): Promise<string[]> {
  const work = join(native.dir, 'wp-content/svc-connector-work')
  const folders = (await readdir(work).catch(() => [])).filter((name) => name.startsWith('.ht') && name !== '.htaccess')
  const tables = database === null ? [] : (await query(fleet.dir, database, "SHOW TABLES LIKE 'svc%'")).split('\n').filter(Boolean)
  const notice = (await readdir(native.dir)).filter((name) => name === '.maintenance')
  return [...folders, ...tables, ...notice]
}

test('one plugin or one table comes back alone', async () => {
  for (const one of all) {
    const id =
      (await house.ask<{ id: string; trigger: string }[]>('GET', `/sites/${one.site.id}/backups`)).find(
        ({ trigger }) => trigger === 'manual',
      )?.id ?? ''
    const only = async (include: string[]) => {
      const { status, error } = await restore(one, id, { include, safety_backup: false })
      assert.equal(status, 'completed', JSON.stringify(error))
    }
    await only(['plugin:harbour-notices'])
    assert.doesNotMatch(await readFile(join(one.native.dir, PLUGIN), 'utf8'), /broken/)
    assert.match(await readFile(join(one.native.dir, 'wp-content/uploads-evil.php'), 'utf8'), /evil/)
    assert.equal(await one.native.wpCli(['option', 'get', 'blogname']), 'Hacked')
    await only(['table:options'])
    assert.match(await one.native.wpCli(['option', 'get', 'blogname']), /^Native/)
    assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
    await rm(join(one.native.dir, 'wp-content/uploads-evil.php'))
  }
})

test('a restore that would break a sound site is taken back, and leaves nothing', async () => {
  for (const one of all) {
    const sound = await readFile(join(one.native.dir, PLUGIN), 'utf8')
    await writeFile(join(one.native.dir, PLUGIN), "<?php\n/* Plugin Name: Harbour Notices */\nthrow new Exception( 'broken' );\n")
    const broken = await backup(one)
    await writeFile(join(one.native.dir, PLUGIN), sound)
    await one.native.wpCli(['option', 'update', 'blogdescription', 'written after the backup'])
    await warmUp(one)
    const was = await stateOf(one)
    const { status, error } = await restore(one, broken, { safety_backup: false })
    assert.equal(status, 'failed')
    assert.match(error?.message ?? '', /taken back, the site is as it was.*front page answers with 500/)
    const is = await stateOf(one)
    assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows), await leftovers(one)], [[], [], []])
    assert.equal((await fetch(one.native.url)).status, 200)
  }
})

test('PHP is killed again and again during the swap, and the site ends as one of the two', async () => {
  for (const one of all) {
    const folder = join(one.native.dir, 'wp-content/uploads/many')
    await mkdir(folder, { recursive: true })
    for (let n = 0; n < 1500; n++) await writeFile(join(folder, `${n}.txt`), `file ${n}`)
    await run('chown', ['-R', 'www-data:', folder])
    await warmUp(one)
    const whole = await stateOf(one)
    const id = await backup(one)
    for (let n = 0; n < 1500; n += 2) await writeFile(join(folder, `${n}.txt`), `changed ${n}`)
    await run('chown', ['-R', 'www-data:', folder])
    for (let n = 1; n < 1500; n += 4) await rm(join(folder, `${n}.txt`))
    await one.native.wpCli(['post', 'create', '--post_title=Later', '--post_status=publish'])
    await warmUp(one)
    const changed = await stateOf(one)
    const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { safety_backup: false })
    let kills = 0
    let over = false
    const killing = (async () => {
      while (!over) {
        const { phase } = await house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
        if (kills < 12 && (phase === 'arm' || phase === 'swap' || phase === 'probe')) kills += await killWorkers()
        await sleep(phase === 'swap' ? 5 : 20)
      }
    })()
    const { status } = await house.finished(job_id)
    over = true
    await killing
    const is = await stateOf(one)
    const expected = status === 'completed' ? whole : changed
    assert.ok(kills > 0)
    assert.deepEqual([differing(expected.files, is.files), differing(expected.rows, is.rows)], [[], []], status)
    assert.equal((await fetch(one.native.url)).status, 200)
    assert.equal((await readdir(one.native.dir)).includes('.maintenance'), false)
  }
})

test('the service is killed during a restore, twice, and goes on by itself to exactly the new state', async () => {
  const [one] = all as [Managed]
  const folder = join(one.native.dir, 'wp-content/uploads/more')
  await mkdir(folder, { recursive: true })
  for (let n = 0; n < 800; n++) await writeFile(join(folder, `${n}.txt`), `file ${n}`)
  await run('chown', ['-R', 'www-data:', folder])
  await warmUp(one)
  const whole = await stateOf(one)
  const id = await backup(one)
  for (let n = 0; n < 800; n++) await writeFile(join(folder, `${n}.txt`), `spoiled ${n}`)
  await one.native.wpCli(['option', 'update', 'blogname', 'Spoiled'])
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { safety_backup: false })
  for (const phases of [
    ['plan', 'stage-files', 'stage-db'],
    ['arm', 'swap', 'probe'],
  ]) {
    const seen = await until(
      phases.join(' or '),
      async () => {
        const { phase, status } = await house.ask<Job<unknown>>('GET', `/jobs/${job_id}`)
        return phases.includes(phase ?? '') || !['queued', 'running'].includes(status) ? (phase ?? status) : undefined
      },
      120_000,
    )
    assert.ok(phases.includes(seen), seen)
    await killService()
  }
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  const is = await stateOf(one)
  assert.deepEqual([differing(whole.files, is.files), differing(whole.rows, is.rows)], [[], []])
  assert.equal((await fetch(one.native.url)).status, 200)
})

/** SIGKILL, and another one in its place on the same data. */
async function killService(): Promise<void> {
  for (const task of await readdir('/proc/self/task'))
    for (const pid of (await readFile(`/proc/self/task/${task}/children`, 'utf8')).trim().split(' ').filter(Boolean))
      if (/main\.ts\0serve/.test(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))) process.kill(Number(pid), 'SIGKILL')
  successors.push(await startService(join(house.dir, 'data'), Number(new URL(house.url).port), QUIET))
}

/** SIGKILL to every worker of the fleet's PHP; the master starts new ones. */
async function killWorkers(): Promise<number> {
  const master = (await readFile(join(fleet.dir, 'run/fpm.pid'), 'utf8')).trim()
  const children = (await readFile(`/proc/${master}/task/${master}/children`, 'utf8')).trim().split(' ').filter(Boolean)
  for (const pid of children)
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  return children.length > 0 ? 1 : 0
}
