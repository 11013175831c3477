// Sites that are down for everybody are put back without a person: WordPress does not start, or nobody sees its pages.
import assert from 'node:assert/strict'
import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse } from '../house.ts'
import { databaseSocket } from './daemons.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'
import { query } from './mariadb.ts'
import { differing, filesOf, type SiteState, stateOf, warmUp } from './site-state.ts'

interface Restored {
  safety_backup_id: string | null
  warnings: string[]
}

const most = 60_000
/** `npm run prove:backups`: also what is one more of a kind, and a whole WordPress. */
const whole = process.env.CRASHES === 'all'

let house: House
let fleet: Fleet
let one: Managed
let www: string
let backup: string
let log: string
let was: SiteState

before(async () => {
  house = await openHouse()
  log = join(house.dir, 'access.log')
  fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', nginx: `access_log ${log};` }], { plugins: [CONNECTOR], light: !whole })
  const [first] = await connectAll(house, fleet)
  assert.ok(first)
  one = first
  www = one.native.dir
  await warmUp(one)
  was = await stateOf(one)
  backup = await backUp()
})
after(async () => {
  await fleet?.stop()
  await house?.close()
})

async function backUp(type = 'full'): Promise<string> {
  const { job_id, backup_id } = await house.ask<{ job_id: string; backup_id: string }>('POST', `/sites/${one.site.id}/backups`, { type })
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  return backup_id
}

/** What the web server was asked so far. */
const requests = async (): Promise<number> => (await readFile(log, 'utf8').catch(() => '')).split('\n').length

async function restore(body: object = {}, id = backup): Promise<Job<Restored> & { ms: number }> {
  const began = performance.now()
  const from = await requests()
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, body)
  const job = await house.finished<Restored>(job_id)
  const ms = performance.now() - began
  console.log(
    `  ${job.status} in ${(ms / 1000).toFixed(1)} s, ${(await requests()) - from} requests; ${job.result?.warnings ?? job.error?.message}`,
  )
  return { ...job, ms }
}

/** Everything is back, soon, and no person did a thing. */
async function isBack(body: object = {}): Promise<Restored> {
  const { status, error, result, ms } = await restore(body)
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.ok(ms < most, `${ms} ms`)
  const is = await stateOf(one)
  assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
  assert.deepEqual(
    (await leftovers(one)).filter((name) => name === '.maintenance'),
    [],
  )
  assert.equal((await fetch(one.native.url)).status, 200)
  assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${one.site.id}/actions`, { action: 'ping' })).ok, true)
  return result
}

/** As the site's own PHP would have written it. */
async function put(path: string, text: string): Promise<void> {
  await writeFile(join(www, path), text)
  const { uid, gid } = await stat(www)
  await chown(join(www, path), uid, gid)
}
const isDead = async () => assert.ok((await fetch(one.native.url)).status >= 500)

test('a WordPress without wp-includes is planned, backed up as it is, and brought back', async () => {
  await rm(join(www, 'wp-includes'), { recursive: true })
  await isDead()
  const { plan } = await house.ask<{ plan: { obstacle: string | null; files: { add: number } } }>(
    'POST',
    `/sites/${one.site.id}/backups/${backup}/restore`,
    { dry_run: true },
  )
  assert.equal(plan.obstacle, null)
  assert.ok(plan.files.add > 1_000)
  const { safety_backup_id, warnings } = await isBack({ safety_backup: true })
  assert.ok(safety_backup_id)
  assert.match(warnings.join(), /WordPress did not start before the restore/)
})

test('a front page that does not parse is passed by another door, within seconds', async () => {
  await put('index.php', '<?php this is no PHP')
  await isDead()
  await isBack({ safety_backup: false })
})

if (whole)
  test('a must-use plugin that does not parse is taken away', async () => {
    await put('wp-content/mu-plugins/broken.php', '<?php function {')
    await isDead()
    await isBack({ safety_backup: false })
  })

if (whole)
  test('tables that are gone come back beside WordPress', async () => {
    const { database } = one
    assert.ok(database)
    await query(fleet.dir, database, 'DROP TABLE wp_options, wp_posts')
    await isBack({ safety_backup: false })
  })

test('a table of options that was emptied comes back beside WordPress, and the site stays connected', async () => {
  const { database } = one
  assert.ok(database)
  await query(fleet.dir, database, 'TRUNCATE wp_options')
  await isBack({ safety_backup: false })
})

test('a notice of maintenance that somebody left is passed and gone; a part that is restored leaves it', async () => {
  const left = `<?php $upgrading = ${Math.floor(Date.now() / 1000) + 86_400};`
  await put('.maintenance', left)
  const part = await restore({ include: ['table:posts'], safety_backup: false })
  assert.equal(part.status, 'completed', JSON.stringify(part.error))
  assert.equal(await readFile(join(www, '.maintenance'), 'utf8'), left)
  assert.match((await isBack({ safety_backup: false })).warnings.join(), /notice of maintenance/)
})

test('a site that answers 503 to every visitor before and after is restored, and the result says so', async () => {
  const closed =
    "<?php if ( ! isset( $_GET['svc-connector'] ) && 'cli' !== PHP_SAPI ) { header( 'HTTP/1.1 503 Soon' ); exit( 'Coming soon, says the owner of this site.' ); }"
  await put('wp-content/mu-plugins/soon.php', closed)
  const soon = await backUp()
  await one.native.wpCli(['post', 'delete', '1', '--force'])
  const { status, error, result, ms } = await restore({ safety_backup: false }, soon)
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.ok(ms < most, `${ms} ms`)
  assert.deepEqual(result.warnings, [
    'The front page answers with 503, as it was before the restore.',
    'The login page answers with 503, as it was before the restore.',
  ])
  assert.equal(await one.native.wpCli(['post', 'get', '1', '--field=post_status']), 'publish')
  await rm(join(www, 'wp-content/mu-plugins/soon.php'))
})

test('strangers at the standing door get what a file gives that does nothing', async () => {
  const door = `${one.native.url}/wp-content/plugins/svc-connector/standing-door.php`
  const idle = await fetch(`${one.native.url}/wp-content/plugins/svc-connector/svc-connector.php`)
  const told = async (init?: RequestInit) => {
    const answer = await fetch(door, init)
    return [answer.status, [...answer.headers.keys()].sort().join(), await answer.text()]
  }
  const expected = [idle.status, [...idle.headers.keys()].sort().join(), await idle.text()]
  const signed = { 'content-type': 'application/json', 'signature-input': 'svc=()', signature: 'svc=:AAAA:' }
  assert.deepEqual(await told(), expected)
  for (const headers of [{}, signed]) assert.deepEqual(await told({ method: 'POST', body: '{"method":"hello"}', headers }), expected)
  const envelope = { method: 'POST', body: JSON.stringify({ svc_envelope: 1, headers: signed, body: '' }) }
  assert.deepEqual(await told(envelope), expected)
})

test('the standing door lets in whom the database knows, and is silent to everybody else', async () => {
  const found = await run('php8.2', [join(import.meta.dirname, '../../connector/test/standing.php'), databaseSocket(fleet.dir)])
  assert.match(found, /^\d+ checks with a database: 0 wrong/)
})

test('where a drop-in has several servers and databases all is read where it is written, and what is not there is told', async () => {
  const script = join(import.meta.dirname, '../../connector/test/drop-ins.php')
  assert.match(await run('php8.2', [script, databaseSocket(fleet.dir)]), /, 0 wrong/)
})

test('what hangs on tables goes there and back under SIGKILL, and nothing that cannot be made again keeps a site shut', async () => {
  assert.match(
    await run('php8.2', [join(import.meta.dirname, '../../connector/test/ties.php'), databaseSocket(fleet.dir), '1']),
    /, 0 wrong/,
  )
})

test('where the connector is gone as well a restore ends at once, with what to do', async () => {
  const plugin = join(www, 'wp-content/plugins/svc-connector')
  await rename(plugin, `${www}/../away`)
  const { status, error, ms } = await restore({ safety_backup: false })
  assert.equal(status, 'failed')
  assert.match(error?.message ?? '', /Put the folder svc-connector back among the plugins/)
  assert.ok(ms < most, `${ms} ms`)
  await rename(`${www}/../away`, plugin)
})

test('the standing door closes with the connection', async () => {
  const work = join(www, 'wp-content/svc-connector-work')
  assert.equal((await readdir(work)).filter((name) => name.startsWith('.door-')).length, 1)
  await one.native.wpCli(['svc-connector', 'disconnect'])
  assert.equal((await readdir(work)).filter((name) => name.startsWith('.door-')).length, 0)
  assert.deepEqual(differing(was.files, await filesOf(www)), [])
})
