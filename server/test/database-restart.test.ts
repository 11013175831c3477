import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterFolder, type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import { findServer } from '../src/platform/postgres-pid-file.ts'
import { putFile } from './fake-state.ts'
import { aWorld, type TestWorld } from './world.ts'

interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
}

const kills = 2
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-restart-'))
let postgres: EmbeddedPostgres
let here: TestWorld
let token: string
let sites: string[]
let backup: string

const start = async () => {
  postgres = await startEmbeddedPostgres({ dataDir, log: { warn() {}, debug() {} }, settings: { fsync: 'off' } })
}
const kill = async () => {
  process.kill(findServer(clusterFolder(dataDir))?.pid ?? 0, 'SIGKILL')
  await postgres.ended
}
const ask = async (method: string, at: string, body?: object, more: Record<string, string> = {}): Promise<Answer> => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...more }
  const response = await fetch(`${here.url}/api/v1${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
const jsonOf = ({ bytes }: Answer) => JSON.parse(bytes.toString()) as Record<string, string>
const digest = ({ bytes }: Answer) => createHash('sha256').update(bytes).digest('hex')

before(async () => {
  await start()
  here = await aWorld({ SERVICE_CALLS_PER_MINUTE: '100000' }, { address: postgres.address, drop: () => postgres.stop() })
  token = (await here.token()).token
  const made = [await here.site(), await here.site(), await here.site()]
  sites = made.map(({ id }) => id)
  for (let n = 0; n < 40; n++) putFile(made[0]?.fake.state ?? assert.fail(), `wp-content/uploads/${n}.bin`, randomBytes(32 * 1024))
  const { job_id, backup_id } = await here.call('backups.create', { site_id: sites[0], type: 'full' })
  assert.equal((await here.job(String(job_id))).status, 'completed')
  backup = `/sites/${sites[0]}/backups/${backup_id}/download`
})
after(async () => {
  await here?.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

test('the database is killed under load: nothing ends, calls get 503, what was acknowledged is there once, and all goes on', {
  // What hangs, not what is slow: under load everything takes as long as it takes.
  timeout: 600_000,
}, async () => {
  const whole = digest(await ask('GET', backup))
  const seen: Record<string, number> = {}
  const acknowledged = new Map<string, string>()
  const jobs = new Set<string>()
  let going = true
  const heard = (what: string, answer: Answer) => {
    const met = `${what} ${answer.status}`
    seen[met] = (seen[met] ?? 0) + 1
    if (answer.status !== 503) return
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.ok(Number(answer.headers.get('retry-after')) > 0, 'it says when to come again')
    assert.equal(jsonOf(answer).code, 'unavailable')
  }
  const keepOn = async (what: string, once: (n: number) => Promise<Answer>) => {
    for (let n = 0; going; n++) {
      heard(what, await once(n))
      await sleep(10)
    }
  }
  /** As a client should: again with the same key until it is taken. */
  const write = async (summary: string) => {
    for (;;) {
      const answer = await ask('POST', `/sites/${sites[1]}/activity`, { summary }, { 'idempotency-key': summary })
      if (answer.status === 201) acknowledged.set(summary, jsonOf(answer).id ?? '')
      if (answer.status !== 503) return answer
      heard('write', answer)
      await sleep(10)
    }
  }
  const happened = async (what: string, more: number) => {
    for (const enough = (seen[what] ?? 0) + more; (seen[what] ?? 0) < enough; ) await sleep(10)
  }
  const load = [
    ...['/sites', '/jobs?limit=20', `/sites/${sites[2]}`].map((at) => keepOn('read', () => ask('GET', at))),
    ...[0, 1].map((lane) => keepOn('write', (n) => write(`Write-${lane}-${n}`))),
    keepOn('job', async (n) => {
      const answer = await ask('POST', `/sites/${sites[n % 3]}/backups`, { type: 'db' })
      if (answer.status === 202) jobs.add(jsonOf(answer).job_id ?? '')
      await sleep(200)
      return answer
    }),
    keepOn('download', async () => {
      const answer = await ask('GET', backup)
      if (answer.status === 200) assert.equal(digest(answer), whole)
      return answer
    }),
  ]
  const trouble = async () => {
    for (let round = 0; round < kills; round++) {
      await happened('write 201', 10)
      await kill()
      await Promise.all([happened('read 503', 5), happened('write 503', 5)])
      await start()
    }
    await Promise.all([happened('read 200', 10), happened('write 201', 10), happened('job 202', 2), happened('download 200', 2)])
    going = false
  }
  await Promise.all([...load, trouble()])

  for (const met of Object.keys(seen)) assert.match(met, / (20[0-2]|429|503)$/, JSON.stringify(seen))
  for (const job of jobs) assert.equal((await here.job(job)).status, 'completed')
  const written = await everything()
  for (const [summary, id] of acknowledged)
    assert.deepEqual(
      written.filter((entry) => entry.summary === summary).map((entry) => entry.id),
      [id],
    )
  assert.ok(!here.logs.some((line) => line.includes('an error of ours')))
})

test('and other nodes are heard again: a revocation that one announces ends a token that another has in memory', async () => {
  const { token: other, id } = await here.token('read')
  assert.equal((await here.rest('GET', '/api/v1/sites', { token: other })).status, 200)
  await here.call('tokens.revoke', { token_id: id })
  assert.equal((await here.rest('GET', '/api/v1/sites', { token: other })).status, 401)
})

async function everything(): Promise<{ id: string; summary: string }[]> {
  const all: { id: string; summary: string }[] = []
  for (let cursor: unknown = null; cursor !== undefined; ) {
    const page = await here.call('activity.list', { site_id: sites[1], limit: 200, ...(cursor !== null && { cursor }) })
    all.push(...(page.activity as typeof all))
    cursor = page.next_cursor ?? undefined
  }
  return all
}
