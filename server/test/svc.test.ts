import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { operations } from '../src/capabilities.ts'
import { answerOf, manifest } from '../src/projections/manifest.ts'
import { inherited } from './service-process.ts'
import { until } from './until.ts'
import { aWorld, type TestWorld } from './world.ts'

const program = path.join(import.meta.dirname, '../../cli/src/main.ts')

let house: TestWorld
let token: { token: string; id: string }
let site: Awaited<ReturnType<TestWorld['site']>>
let domain: string

before(async () => {
  house = await aWorld()
  token = await house.token('write')
  site = await house.site()
  domain = new URL(site.fake.url).host
})
after(() => house.close())

/** The command line as a person types it, against a whole service and a site that answers. */
function svc(argv: string[], as = token.token): Promise<{ code: number; out: string; err: string }> {
  const env = { ...inherited, SERVICE_URL: house.url, SERVICE_TOKEN: as, SVC_TAB_SECONDS: '60' }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...argv], { cwd: house.dataDir, env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
  })
}

const json = async (...argv: string[]) => {
  const { code, out, err } = await svc([...argv, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

test('sites are listed for people and for programs', async () => {
  const { code, out } = await svc(['sites', 'list'])
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^URL +STATUS.*\\n${domain} +connected.*${site.id}`, 'm'))
  assert.deepEqual(
    (await json('sites', 'list')).map(({ id }: { id: string }) => id),
    [site.id],
  )
})

test('a site is pinged by its domain', async () => {
  assert.equal((await json('sites', 'ping', domain)).ok, true)
})

test('what TAB offers is typed as it is, and so is what comes next', async () => {
  const offered = await svc(['__complete', 'sites', 'get', domain.slice(0, 4)])
  assert.deepEqual([offered.code, offered.out, offered.err], [0, `${domain}\n`, ''])
  const started = await svc(['backups', 'create', offered.out.trim(), '--type', 'db'])
  const [, next = ''] = /^next +svc (.+)$/m.exec(started.out) ?? []
  const looked = await until(async () => {
    const told = await svc([...next.split(' '), '--wait-seconds', '20'])
    return !/^status +(?:queued|running)\b/m.test(told.out) && told
  })
  assert.deepEqual([looked.code, /^type +backup$/m.test(looked.out)], [0, true], looked.err)
  assert.match(looked.out, /next steps\n {2}\S.*\n {6}svc backups verify /)
})

test('a backup is made, waited for and downloaded whole', async () => {
  const job = await json('backups', 'create', domain, '--type', 'db', '--wait')
  assert.equal(job.status, 'completed')
  const [backup] = await json('backups', 'list', domain)
  assert.deepEqual([backup.type, backup.status, backup.job_id], ['db', 'completed', job.id])
  const { code, out, err } = await svc(['backups', 'download', domain, backup.id])
  assert.equal(code, 0, err)
  const listed = execFileSync('tar', ['-tf', path.join(house.dataDir, out.trim())], { encoding: 'utf8' })
  assert.equal(listed, 'database.sql\nmanifest.json\n')
})

test('updates are planned, then applied', async () => {
  const plan = await json('updates', 'apply', domain, '--dry-run')
  assert.ok(plan.items.length > 0)
  const { code, out, err } = await svc(['updates', 'apply', domain, '--wait'])
  assert.equal(code, 0, err)
  assert.match(out, /^status +completed$/m)
  assert.match(out, /updated/)
})

test('maintenance is logged and read back', async () => {
  const entry = await json('activity', 'log', domain, '--summary', 'Cleaned the gutters', '--category', 'maintenance', '--internal')
  assert.equal(entry.internal, true)
  const [newest] = await json('activity', 'list', domain, '--limit', '1')
  assert.equal(newest.summary, 'Cleaned the gutters')
})

test('--all follows the pages to the end', async () => {
  for (const summary of ['one', 'two', 'three']) await json('activity', 'log', domain, '--summary', summary)
  const everything = await json('activity', 'list', '--limit', '200')
  const pages = await json('activity', 'list', '--limit', '2', '--all')
  assert.deepEqual(pages, everything)
  assert.ok(pages.length > 4)
})

test('a site that is down is the site’s failure, with its own exit code', async () => {
  site.fake.misbehave('down', { times: 50 })
  // It answered a ping less than a minute ago.
  house.clock.add(60_001)
  const { code, err } = await svc(['sites', 'ping', domain])
  site.fake.misbehave()
  assert.equal(code, 6, err)
  // Nor is it asked again within a minute of its silence.
  house.clock.add(60_001)
})

test('refusals end with the exit code of their kind', async () => {
  const reader = await house.token('read')
  assert.equal((await svc(['backups', 'create', domain], reader.token)).code, 3)
  assert.equal((await svc(['sites', 'get', 'nowhere.example'])).code, 4)
  const wrong = await svc(['activity', 'log', domain, '--summary', 'x', '--category', 'gardening'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /category: /)
})

test('a revoked token is refused', async () => {
  const short = await house.token('read')
  assert.equal((await svc(['sites', 'list'], short.token)).code, 0)
  await house.call('tokens.revoke', { token_id: short.id })
  const { code, err } = await svc(['sites', 'list'], short.token)
  assert.equal(code, 3)
  assert.match(err, /Set SERVICE_TOKEN to a token that was not revoked/)
})

const described = manifest(operations)
const ajv = new Ajv2020({ strict: false, validateFormats: false })

for (const [name, ...argv] of [
  ['sites.list'],
  ['sites.get', 'SITE'],
  ['sites.ping', 'SITE'],
  ['inventory.get', 'SITE'],
  ['backups.create', 'SITE'],
  ['backups.list', 'SITE'],
  ['jobs.list'],
  ['updates.apply', 'SITE', '--dry-run'],
  ['login.create', 'SITE'],
  ['activity.log', 'SITE', '--summary', 'x'],
  ['activity.list'],
] as const)
  test(`what ${name} answers is what the contract says`, async () => {
    const entry = described.operations.find((candidate) => candidate.name === name)
    assert.ok(entry)
    const answer = await json(...name.split('.'), ...argv.map((word) => (word === 'SITE' ? domain : word)))
    const fits = ajv.compile(answerOf(entry))
    assert.ok(fits(answer), JSON.stringify(fits.errors))
    assert.equal(fits('something else'), false)
  })

test('svc watch says what changes, a line each, until it is stopped', async () => {
  const env = { ...inherited, SERVICE_URL: house.url, SERVICE_TOKEN: token.token }
  const watching = spawn(process.execPath, [program, 'watch'], { cwd: house.dataDir, env })
  const lines = createInterface(watching.stdout)[Symbol.asyncIterator]()
  assert.match((await lines.next()).value ?? '', /^\d\d:\d\d:\d\d ready/)
  const entry = (await house.call('activity.log', { site_id: site.id, summary: 'Swept the path' })) as { id: string }
  for (let line = ''; !line.includes(entry.id); ) {
    const next = await lines.next()
    assert.ok(!next.done)
    line = next.value
  }
  watching.kill('SIGINT')
  const [code] = await once(watching, 'exit')
  assert.equal(code, 130)
})

test('svc watch of a token that sees some sites says nothing of another one', async () => {
  const other = await house.site()
  const made = await house.call('tokens.create', { name: 'some', scope: 'read', sees: { site_ids: [site.id] } })
  const env = { ...inherited, SERVICE_URL: house.url, SERVICE_TOKEN: String(made.token) }
  const watching = spawn(process.execPath, [program, 'watch'], { cwd: house.dataDir, env })
  const lines = createInterface(watching.stdout)[Symbol.asyncIterator]()
  assert.match((await lines.next()).value ?? '', /^\d\d:\d\d:\d\d ready/)
  const hidden = await house.call('activity.log', { site_id: other.id, summary: 'Swept the other path' })
  const entry = await house.call('activity.log', { site_id: site.id, summary: 'Swept the path' })
  for (let said = ''; !said.includes(String(entry.id)); ) {
    const next = await lines.next()
    assert.ok(!next.done)
    said = next.value
    for (const id of [hidden.id, other.id]) assert.ok(!said.includes(String(id)), said)
  }
  watching.kill('SIGINT')
  const [code] = await once(watching, 'exit')
  assert.equal(code, 130)
})
