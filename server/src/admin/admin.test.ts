import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { wordfenceFeed, wordfenceRecord } from '../../test/fake-feed.ts'
import { type RunningFakeSite, startFakeSite } from '../../test/fake-site.ts'
import { freePort, inherited, type ServiceProcess, startServiceProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { operations } from '../capabilities.ts'
import { TokenPattern } from '../tokens/secret.ts'
import { commands } from './commands.ts'
import { admin as run } from './main.ts'
import { ownWords } from './own-words.ts'

const main = path.join(import.meta.dirname, '../main.ts')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-admin-'))
after(() => fs.rmSync(dir, { recursive: true, force: true }))

interface Ended {
  code: number | null
  out: string
  err: string
}

/** As it is run, in a process of its own. */
async function spawned(env: Record<string, string>, ...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [main, 'admin', ...words], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = { code: null, out: '', err: '' } as Ended
  child.stdout.on('data', (chunk) => {
    ended.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    ended.err += chunk
  })
  const [code] = await once(child, 'close')
  return { ...ended, code }
}

/** The same without a process, which alone takes most of a second. */
const admin = (env: Record<string, string>, ...words: string[]) => looked(env, undefined, ...words)

/** As somebody sees it on a terminal of so many columns. */
async function looked(env: Record<string, string>, width: number | undefined, ...words: string[]): Promise<Ended> {
  const ended = { code: null, out: '', err: '' } as Ended
  const out = (text: string) => {
    ended.out += text
  }
  const err = (text: string) => {
    ended.err += text
  }
  ended.code = await run(words, { env, out, err, input: Readable.from([typed]), ...(width !== undefined && { width, errWidth: width }) })
  return ended
}

/** What the next command reads from standard input. */
let typed = ''

async function good(env: Record<string, string>, ...words: string[]): Promise<string> {
  return answerOf(words, await admin(env, ...words))
}

function answerOf(words: string[], { code, out, err }: Ended): string {
  assert.deepEqual([code, err], [0, ''], `${words.join(' ')}\n${out}`)
  assert.ok(out.endsWith('\n'))
  return out.trimEnd()
}

/** Refused with this exit code and a line that says why, and nothing where programs read. */
async function bad(env: Record<string, string>, words: string[], code: number, says: RegExp): Promise<void> {
  const ended = await admin(env, ...words)
  assert.deepEqual([ended.code, ended.out], [code, ''], `${words.join(' ')}\n${ended.err}`)
  assert.match(ended.err, says)
  assert.doesNotMatch(ended.err, /\n {4}at |node:internal/, 'no stack')
}

const tooWide = (text: string) => text.split('\n').filter((line) => line.length > 80)

const owner = ['owner', 'create', '--email', 'owner@example.com', '--workspace', 'My sites']
const token = ['token', 'create', '--workspace', 'my SITES', '--name', 'me', '--scope', 'write']

describe('the commands of an operator', { concurrency: false }, () => {
  const env = {
    SERVICE_DATA_DIR: path.join(dir, 'alone'),
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
    SERVICE_PORT: '',
    SERVICE_VULNERABILITY_FEED: '',
  }
  const feedFile = path.join(dir, 'feed.json')
  let service: ServiceProcess | undefined
  let fake: RunningFakeSite
  before(async () => {
    env.SERVICE_PORT = String(await freePort())
    fake = await startFakeSite({})
  })
  after(async () => {
    service?.kill('SIGKILL')
    await service?.exited
    await fake.stop()
  })
  const status = async (secret: string) =>
    (await fetch(`${service?.url}/api/v1/sites`, { headers: { authorization: `Bearer ${secret}` } })).status

  test('make no second, empty installation where there is none, and say what to set', async () => {
    const elsewhere = path.join(dir, 'elsewhere')
    for (const words of [token, ['workspace', 'list'], ['storage', 'rebuild']]) {
      const { code, out, err } = await spawned({ ...env, SERVICE_DATA_DIR: elsewhere }, ...words)
      assert.deepEqual([code, out, fs.existsSync(elsewhere)], [1, '', false])
      assert.ok(
        err.startsWith(`${words.slice(0, 2).join(' ')} found no installation in ${elsewhere}, and made none: set SERVICE_DATA_DIR`),
        err,
      )
      assert.match(err, /\. owner create and keys import begin a new one\.\n$/)
    }
  })

  test('work without a service, two at once included', async () => {
    const both = (await Promise.all([spawned(env, ...owner), spawned(env, ...owner)])).map((ended) => answerOf(owner, ended))
    assert.equal(both.filter((out) => /^Password: \S{20}$/m.test(out)).length, 1, 'one person, one password')
    assert.match(await good(env, ...token), TokenPattern)
    assert.match(await good(env, 'feed', 'status'), /^No vulnerability feed is configured/)
    await bad(env, ['feed', 'refresh'], 2, /SERVICE_VULNERABILITY_FEED is not set/)
  })

  test('wait for a service that is starting', async () => {
    env.SERVICE_VULNERABILITY_FEED = feedFile
    const starting = startServiceProcess('serve', env)
    const secret = answerOf(token, await spawned(env, ...token))
    service = await starting
    assert.equal(await status(secret), 200)
  })

  test('print each way to pair a site, filled in, and that nothing backs it up yet', async () => {
    const told = await good(env, 'site', 'pair', '--workspace', 'My sites')
    const code = /^ {2}([0-9A-Z]{5}(?:-[0-9A-Z]{5}){3})$/m.exec(told)?.[1] ?? assert.fail(told)
    assert.ok(told.includes(`wp svc-connector connect --service=${service?.url} --code=${code}`), told)
    assert.ok(told.includes(`define( 'SVC_CONNECTOR_CODE', '${code}' );`), told)
    assert.match(told, /^A site on another machine does not find http:\S+: set SERVICE_BASE_URL to/m)
    const elsewhere = await good({ ...env, SERVICE_BASE_URL: 'https://fleet.example' }, 'site', 'pair', '--workspace', 'My sites')
    assert.ok(elsewhere.includes('--service=https://fleet.example') && !elsewhere.includes('SERVICE_BASE_URL'), elsewhere)
    assert.match(told, /No schedule: it will not be backed up by itself/)
    assert.equal(JSON.parse(await good(env, 'site', 'pair', '--workspace', 'My sites', '--json')).service_url, service?.url)
  })

  test('make, list and revoke tokens beside a running service, which hears of it at once', async () => {
    const secret = await good(env, ...token, '--expires-in', '30d')
    assert.equal(await status(secret), 200)
    const made = JSON.parse(await good(env, ...token, '--approval-only', '--json'))
    assert.match(made.token, TokenPattern)
    assert.equal(made.approval_only, true)
    assert.match(await good(env, 'workspace', 'list'), /^ws_[0-9a-z]{26} My sites$/m)
    const listed = await good(env, 'token', 'list', '--workspace', 'My sites')
    const rows = JSON.parse(await good(env, '--json', 'token', 'list', '--workspace', 'My sites')) as { id: string; prefix: string }[]
    assert.equal(listed.split('\n').length, rows.length)
    for (const hidden of [secret, made.token]) assert.ok(!(listed + JSON.stringify(rows)).includes(hidden.slice(12)))
    const id = rows.find(({ prefix }) => secret.startsWith(prefix))?.id ?? ''
    assert.equal(await good(env, 'token', 'revoke', id), `${id} is revoked.`)
    assert.equal(await status(secret), 401)
    assert.equal(JSON.parse(await good(env, 'token', 'revoke', id, '--json')).id, id, 'again is no mistake')
  })

  test('print a link to a new password, which the running service takes once, and none for a first owner where there is one', async () => {
    const link = new URL(await good(env, 'person', 'reset', '--email', 'OWNER@example.com'))
    assert.equal(link.origin + link.pathname, `${service?.url}/recover`)
    const take = async () =>
      (
        await fetch(`${service?.url}/session/recover`, {
          method: 'POST',
          headers: { origin: link.origin, 'content-type': 'application/json' },
          body: JSON.stringify({ key: link.hash.slice(1), password: 'correct horse battery' }),
        })
      ).status
    assert.deepEqual([await take(), await take()], [200, 404])
    await bad(env, ['person', 'reset', '--email', 'nobody@example.com'], 4, /There is no person with the address "nobody@example.com"/)
    await bad(env, ['setup', 'link'], 5, /There is an owner already/)
  })

  test('pair, rotate and remove a site, verify its backup, export the keys', async () => {
    const code = JSON.parse(await good(env, 'site', 'code', '--workspace', 'My sites', '--json'))
    assert.equal(code.service_url, service?.url)
    const { siteId } = await fake.enrol(service?.url ?? '', code.code)
    assert.match(await good(env, 'site', 'code', '--workspace', 'My sites', '--host', 'example.com'), /^[0-9A-Z-]{20,}$/)
    const secret = await good(env, ...token)
    const ask = async (method: string, at: string, body?: object) => {
      const headers = { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) }
      return (await (
        await fetch(`${service?.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      ).json()) as Record<string, string>
    }
    const { job_id, backup_id = '' } = await ask('POST', `/sites/${siteId}/backups`, { type: 'db' })
    const ended = await until(async () => {
      const { status = '' } = await ask('GET', `/jobs/${job_id}?wait_seconds=25`)
      return !['queued', 'running'].includes(status) && status
    })
    assert.equal(ended, 'completed')
    const [site = '', ...others] = (await good(env, 'site', 'list', '--workspace', 'My sites')).split('\n')
    assert.match(
      site,
      new RegExp(`^${siteId}  connected  ${fake.url}  WordPress [\\d.]+, PHP [\\d.]+  (\\d+ updates|updates unknown)  backed up 20`),
    )
    assert.deepEqual(others, [])
    assert.equal(JSON.parse(await good(env, 'site', 'list', '--workspace', 'My sites', '--json'))[0].id, siteId)
    const backups = ['backup', 'list', siteId, '--workspace', 'My sites']
    assert.match(await good(env, ...backups), new RegExp(`^${backup_id}  20\\S+  db  completed  \\d+ bytes`))
    assert.equal(JSON.parse(await good(env, ...backups, '--json'))[0].id, backup_id)
    const seen = async (...words: string[]) => answerOf(words, await looked(env, 80, ...words))
    for (const [text, begins, id] of [
      [await seen('site', 'list', '--workspace', 'My sites'), `${fake.url}  connected`, siteId],
      [await seen(...backups), '20', backup_id],
    ] as const) {
      assert.ok(text.startsWith(begins) && text.endsWith(id), text)
      assert.deepEqual(tooWide(text), [], text)
    }
    assert.match(await good(env, 'backup', 'verify', backup_id), /all as they were backed up/)
    assert.equal(JSON.parse(await good(env, 'backup', 'verify', backup_id, '--json')).ok, true)
    await fake.leave(service?.url ?? '')
    await until(async () => (await ask('GET', `/sites/${siteId}`)).status === 'disconnected')
    const line = await good(env, 'site', 'code', '--workspace', 'My sites', '--all-disconnected')
    const [again, url, itsCode = ''] = line.split(' ')
    assert.deepEqual([again, url, (await fake.enrol(service?.url ?? '', itsCode)).siteId], [siteId, fake.url, siteId])
    await until(async () => (await ask('GET', `/sites/${siteId}`)).status === 'connected')
    await bad(env, ['site', 'code', '--workspace', 'My sites', '--all-disconnected', '--site', siteId], 2, /goes without --site/)
    assert.match(await good(env, 'site', 'code', '--workspace', 'My sites', '--site', new URL(fake.url).host), /^[0-9A-Z-]{20,}$/)
    const schedule = ['schedule', 'set', '--workspace', 'My sites']
    assert.match(
      await good(env, ...schedule, '--keep-daily', '7'),
      /^Not backed up by itself\. Kept: daily 7, weekly 5, monthly 12\.\nUntil \S+ what was kept/,
    )
    assert.equal(JSON.parse(await good(env, ...schedule, '--site', siteId, '--enabled', 'true', '--json')).enabled, true)
    await bad(env, [...schedule, '--keep-daily', 'few'], 2, /keep_daily: /)
    assert.equal(JSON.parse(await good(env, 'backup', 'accept', backup_id, '--json')).id, backup_id)
    assert.equal(await good(env, 'backup', 'delete', backup_id), `${backup_id} is deleted.`)
    await bad(env, ['backup', 'delete', backup_id], 4, /no such backup/)
    typed = 'canary-pass:word\ncanary-value\n'
    const access = ['site', 'access', siteId, '--workspace', 'My sites']
    assert.equal(await good(env, ...access, '--user', 'staging', '--header', 'X-Pass'), `${siteId}: user staging, header X-Pass.`)
    typed = ''
    assert.deepEqual(JSON.parse(await good(env, ...access, '--json')), { id: siteId, user: 'staging', header: 'X-Pass' })
    await bad(env, [...access, '--user', 'a'], 2, /standard input/)
    typed = 'v\n'
    await bad(env, [...access, '--header', 'Host'], 2, /sets this header itself/)
    await bad(env, [...access, '--user', 'a', '--none'], 2, /goes without/)
    assert.equal(await good(env, ...access, '--none'), `${siteId}: nothing is kept.`)
    assert.match(await good(env, 'site', 'rotate-keys', siteId, '--workspace', 'My sites'), /now uses the key/)
    assert.equal(JSON.parse(await good(env, 'site', 'remove', siteId, '--workspace', 'My sites', '--json')).connector_told, true)
    const kits = await Promise.all([good(env, 'keys', 'export'), good(env, 'keys', 'export', '--json')])
    for (const kit of kits) assert.match(JSON.parse(kit).master_key, /^[0-9a-f]{64}$/)
  })

  test('read the feed of known vulnerabilities beside the service, and tell how it stands', async () => {
    fs.writeFileSync(feedFile, wordfenceFeed(wordfenceRecord('one'), wordfenceRecord('two'), wordfenceRecord('three')))
    assert.equal(await good(env, 'feed', 'refresh'), 'file: changed, 3 records, 3 changed')
    assert.match(await good(env, 'feed', 'status'), /^The feed is read and in force\.\nfile: wordfence, 3 records, read .*\nCopyright/)
    fs.writeFileSync(feedFile, wordfenceFeed(wordfenceRecord('one')))
    const shrunk = await admin(env, 'feed', 'refresh', '--json')
    assert.deepEqual([shrunk.code, JSON.parse(shrunk.out)[0].status], [1, 'failed'])
    assert.equal((await admin(env, 'feed', 'status')).code, 1)
    assert.equal(await good(env, 'feed', 'refresh', '--accept-smaller'), 'file: changed, 1 records, 2 changed')
  })

  test('tell what would go with a workspace, and delete it when its name is given; the running service lets nobody in any more', async () => {
    await good(env, 'owner', 'create', '--email', 'other@example.com', '--workspace', 'Other')
    const secret = await good(env, 'token', 'create', '--workspace', 'Other', '--name', 'me', '--scope', 'read')
    assert.equal(await status(secret), 200)
    const remove = ['workspace', 'delete', '--workspace', 'other']
    assert.match(await good(env, ...remove), /^Nothing was deleted\. With ws_\w+ "Other" would go:\n[\s\S]*tokens: 1\n/)
    await bad(env, [...remove, '--confirm', 'other'], 2, /letter by letter/)
    assert.equal(await status(secret), 200)
    const { code, out } = await admin(env, ...remove, '--confirm', 'Other')
    assert.deepEqual([code, /^ws_\w+ "Other" is deleted/.test(out)], [0, true])
    assert.equal(await status(secret), 401)
    assert.doesNotMatch(await good(env, 'workspace', 'list'), /Other/)
    // The running service deletes too: it may be at a step of it.
    const far = / {2}Other {2}.* by Operator {2}0 sites, .*not done yet: (?:rows|objects|last look)/
    assert.match(await good(env, 'workspace', 'deletions'), far)
  })

  test('are refused with an exit code and one sentence', async () => {
    const known = ['--workspace', 'My sites']
    await bad(env, ['token', 'frobnicate'], 2, /no command "token frobnicate"/)
    assert.deepEqual((await spawned(env, 'token', 'frobnicate')).code, 2)
    await bad(env, ['token', 'create', ...known, '--name', 'x'], 2, /--scope is missing\.\nusage: token create/)
    await bad(env, ['token', 'create', ...known, '--name', 'x', '--scope'], 2, /--scope/)
    await bad(env, ['token', 'create', ...known, '--name', 'x', '--scope', 'read', '--admin'], 2, /--admin/)
    await bad(env, ['token', 'list', ...known, 'too', 'many'], 2, /usage: token list/)
    await bad(env, ['token', 'revoke'], 2, /A word is missing/)
    await bad(env, ['token', 'create', ...known, '--name', 'x', '--scope', 'manage'], 2, /scope: /)
    await bad(env, ['token', 'create', ...known, '--name', ' ', '--scope', 'read'], 2, /name: /)
    await bad(env, ['token', 'create', ...known, '--name', 'x', '--scope', 'read', '--expires-in', '1y'], 2, /--expires-in takes/)
    await bad(env, ['token', 'create', ...known, '--name', 'x', '--scope', 'read', '--approval-only'], 2, /nothing to approve/)
    await bad(env, ['owner', 'create', '--email', 'nobody', '--workspace', 'X'], 2, /--email: Not an e-mail address/)
    await bad(env, ['token', 'list', '--workspace', 'Nowhere'], 4, /no workspace "Nowhere"/)
    await bad(env, ['token', 'revoke', 'tok_01k0000000000000000000000a', '--json'], 4, /no such token/)
    await bad(env, ['site', 'remove', 'nowhere.example', ...known], 4, /no such site.* site list --workspace W shows those there are/)
    const backup = 'backup_01k0000000000000000000000a'
    for (const verb of ['verify', 'accept', 'delete'])
      await bad(env, ['backup', verb, backup], 4, /no (?:such )?backup.* backup list SITE --workspace W shows/)
    const secret = `svc_${'a'.repeat(38)}`
    const { err } = await admin(env, 'token', 'revoke', secret)
    assert.ok(!err.includes(secret), 'a secret given by mistake is not repeated')
  })

  test('are told in words that can be typed, whatever tool or route was named', () => {
    const said = 'list_sites (GET /sites) shows them; list_jobs (GET /jobs) too, and no_such_tool not.'
    assert.equal(ownWords(commands, said), 'site list --workspace W shows them; svc jobs list too, and no_such_tool not.')
    const known: string[] = operations.map(({ name }) => name)
    for (const { name, shows } of commands) assert.ok(shows === undefined || known.includes(shows), name)
  })

  test('explain themselves', async () => {
    for (const words of [[], ['--help'], ['help'], ['token', 'create', '--help']]) {
      const help = await good(env, ...words)
      for (const { usage } of commands) assert.ok(help.includes(usage))
      const { out } = await looked(env, 80, ...words)
      assert.deepEqual(tooWide(out), [])
      assert.equal(out.replaceAll(/\s+/g, ' '), `${help} `.replaceAll(/\s+/g, ' '))
    }
    const { err } = await looked(env, 80, 'token', 'frobnicate')
    assert.deepEqual(tooWide(err), [])
  })

  test('never print the password of the database', async () => {
    for (const url of [
      'postgres://svc:hunter2hunter2@127.0.0.1:1/x',
      'postgres://svc:hunter2hunter2@[bad/x',
      'postgres://svc:hunter2hunter2@127.0.0.1:99999/x',
      'hunter2hunter2',
    ]) {
      const { code, out, err } = await spawned({ ...env, DATABASE_URL: url }, 'token', 'list', '--workspace', 'My sites')
      assert.deepEqual([code, out], [1, ''], err)
      assert.ok(err.length > 0 && !err.includes('hunter2hunter2'), err)
    }
  })
})
