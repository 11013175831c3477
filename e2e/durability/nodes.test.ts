import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../server/src/platform/embedded-postgres.ts'
import { type RunningFakeSite, startFakeSite } from '../../server/test/fake-site.ts'
import { putFile } from '../../server/test/fake-state.ts'
import { admin, type ServiceProcess, startServiceProcess } from '../../server/test/service-process.ts'
import { until } from '../../server/test/until.ts'

type Role = 'all' | 'serve' | 'work'

/** What one node has written, another one tells whoever asks so many milliseconds later: no longer is memory trusted. Usually it is 2. The bar is of the product, a time. */
const longestLagMs = 2000

/** Several processes on one PostgreSQL, as behind a load balancer. */
describe('one service on several nodes', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-nodes-'))
  const running: ServiceProcess[] = []
  let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let env: Record<string, string>
  let fake: RunningFakeSite
  let front: ServiceProcess
  let token: string
  let site: string

  const start = async (role: Role) => {
    const service = await startServiceProcess(role === 'work' ? 'work' : 'serve', {
      ...env,
      SERVICE_ROLE: role,
      SERVICE_DATA_DIR: path.join(dir, `node-${running.length}`),
    })
    running.push(service)
    return service
  }
  const stop = async (service: ServiceProcess, signal: NodeJS.Signals) => {
    service.kill(signal)
    await service.exited
  }
  const ask = async (node: ServiceProcess, method: string, at: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${node.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const ended = async (job: unknown) => {
    for (;;) {
      const { json } = await ask(front, 'GET', `/jobs/${job}?wait_seconds=20`)
      if (!['queued', 'running'].includes(String(json.status))) return json
    }
  }

  before(async () => {
    postgres = await startEmbeddedPostgres({ dataDir: path.join(dir, 'postgres'), log: { warn() {}, debug() {} } })
    env = {
      DATABASE_URL: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(postgres.address.socketDir)}`,
      SERVICE_MASTER_KEY_FILE: path.join(dir, 'master.key'),
      SERVICE_STORAGE_URL: path.join(dir, 'objects'),
      SERVICE_ALLOW_PRIVATE_SITES: 'true',
    }
    front = await start('serve')
    await admin(env, 'owner', 'create', '--email', 'owner@example.com', '--workspace', 'Nodes')
    token = await admin(env, 'token', 'create', '--workspace', 'Nodes', '--name', 'nodes', '--scope', 'write')
    fake = await startFakeSite({})
    for (let n = 0; n < 12; n++) putFile(fake.state, `wp-content/uploads/${n}.bin`, randomBytes(1024 * 1024))
    site = (await fake.enrol(front.url, await admin(env, 'site', 'code', '--workspace', 'Nodes'))).siteId
  })
  after(async () => {
    await Promise.all(running.map((service) => stop(service, 'SIGKILL')))
    await fake?.stop()
    await postgres?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  test('a node that only serves starts jobs, and one that only works does them', async () => {
    const { json } = await ask(front, 'POST', `/sites/${site}/backups`, { type: 'db' })
    const came = new Date()
    await start('work')
    const job = await ended(json.job_id)
    assert.equal(job.status, 'completed')
    assert.ok(new Date(String(job.started_at)) > came, 'nobody worked before')
    assert.equal((await ask(front, 'GET', `/sites/${site}`)).json.status, 'connected')
  })

  test('when a worker is killed, another one ends its job', async (t) => {
    const goesOn = Promise.withResolvers<void>()
    // Nothing is answered before the victim is dead, so that its job cannot be through, however long the other one takes to start.
    fake.misbehave('slow', { until: goesOn.promise })
    const victim = running.at(-1)
    assert.ok(victim)
    const { json } = await ask(front, 'POST', `/sites/${site}/backups`, { type: 'files' })
    while ((await ask(front, 'GET', `/jobs/${json.job_id}`)).json.status !== 'running') await sleep(20)
    await start('work')
    assert.equal((await ask(front, 'GET', `/jobs/${json.job_id}`)).json.status, 'running')
    await stop(victim, 'SIGKILL')
    const began = performance.now()
    fake.misbehave()
    goesOn.resolve()
    const job = await ended(json.job_id)
    t.diagnostic(`${Math.round(performance.now() - began)} ms after the kill`)
    assert.deepEqual([job.status, job.attempt], ['completed', 2])
  })

  test('what one node writes, the other one reads', async (t) => {
    const other = await start('all')
    const lags: number[] = []
    for (let round = 0; round < 40; round++) {
      const [writer, reader] = round % 2 ? [front, other] : [other, front]
      await ask(reader, 'GET', `/sites/${site}`)
      const ping = await ask(writer, 'POST', `/sites/${site}/actions`, { action: 'ping' })
      assert.equal(ping.status, 200)
      const written = performance.now()
      const updated = (await ask(writer, 'GET', `/sites/${site}`)).json.updated_at as string
      let behind = written
      for (;;) {
        const began = performance.now()
        if (((await ask(reader, 'GET', `/sites/${site}`)).json.updated_at as string) >= updated) break
        behind = began
        await sleep(1)
      }
      lags.push(behind - written)
      const entry = await ask(writer, 'POST', `/sites/${site}/activity`, { summary: `Round ${round}` })
      const [newest] = (await ask(reader, 'GET', '/activity?limit=1')).json as unknown as { id: string }[]
      assert.equal(newest?.id, entry.json.id, 'a record is there at once')
    }
    lags.sort((a, b) => a - b)
    t.diagnostic(`asked behind it: median ${lags[20]?.toFixed(1)} ms, longest ${lags[39]?.toFixed(1)} ms`)
    assert.ok((lags[39] ?? 0) < longestLagMs, `${lags[39]} ms`)
  })

  test('a token that an operator revokes is refused by both from the moment the command ends, at 200 requests a second', async (t) => {
    const nodes = [front, running.at(-1) ?? front]
    for (let round = 0; round < 2; round++) {
      const victim = JSON.parse(
        await admin(env, 'token', 'create', '--workspace', 'Nodes', '--name', 'victim', '--scope', 'read', '--json'),
      ) as { id: string; token: string }
      let going = true
      const accepted: number[] = []
      const refused: number[] = []
      const load = nodes.flatMap((node) =>
        Array.from({ length: 5 }, async () => {
          const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
          while (going) {
            const began = performance.now()
            if ((await statusOf(node.url, agent, victim.token)) === 200) accepted.push(began)
            else refused.push(began)
            await sleep(Math.max(0, 50 - (performance.now() - began)))
          }
          agent.destroy()
        }),
      )
      await until(() => accepted.length > 100)
      await admin(env, 'token', 'revoke', victim.id)
      const returned = performance.now()
      await until(() => [...accepted, ...refused].filter((began) => began > returned).length > 80)
      going = false
      await Promise.all(load)
      t.diagnostic(
        `${accepted.length} accepted, ${refused.length} refused, ${accepted.filter((began) => began > returned).length} of them late`,
      )
      assert.deepEqual(
        accepted.filter((began) => began > returned),
        [],
      )
    }
  })
})

function statusOf(url: string, agent: http.Agent, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}/api/v1/sites`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', reject)
  })
}
