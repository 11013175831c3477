// A service under load that is killed again and again: what it acknowledged must be there, once, and what it had begun must go on.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningFakeSite, startFakeSite } from '../../server/test/fake-site.ts'
import { admin, databaseEnded, freePort, type ServiceProcess, startServiceProcess } from '../../server/test/service-process.ts'

interface Write {
  path: string
  body: Record<string, string>
  key: string
  /** Absent: no answer came, so nobody knows. */
  answer?: Record<string, unknown>
}
export interface KillReport {
  acknowledged: number
  unanswered: number
  replayed: number
  jobs: number
  /** How long the first start took, which makes the database. */
  firstStartMs: number
  /** How long each start after a kill took, the slowest at the end. */
  startsMs: number[]
}

type Settings = Record<string, string> & { SERVICE_PORT: string; SERVICE_DATA_DIR: string }

const clients = 8
const sitesUnderLoad = 3
const pageSize = 200

/** Throws an AssertionError at the first thing that is lost, doubled or stuck. */
export async function killRounds(rounds: number, seed: number): Promise<KillReport> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-kill-'))
  const env = {
    SERVICE_DATA_DIR: path.join(dir, 'data'),
    SERVICE_PORT: String(await freePort()),
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
    SERVICE_LOG_LEVEL: 'warn',
  }
  const run = new KillRun(env, seed)
  try {
    await run.open()
    for (let round = 1; round <= rounds; round++) await run.round(round)
    return await run.settle()
  } finally {
    await run.close()
    await rm(dir, { recursive: true, force: true })
  }
}

class KillRun {
  readonly #env: Settings
  readonly #random: () => number
  readonly #writes: Write[] = []
  readonly #fakes: RunningFakeSite[] = []
  readonly #sites: string[] = []
  #service: ServiceProcess | undefined
  #token = ''
  readonly #startsMs: number[] = []
  #firstStartMs = 0
  /** Called with each answer. */
  #heard: () => void = () => undefined
  #unanswered = 0
  #replayed = 0

  constructor(env: Settings, seed: number) {
    this.#env = env
    this.#random = generator(seed)
  }

  async open(): Promise<void> {
    this.#service = await startServiceProcess('serve', this.#env)
    this.#firstStartMs = this.#service.readyMs
    await admin(this.#env, 'owner', 'create', '--email', 'owner@example.com', '--workspace', 'Kill')
    this.#token = await admin(this.#env, 'token', 'create', '--workspace', 'Kill', '--name', 'kill', '--scope', 'write')
    for (let n = 0; n < sitesUnderLoad; n++) {
      const code = await admin(this.#env, 'site', 'code', '--workspace', 'Kill')
      const fake = await startFakeSite({})
      this.#fakes.push(fake)
      this.#sites.push((await fake.enrol(this.#service.url, code)).siteId)
    }
  }

  /** Load, a kill somewhere in it, a start, and everything is looked at. */
  async round(round: number): Promise<void> {
    const service = this.#service
    assert.ok(service)
    let killed = false
    const load = Array.from({ length: clients }, async (_, client) => {
      for (let n = 0; !killed; n++) await this.#write(`${round}-${client}-${n}`)
    })
    await this.#answers(40 + Math.floor(this.#random() * 160))
    killed = true
    service.kill('SIGKILL')
    await Promise.all([service.exited, ...load])
    this.#service = await startServiceProcess('serve', this.#env)
    this.#startsMs.push(this.#service.readyMs)
    await this.#askAgain()
    await this.#check()
  }

  /** Resolves after so many more answers. */
  #answers(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = () => {
        if (--count === 0) resolve()
      }
    })
  }

  /** Every job that was acknowledged comes to its end, and so does its backup. */
  async settle(): Promise<KillReport> {
    const jobs = this.#writes.filter(({ key }) => key.startsWith('backup-'))
    for (const { answer } of jobs) await this.#completes(String(answer?.job_id))
    const backups = (await Promise.all(this.#sites.map((site) => this.#get(`/sites/${site}/backups`)))).flat()
    assert.deepEqual(backups.map(({ job_id }) => job_id).sort(), jobs.map(({ answer }) => answer?.job_id).sort(), 'one backup for each job')
    for (const { id, status } of backups) assert.equal(status, 'completed', `the backup ${id}`)
    return {
      acknowledged: this.#writes.length,
      unanswered: this.#unanswered,
      replayed: this.#replayed,
      jobs: jobs.length,
      firstStartMs: this.#firstStartMs,
      startsMs: this.#startsMs.sort((a, b) => a - b),
    }
  }

  async close(): Promise<void> {
    this.#service?.kill('SIGKILL')
    await this.#service?.exited
    await databaseEnded(this.#env.SERVICE_DATA_DIR)
    await Promise.all(this.#fakes.map((fake) => fake.stop()))
  }

  async #write(name: string): Promise<void> {
    const site = this.#sites[Math.floor(this.#random() * this.#sites.length)] ?? ''
    const backup = this.#random() < 0.01
    const write: Write = backup
      ? { path: `/sites/${site}/backups`, body: { type: 'db' }, key: `backup-${name}` }
      : { path: `/sites/${site}/activity`, body: { summary: `entry ${name}` }, key: `entry-${name}` }
    this.#writes.push(write)
    await this.#send(write)
  }

  /** The same key and payload: whether the first call was done or not, afterwards it is done once. */
  async #askAgain(): Promise<void> {
    const unknown = this.#writes.filter(({ answer }) => answer === undefined)
    this.#unanswered += unknown.length
    for (const write of unknown) await this.#send(write)
    for (const write of this.#writes.slice(-20)) {
      const before = write.answer
      assert.ok(before, `${write.key} has an answer by now`)
      await this.#send(write)
      assert.deepEqual(write.answer, before, `${write.key} is answered as before`)
      this.#replayed++
    }
  }

  async #send(write: Write): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', 'idempotency-key': write.key }
    const response = await fetch(this.#url(write.path), { method: 'POST', headers, body: JSON.stringify(write.body) }).catch(
      () => undefined,
    )
    const text = await response?.text().catch(() => undefined)
    if (!response || text === undefined) return
    // A request that met the database while it went down is refused, and not done.
    if (response.status === 500 || response.status === 503) return
    assert.ok(response.ok, `${write.key}: ${response.status} ${text}`)
    write.answer = JSON.parse(text) as Record<string, unknown>
    this.#heard()
  }

  async #check(): Promise<void> {
    const seen = new Map<string, number>()
    for (let cursor = ''; ; ) {
      const response = await fetch(this.#url(`/activity?limit=${pageSize}${cursor}`), {
        headers: { authorization: `Bearer ${this.#token}` },
      })
      const page = (await response.json()) as { summary: string }[]
      for (const { summary } of page) seen.set(summary, (seen.get(summary) ?? 0) + 1)
      const next = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
      if (next === undefined) break
      cursor = `&cursor=${next}`
    }
    const entries = this.#writes.filter(({ body }) => body.summary !== undefined)
    for (const { body, key } of entries) assert.equal(seen.get(body.summary ?? ''), 1, `${key} is there once`)
    assert.equal([...seen.keys()].filter((summary) => summary.startsWith('entry ')).length, entries.length, 'and nothing that nobody wrote')
  }

  async #completes(job: string): Promise<void> {
    for (const deadline = performance.now() + 600_000; ; await sleep(100)) {
      const [found] = await this.#get(`/jobs/${job}?wait_seconds=5`)
      if (found?.status === 'completed') return
      assert.ok(['queued', 'running'].includes(String(found?.status)), `${job}: ${JSON.stringify(found)}`)
      assert.ok(performance.now() < deadline, `${job} is stuck: ${JSON.stringify(found)}`)
    }
  }

  async #get(at: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(this.#url(at), { headers: { authorization: `Bearer ${this.#token}` } })
    const json = (await response.json()) as Record<string, unknown> | Record<string, unknown>[]
    assert.equal(response.status, 200, JSON.stringify(json))
    return Array.isArray(json) ? json : [json]
  }

  #url(at: string): string {
    return `http://127.0.0.1:${this.#env.SERVICE_PORT}/api/v1${at}`
  }
}

/** mulberry32: the same seed, the same numbers. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
