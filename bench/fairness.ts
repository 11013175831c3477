// One workspace takes what it can get; what is left for another, by turns alone and beside it, in the same minutes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createKeyPair } from '../server/src/connector/keys.ts'
import { clientConfig } from '../server/src/platform/database.ts'
import { openDatabase } from '../server/src/platform/open-database.ts'
import { type ServiceProcess, startServiceProcess } from '../server/test/service-process.ts'
import { ask } from './ask.ts'
import type { Task } from './nuisance.ts'
import { table, verdict } from './report.ts'
import { type Seeded, seed } from './seed.ts'
import { environment, freePort, type Place } from './service.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '500000' }, rounds: { type: 'string', default: '5' } } })
const [rows, rounds] = [Number(values.rows), Number(values.rounds)]
const callsAtOnce = 100
const slowClients = 1000
const entry = '{"summary":"Watered the ferns"}'
/** Of each kind in a round. */
const samples = 200
/** Of 99 in 100 answers beside somebody to that of 99 in 100 alone. */
const bar = 2

interface Measured {
  reads: number[]
  writes: number[]
  ready: number[]
  failed: string[]
}
async function measureAll({ url }: ServiceProcess, at: Place): Promise<boolean> {
  const stalled = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const greedy = await seed(at, 'greedy', callsAtOnce, (_id, i) => {
    const { seed: servicePrivate, public: servicePublic } = createKeyPair()
    return { url: `${stalled}/${i}`, servicePrivate, servicePublic, sitePublic: createKeyPair().public }
  })
  const quiet = await seed(at, 'quiet', 100)
  const asking = (expected: number[], path: (i: number) => string, body?: string): Task => ({
    calls: Array.from({ length: callsAtOnce }, (_, i) => `${url}/api/v1${path(i)}`),
    ...{ token: greedy.token, body, expected },
  })
  const quick = asking([200], () => '/activity')
  const locked = asking([201, 429, 503], (i) => `/sites/${greedy.siteIds[i]}/activity`, entry)
  const waiting = asking([429, 502, 504], (i) => `/sites/${greedy.siteIds[i]}/inventory`)
  const unknown = asking([404], (i) => `/jobs/job_${String(i).padStart(26, '0')}`)
  const dripping = { url, drip: slowClients }
  return withDatabase(at, async (client) => {
    await client.query(fill, [greedy.siteIds[0], rows])
    await client.query('ANALYZE activity')
    const all = [
      await compare(
        url,
        quiet,
        `${callsAtOnce} reads at once, again and again (GET /activity, ${rows.toLocaleString('en')} entries)`,
        quick,
      ),
    ]
    all.push(
      await compare(url, quiet, `${callsAtOnce} calls at once, again and again, that might wait and do not (GET /jobs/{job_id})`, unknown),
    )
    await client.query('BEGIN')
    await client.query('SELECT FROM sites WHERE id = ANY($1) FOR UPDATE', [greedy.siteIds])
    all.push(await compare(url, quiet, `${callsAtOnce} writes at once that wait for a lock`, locked))
    await client.query('ROLLBACK')
    all.push(await compare(url, quiet, `${callsAtOnce} calls at once that wait for a slow site`, waiting))
    all.push(await compare(url, quiet, `${slowClients} clients that drip a byte a second`, dripping))
    return all.every((kept) => kept)
  })
}

async function withDatabase<Out>({ dataDir }: Place, work: (client: pg.Client) => Promise<Out>): Promise<Out> {
  const silent = { warn() {}, debug() {} }
  const database = await openDatabase({ url: undefined, dataDir, role: 'command', log: silent })
  const client = new pg.Client(clientConfig(database.address))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
    await database.close()
  }
}

const fill = `INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, performed_at, performed_by, internal, in_reports, actor, source, created_at)
  SELECT s.workspace_id, 'act_' || lpad(n::text, 26, '0'), s.id, 'maintenance', 'other', 'Swept the path', now() - n * interval '1 s', 'Bench', false, true,
    '{"type":"user","id":"bench","name":"Bench"}', 'api', now() FROM sites s, generate_series(1, $2::int) n WHERE s.id = $1`

async function compare(url: string, quiet: Seeded, what: string, task: Task): Promise<boolean> {
  const [alone, beside]: [Measured, Measured] = [nothing(), nothing()]
  const met: string[] = []
  await measure(url, quiet, nothing())
  for (let round = 0; round < rounds; round++) {
    await measure(url, quiet, alone)
    const end = await begin(task)
    await pause(500)
    await measure(url, quiet, beside)
    met.push(await end())
  }
  const lines = (['reads', 'writes', 'ready'] as const).map((kind) => lineOf(kind, alone[kind], beside[kind]))
  process.stdout.write(
    table(
      what,
      ['', 'p50 alone', 'beside', 'p99 alone', 'beside', 'ratio', 'bar', ''],
      lines.map(({ cells }) => cells),
    ),
  )
  process.stdout.write(`  failed beside it: ${beside.failed.join(', ') || 'none'}; it got ${met.at(-1)}\n\n`)
  return lines.every(({ kept }) => kept) && beside.failed.length === 0
}

function lineOf(kind: 'reads' | 'writes' | 'ready', alone: number[], beside: number[]) {
  const name = { reads: 'reads of another', writes: 'its writes', ready: '/readyz' }[kind]
  const [p99Alone, p99Beside] = [quantile(alone, 0.99), quantile(beside, 0.99)]
  const ratio = p99Beside / p99Alone
  const times = [quantile(alone, 0.5), quantile(beside, 0.5), p99Alone, p99Beside].map((ms) => `${ms.toFixed(1)} ms`)
  return { cells: [name, ...times, `${ratio.toFixed(2)}×`, `${bar}×`, verdict(ratio <= bar)], kept: ratio <= bar }
}

const nothing = (): Measured => ({ reads: [], writes: [], ready: [], failed: [] })

/** What a person at work asks for, one after another, with a write and a look at the readiness in between. */
async function measure(url: string, { token, siteIds: [siteId] }: Seeded, into: Measured): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const timed = async (times: number[], path: string, body?: string) => {
    const began = performance.now()
    const { status } = await ask(agent, url + path, headers, body)
    times.push(performance.now() - began)
    if (status >= 300) into.failed.push(`${path} ${status}`)
  }
  const reads = ['/api/v1/sites', '/api/v1/jobs', `/api/v1/sites/${siteId}/backups`, '/api/v1/activity']
  for (let n = 0; n < samples; n++) {
    await timed(into.reads, reads[n % reads.length] ?? '')
    await timed(into.writes, `/api/v1/sites/${siteId}/activity`, entry)
    await timed(into.ready, '/readyz')
  }
  agent.destroy()
}

/** Begins to be a nuisance; the function that is given back ends it and tells what it met. */
async function begin(task: Task): Promise<() => Promise<string>> {
  const child = fork(fileURLToPath(new URL('nuisance.ts', import.meta.url)))
  child.send(task)
  await once(child, 'message')
  return async () => {
    child.send('end')
    const [met] = await once(child, 'message')
    await once(child, 'exit')
    return String(met)
  }
}

const quantile = (values: readonly number[], q: number) => values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? 0

const folder = mkdtempSync(join(tmpdir(), 'svc-fairness-'))
const place = { dataDir: join(folder, 'data'), port: await freePort() }
/** It takes every request and never answers. */
const site = createServer(() => {}).listen(0, '127.0.0.1')
try {
  const service = await startServiceProcess('serve', environment(place))
  try {
    process.exitCode = (await measureAll(service, place)) ? 0 : 1
  } finally {
    service.kill('SIGTERM')
    await service.exited
  }
} finally {
  site.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
