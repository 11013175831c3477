// One real WordPress site and everything a new user does with it: the packaged clients, the service in a process of its own, no fakes.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { hostedAgent, stdioAgent } from '../agent.ts'
import { differences } from '../archive.ts'
import { backUp } from '../backup.ts'
import { rowsOfDump, rowsOfSqlite } from '../dump.ts'
import { type Guest, plantHostileFiles, removeBulk, startGuest } from '../guest.ts'
import { type House, openHouse, runPacked, type Site, until } from '../house.ts'
import { connectInAdmin, cookiesOf, disconnectInAdmin, postTicket } from '../visitor.ts'

interface Item {
  type: string
  file: string
  version: string
  active: boolean
  update: { version: string } | null
}
interface UpdateResult {
  items: { file: string; status: string; from_version: string; to_version: string; reason: string | null }[]
}

let house: House
let guest: Guest
let site: Site
let session: string

before(async () => {
  house = await openHouse()
  guest = await startGuest(house)
})
after(async () => {
  await guest?.stop()
  await house?.close()
})

const front = async () => {
  const page = await fetch(guest.site.url)
  return { status: page.status, text: await page.text() }
}
const act = <Body>(body: object) => house.ask<Body>('POST', `/sites/${site.id}/actions`, body)

async function visit(): Promise<Site> {
  assert.equal((await front()).status, 200)
  return until('A connected site', async () => (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'))
}

test('it connects by itself at the first page view', async () => {
  assert.deepEqual(await house.ask('GET', '/sites'), [])
  site = await visit()
  assert.deepEqual([site.name, site.url, site.wp_version, site.connection.door], ['Harbour & Sons', guest.site.url, '7.1.1', 'front'])
})

test('a ping is answered and signed by the site', async () => {
  const ping = await act<{ ok: boolean; wp_version: string; clock_skew_s: number }>({ action: 'ping' })
  assert.deepEqual([ping.ok, ping.wp_version], [true, '7.1.1'])
  assert.ok(Math.abs(ping.clock_skew_s) <= 2, 'one machine, one clock')
})

test('the hosted and the local tool server read the same inventory', async () => {
  const agents = [hostedAgent(house.url, house.reader), await stdioAgent(house.url, house.reader)]
  const inventories: Item[][] = []
  for (const agent of agents) {
    const { isError, structuredContent } = await agent.call<{ live: boolean; items: Item[] }>('get_inventory', { site_id: site.id })
    assert.deepEqual([isError, structuredContent.live], [false, true])
    inventories.push(structuredContent.items)
    await agent.close()
  }
  assert.deepEqual(inventories[0], inventories[1])
  const find = (file: string) => inventories[0]?.find((item) => item.file === file)
  assert.deepEqual([find('core')?.version, find('db.php')?.type, find('mu-wporg-mirror.php')?.type], ['7.1.1', 'dropin', 'mu_plugin'])
  assert.deepEqual([find(SAMPLE_PLUGIN)?.version, find(SAMPLE_PLUGIN)?.active], ['1.0.0', true])
})

test('the command line lists the site for people and for programs', async () => {
  const env = { SERVICE_URL: house.url, SERVICE_TOKEN: house.reader }
  const table = await runPacked('cli/dist/main.js', ['sites', 'list'], env, house.dir)
  assert.match(table.out, new RegExp(`^URL +STATUS.*\\n[\\d.:]+ +connected .*Harbour & Sons +${site.id}\\n`))
  const json = await runPacked('cli/dist/main.js', ['sites', 'list', '--json'], env, house.dir)
  assert.deepEqual(
    (JSON.parse(json.out) as Site[]).map(({ id }) => id),
    [site.id],
  )
})

test('a full backup shows its progress, and what is downloaded is the site, byte for byte', async () => {
  await guest.site.runPhp(await readFile(join(import.meta.dirname, '../hostile.php'), 'utf8'))
  await removeBulk(guest.site.dir)
  await plantHostileFiles(guest.site.dir)
  const { folder, seen, described, listed } = await backUp(house, site.id, 'full')
  // A machine that is too busy to read all tables in one answer compares them afterwards.
  assert.match(String(listed.consistency), /^(snapshot|settled)$/)
  assert.equal(listed.unreadable_count, 0)
  const percents = seen.filter(({ phase }) => phase === 'files').map(({ progress }) => progress?.percent ?? 0)
  assert.ok(new Set(percents).size > 2, `only ${[...new Set(percents)]} %`)
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  )
  await sameFiles(folder)
  assert.deepEqual(
    described.omissions.map(({ kind, root, path }) => [kind, root, path]),
    [
      ['excluded', 'abspath', 'wp-content/database/.ht.sqlite'],
      ['excluded', 'abspath', 'wp-content/mu-plugins/000-svc-connector-watch.php'],
    ],
  )
  await sameRows(folder)
})

/** Everything but the database file, whose folder changes with every write, and the connector's own. */
async function sameFiles(folder: string): Promise<void> {
  const found = await differences(guest.site.dir, join(folder, 'files'))
  assert.deepEqual(
    found.filter((each) => !each.startsWith('"wp-content/database": time')),
    ['missing "wp-content/database/.ht.sqlite"', 'missing "wp-content/mu-plugins/000-svc-connector-watch.php"'],
  )
}

/** Everything but what moved since: the connector's own notes, and what a page view writes. */
async function sameRows(folder: string): Promise<void> {
  const copy = join(folder, 'copy.sqlite')
  await copyFile(join(guest.site.dir, 'wp-content/database/.ht.sqlite'), copy)
  const [dump, live] = [await rowsOfDump(join(folder, 'database.sql')), rowsOfSqlite(copy)]
  assert.deepEqual([...dump.keys()].sort(), [...live.keys()].sort())
  for (const tables of [dump, live]) tables.delete('wp_svc_connector')
  for (const [name, rows] of live) assert.deepEqual(dump.get(name), rows, name)
  assert.ok((live.get('wp_story') ?? []).length === 3 && (live.get('wp_posts') ?? []).some((row) => row.includes('DROP TABLE')))
}

test('a backup of the database holds the database only, one of the files the files only', async () => {
  const db = await backUp(house, site.id, 'db')
  assert.deepEqual([existsSync(join(db.folder, 'files')), db.described.files], [false, null])
  await sameRows(db.folder)
  const files = await backUp(house, site.id, 'files')
  assert.deepEqual([existsSync(join(files.folder, 'database.sql')), files.described.database], [false, null])
  await sameFiles(files.folder)
})

const versionOnDisk = async () => {
  const file = await readFile(join(guest.site.dir, 'wp-content/plugins', SAMPLE_PLUGIN), 'utf8')
  return /^ \* Version: (.*)$/m.exec(file)?.[1]
}

test('an update is planned without a change, then made, and the plugin stays active', async () => {
  const plan = await act<{ items: { file: string; to_version: string; will_run: boolean }[] }>({ action: 'update', dry_run: true })
  assert.deepEqual(
    plan.items.map(({ file, to_version, will_run }) => [file, to_version, will_run]),
    [[SAMPLE_PLUGIN, '1.1.0', true]],
  )
  assert.equal(await versionOnDisk(), '1.0.0')
  const { job_id } = await act<{ job_id: string }>({ action: 'update', plugins: [SAMPLE_PLUGIN] })
  const { result } = await house.finished<UpdateResult>(job_id)
  assert.deepEqual(
    result.items.map(({ status, from_version, to_version }) => [status, from_version, to_version]),
    [['updated', '1.0.0', '1.1.0']],
  )
  assert.equal(await versionOnDisk(), '1.1.0')
  assert.match((await front()).text, /Harbour Notices 1\.1\.0/)
})

test('a login URL lets one of sixteen in, as the administrator, and nobody after that', async () => {
  site ??= await visit()
  const { url, user_login } = await act<{ url: string; user_login: string }>({ action: 'login' })
  assert.equal(user_login, 'admin')
  for (const preview of [await fetch(url, { method: 'HEAD' }), await fetch(url)]) assert.equal(preview.status, 200)
  const tries = await Promise.all(Array.from({ length: 16 }, () => postTicket(url)))
  assert.deepEqual(tries.map(({ status }) => status).sort(), [302, ...Array(15).fill(403)])
  session = cookiesOf(tries.find(({ status }) => status === 302))
  const admin = await fetch(`${guest.site.url}/wp-admin/profile.php`, { headers: { cookie: session } })
  assert.match(await admin.text(), /id="user_login"[^>]*value="admin"/)
  assert.deepEqual([(await fetch(url)).status, (await postTicket(url)).status], [403, 403])
})

test('an administrator that the site does not have is a mistake of the caller', async () => {
  const answer = await house.send('POST', `/sites/${site.id}/actions`, { action: 'login', user: 'nobody' })
  const { code, errors } = (await answer.json()) as { code: string; errors: { path: string }[] }
  assert.deepEqual([answer.status, code, errors.map(({ path }) => path)], [400, 'invalid_payload', ['user']])
})

test('maintenance is logged and read back', async () => {
  const entry = { summary: 'Oiled the hinges 🛠', category: 'maintenance', performed_by: 'Kim', notes: 'Only the left one.' }
  const answer = await house.send('POST', `/sites/${site.id}/activity`, entry)
  assert.equal(answer.status, 201)
  const [newest] = await house.ask<Record<string, unknown>[]>('GET', `/sites/${site.id}/activity?limit=1`)
  assert.deepEqual(newest, await answer.json())
  assert.deepEqual({ ...newest, ...entry }, newest)
})

test('a read token may not back up, over REST or tools, and its connection stays up', async () => {
  assert.equal((await house.send('POST', `/sites/${site.id}/backups`, { type: 'db' }, house.reader)).status, 403)
  for (const agent of [hostedAgent(house.url, house.reader), await stdioAgent(house.url, house.reader)]) {
    const refused = await agent.call('create_backup', { site_id: site.id, type: 'db' })
    assert.equal(refused.isError, true)
    assert.match(refused.content[0]?.text ?? '', /insufficient_scope/)
    assert.equal((await agent.call('list_sites')).isError, false)
    await agent.close()
  }
})

test('disconnecting in WordPress makes the site disconnected', async () => {
  await disconnectInAdmin({ site: guest.site.url, session })
  await until('A disconnected site', async () => (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'disconnected'))
  assert.equal((await house.send('POST', `/sites/${site.id}/actions`, { action: 'ping' })).status, 409)
  const [look] = await house.ask<{ id: string }[]>('GET', '/jobs?type=disconnect')
  // Deaf before it said so.
  assert.deepEqual((await house.finished(look?.id ?? '')).result, { answers: false, looks: 1 })
})

test('the site is paired anew with a code made for it, and with no other', async () => {
  const connect = async (code: string) => connectInAdmin({ site: guest.site.url, session }, house.url, code)
  assert.match(await connect(await house.pairingCode()), /notice-error.*is a site of the workspace already/s)
  assert.match(await connect(await house.pairingCode(new URL(guest.site.url).host)), /notice-success/)
  const again = await until('The site, connected again', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
  assert.deepEqual([again.id, again.url], [site.id, site.url])
})
