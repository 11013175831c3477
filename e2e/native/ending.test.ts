// What of the connection is in a backup (nothing), and what of restores and updates outlives it (nothing), on real WordPress sites.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { KINDS, SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { backUp } from '../backup.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, forbidTrials, leftovers, type Managed } from './managed.ts'
import { query } from './mariadb.ts'
import { killService } from './processes.ts'
import { makeUpgradeFolders } from './undo-site.ts'

/** `npm run prove:backups`: on both sites what otherwise is tried on one. */
const whole = process.env.CRASHES === 'all'

let house: House
let mirror: Mirror
let fleet: Fleet
let all: Managed[]
let tried: Managed[]
before(async () => {
  house = await openHouse()
  mirror = await startMirror()
  fleet = await startFleet(
    [
      { wp: '7.1.1', db: 'mariadb' },
      { wp: '7.1.1', db: 'sqlite' },
    ],
    {
      light: true,
      plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
      muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
      constants: { WPORG_MIRROR: mirror.url },
    },
  )
  all = await connectAll(house, fleet)
  tried = whole ? all : all.slice(0, 1)
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  await house?.close()
})

const ping = async ({ site }: Managed) => (await house.send('POST', `/sites/${site.id}/actions`, { action: 'ping' })).status
const record = async ({ native }: Managed) =>
  JSON.parse(await native.wpCli(['option', 'get', 'svc_connector_site'])) as { keyid: string; site_secret: string; site_public: string }

async function restore({ site }: Managed, backupId: string): Promise<void> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/backups/${backupId}/restore`, { safety_backup: false })
  const { status, error } = await house.finished(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
}

test('a full backup holds no key and no setting of the connector, and after its restore the site is paired as before', async () => {
  for (const one of tried) {
    const { folder, listed } = await backUp(house, one.site.id, 'full')
    assert.doesNotMatch(await readFile(join(folder, 'database.sql'), 'utf8'), /'svc_connector_/)
    const { site_secret, site_public } = await record(one)
    for (const key of [site_secret, site_public])
      assert.equal(await run('grep', ['-rlF', key, folder]).catch(() => ''), '', 'in no file either')
    await one.native.wpCli(['option', 'update', 'blogname', 'Changed'])
    await restore(one, listed.id)
    assert.match(await one.native.wpCli(['option', 'get', 'blogname']), /^Native/)
    assert.deepEqual([(await record(one)).site_secret, await ping(one)], [site_secret, 200])
  }
})

test('an older backup that holds keys brings none of them back', async () => {
  for (const one of tried) {
    const rows = join(one.native.dir, 'wp-content/plugins/svc-connector/src/wire/class-facts.php')
    const now = await readFile(rows, 'utf8')
    await writeFile(rows, now.replace("'NOT (' . TableSwap::OURS . ')'", "'1 = 1'"))
    const { folder, listed } = await backUp(house, one.site.id, 'db')
    await writeFile(rows, now)
    assert.match(await readFile(join(folder, 'database.sql'), 'utf8'), /'svc_connector_site'/)
    const before = await record(one)
    await house.admin(['site', 'rotate-keys', one.site.id, '--workspace', 'Story'])
    await restore(one, listed.id)
    const is = await record(one)
    assert.notEqual(is.keyid, before.keyid)
    assert.equal(await ping(one), 200)
  }
})

/** Each page view sweeps for two seconds at most, and the next goes on. */
async function visitUntil({ native }: Managed, done: () => Promise<boolean>): Promise<void> {
  await until('Nothing left', async () => {
    await (await fetch(native.url)).text()
    return (await done()) ? true : undefined
  })
}

test('what was kept for an undo goes by itself a day later, without the service, and at once with the connection', async () => {
  const [one, other] = all as [Managed, Managed]
  for (const each of all)
    if ((await leftovers(each)).length === 0) await restore(each, (await backUp(house, each.site.id, 'full')).listed.id)
  const kept = async () => (await leftovers(one)).map((name) => name.replace(/_[0-9a-f]{16}_\w+$/, '').replace(/^\.ht.*/, 'folder'))
  assert.ok((await kept()).includes('svc_connector_old') && (await kept()).includes('folder'), 'tables with passwords of users')
  assert.match(
    await query(one.fleet, one.database ?? '', "SELECT table_name FROM information_schema.columns WHERE column_name = 'user_pass'"),
    /svc_connector_old_/,
  )
  const work = join(one.native.dir, 'wp-content/svc-connector-work')
  const [folder] = (await leftovers(one)).filter((name) => name.startsWith('.ht'))
  const state = join(work, folder ?? '', 'state.php')
  await writeFile(state, (await readFile(state, 'utf8')).replace(/"kept_until":\d+/, '"kept_until":1'))
  assert.equal((await fetch(one.native.url)).status, 200)
  assert.notDeepEqual(await kept(), [], 'within the hour nobody looks')
  await run('touch', ['-d', '2 hours ago', join(work, 'index.php')])
  await visitUntil(one, async () => (await kept()).length === 0)

  assert.notDeepEqual(await leftovers(other), [])
  await other.native.wpCli(['svc-connector', 'disconnect'])
  assert.deepEqual(await leftovers(other), [])
  const mustUse = await readdir(join(other.native.content, 'mu-plugins'))
  assert.ok(!mustUse.includes('000-svc-connector-watch.php'), 'and what saw errors of must-use plugins')
})

test('a site that is disconnected in the middle of an update takes it back at the next visit, and hears the service no more', async () => {
  const [one] = all as [Managed]
  await makeUpgradeFolders(one)
  await forbidTrials(one.native)
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS.fatal_at_load.version } })
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/actions`, {
    action: 'update',
    plugins: ['harbour-notices'],
  })
  await until('A site that is down', () => fetch(one.native.url).then(({ status }) => (status === 500 ? true : undefined)))
  await killService()
  const cli = (args: string[]) => one.native.wpCli([...args, '--skip-plugins=harbour-notices'])
  await cli(['svc-connector', 'disconnect'])
  // The command itself may have been the next visit.
  assert.equal((await fetch(one.native.url)).status, 200)
  assert.equal(await cli(['plugin', 'get', 'harbour-notices', '--field=version']), '1.0.0')
  await run('touch', ['-d', '2 hours ago', join(one.native.dir, 'wp-content/svc-connector-work/index.php')])
  await visitUntil(one, async () => (await leftovers(one)).length === 0)
  const mustUse = await readdir(join(one.native.content, 'mu-plugins')).catch((): string[] => [])
  assert.ok(!mustUse.includes('000-svc-connector-watch.php'), 'the way back brings nothing of the connection back')
  await house.startAgain()
  const job = await house.finished<{ items?: { status: string }[] } | null>(job_id)
  assert.notEqual(job.result?.items?.[0]?.status, 'updated')
  assert.equal((await house.ask<Site>('GET', `/sites/${one.site.id}`)).status === 'connected', false)
})
