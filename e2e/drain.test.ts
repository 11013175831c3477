import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts'
import { type RunningFakeSite, startFakeSite } from '../server/test/fake-site.ts'
import { putFile } from '../server/test/fake-state.ts'
import { admin, freePort, type ServiceProcess, startServiceProcess } from '../server/test/service-process.ts'
import { layCluster } from './cluster.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'svc-drain-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const running: ServiceProcess[] = []
after(async () => {
  for (const service of running) service.kill('SIGKILL')
  await Promise.all(running.map((service) => service.exited))
})

const settings = async (name: string, more: Record<string, string> = {}) => {
  const SERVICE_DATA_DIR = path.join(dir, name)
  if (more.DATABASE_URL === undefined) {
    mkdirSync(SERVICE_DATA_DIR, { mode: 0o700 })
    await layCluster(SERVICE_DATA_DIR)
  }
  return { SERVICE_DATA_DIR, SERVICE_PORT: String(await freePort()), SERVICE_ALLOW_PRIVATE_SITES: 'true', ...more }
}

async function start(env: Record<string, string>): Promise<ServiceProcess> {
  const service = await startServiceProcess('serve', env)
  running.push(service)
  return service
}

/** What it warned of, or worse. */
const troubles = (service: ServiceProcess) => service.output().match(/^\{"level":[4-6]0.*$/gm) ?? []

describe('a service that is told to stop', () => {
  let env: Record<string, string>
  let service: ServiceProcess
  let token: string
  let fake: RunningFakeSite
  let site: string
  before(async () => {
    env = await settings('drained')
    service = await start(env)
    await admin(env, 'owner', 'create', '--email', 'owner@example.com', '--workspace', 'Drain')
    token = await admin(env, 'token', 'create', '--workspace', 'Drain', '--name', 'drain', '--scope', 'write')
    fake = await startFakeSite({})
    site = (await fake.enrol(service.url, await admin(env, 'site', 'code', '--workspace', 'Drain'))).siteId
    for (let n = 0; n < 20; n++) putFile(fake.state, `wp-content/uploads/${n}.bin`, randomBytes(1024 * 1024))
    await settled()
  })
  after(() => fake.stop())

  const ask = async (method: string, at: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${service.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const settled = async () => {
    while ((await ask('GET', `/sites/${site}`)).json.status !== 'connected') await sleep(50)
  }
  const begun = async (job: string) => {
    while (!['running', 'completed'].includes(String((await ask('GET', `/jobs/${job}`)).json.status))) await sleep(20)
  }
  const finished = async (job: string) => {
    for (;;) {
      const { json } = await ask('GET', `/jobs/${job}?wait_seconds=25`)
      if (!['queued', 'running'].includes(String(json.status))) return json
    }
  }

  test('answers what it was asked, puts its work back, ends with 0, which it does within nine seconds or not at all, and goes on afterwards', async () => {
    fake.misbehave('slow', { slowMs: 150 })
    const { json } = await ask('POST', `/sites/${site}/backups`, { type: 'files' })
    const job = String(json.job_id)
    await begun(job)
    const heard = fake.requests.length
    const inFlight = [
      ask('GET', `/jobs/${job}?wait_seconds=25`),
      ask('POST', `/sites/${site}/actions`, { action: 'ping' }),
      ask('POST', `/sites/${site}/activity`, { summary: 'While it stops' }),
    ]
    // Whoever asked before it has been heard by then.
    while (!fake.requests.slice(heard).some(({ verb }) => verb === 'ping')) await sleep(5)
    service.kill('SIGTERM')
    const code = await service.exited
    const answers = await Promise.all(inFlight)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 201],
    )
    assert.equal(code, 0, service.output())

    service = await start(env)
    fake.misbehave()
    const found = await ask('GET', `/jobs/${job}`)
    assert.notDeepEqual([found.json.status, found.json.attempt], ['running', 1], 'it does not wait for a worker to be missed')
    const { status, attempt, error } = await finished(job)
    assert.deepEqual([status, attempt, error], ['completed', 2, null])
  })

  test('ends in time although a client drips a request, another one reads nothing, and a site is silent', async () => {
    const { json } = await ask('POST', `/sites/${site}/backups`, { type: 'files' })
    assert.equal((await finished(String(json.job_id))).status, 'completed')
    const download = await fetch(`${service.url}/api/v1/sites/${site}/backups/${json.backup_id}/download`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(download.status, 200)
    fake.misbehave('stall')
    const silent = await ask('POST', `/sites/${site}/backups`, { type: 'db' })
    await begun(String(silent.json.job_id))
    service.kill('SIGTERM')
    const code = await service.exited
    assert.equal(code, 0, service.output())
    assert.deepEqual(troubles(service), [], 'the job was put back before the database was let go')
    await download.body?.cancel().catch(() => undefined)
    fake.misbehave()
  })
})

test('a second service on the same data is refused with one line that says why', async () => {
  const env = await settings('shared')
  const first = await start(env)
  const second = startServiceProcess('serve', { ...env, SERVICE_PORT: String(await freePort()) })
  await assert.rejects(second, (error: Error) => {
    const [head, ...lines] = error.message.trim().split('\n')
    assert.match(head ?? '', /ended with 1/)
    assert.deepEqual(lines.length, 1, error.message)
    assert.match(lines[0] ?? '', new RegExp(`another service \\(pid ${first.pid}\\) already runs on the data directory`))
    return true
  })
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200, 'the first one does not mind')
  first.kill('SIGTERM')
  assert.equal(await first.exited, 0)
})

test('a taken port is refused with one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const env = { ...(await settings('port')), SERVICE_PORT: String((taken.address() as AddressInfo).port) }
  await assert.rejects(
    startServiceProcess('serve', env),
    /ended with 1\.\n(?:\{.*\}\n)*Another program listens on 127\.0\.0\.1, port \d+\. [^\n]*\n$/,
  )
  taken.close()
})

test('DATABASE_URL leads to any PostgreSQL, and two services share it', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(dir, 'elsewhere'), log: { warn() {}, debug() {} } })
  try {
    const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(postgres.address.socketDir)}`
    const key = { SERVICE_MASTER_KEY_FILE: path.join(dir, 'master.key'), SERVICE_STORAGE_URL: path.join(dir, 'objects') }
    const first = await start(await settings('url-1', { DATABASE_URL: url, ...key }))
    const env = await settings('url-2', { DATABASE_URL: url, ...key })
    const second = await start(env)
    await admin(env, 'owner', 'create', '--email', 'owner@example.com', '--workspace', 'Shared')
    const token = await admin(env, 'token', 'create', '--workspace', 'Shared', '--name', 'shared', '--scope', 'write')
    for (const { url: at } of [first, second])
      assert.equal((await fetch(`${at}/api/v1/sites`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
    for (const service of [first, second]) service.kill('SIGTERM')
    for (const service of [first, second]) assert.equal(await service.exited, 0)
  } finally {
    await postgres.stop()
  }
})
