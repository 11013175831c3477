// npm run bench:uptime [sites] [seconds]: fake sites checked every minute by one process, beside a bare undici loop that asks the same.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectPool } from '../server/src/platform/database.ts'
import { prepareDatabase } from '../server/src/service.ts'
import { memoryOf } from '../server/test/cpu.ts'
import { startTestServer } from '../server/test/database.ts'
import { ownCpu, resetPeak } from '../server/test/meter.ts'
import { table, verdict } from './report.ts'
import { environment, freePort, stop } from './service.ts'

const [sites = 10_000, seconds = 120] = process.argv.slice(2).map(Number)
const intervalS = 60
const here = import.meta.dirname
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const silent = { info() {}, warn() {}, error() {} }

/** All sites are one server; each has an address of its own, 127.x.y.z. */
const urls = (port: number) => Array.from({ length: sites }, (_, n) => `http://127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}:${port}`)

const server = await startTestServer()
const fleet = fork(join(here, 'uptime-fleet.ts'))
try {
  const [port] = (await once(fleet, 'message')) as [number]
  const missed = await measure(port)
  for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  await stop(fleet)
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(port: number): Promise<string[]> {
  const address = { ...server.address, database: 'postgres' }
  await prepareDatabase({ address, log: silent })
  const pool = connectPool(address, { warn() {} })
  const all = urls(port)
  await pool.query(`INSERT INTO workspaces (id, name, sealed_key) VALUES ('ws_bench', 'Bench', '')`)
  await pool.query(
    `INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
     SELECT 'ws_bench', 'site_' || lpad(n::text, 26, '0'), 'Site ' || n, url, url, 'clone_detected', '', '', '', '', now(), now()
     FROM unnest($1::text[]) WITH ORDINALITY AS u (url, n)`,
    [all],
  )
  await pool.query(`INSERT INTO turns (workspace_id, site_id, kind, due_at)
    SELECT workspace_id, id, 'uptime', now() + random() * interval '60 s' FROM sites`)

  const worker = spawn(process.execPath, [...process.execArgv, join(here, 'uptime-worker.ts')], {
    env: { ...process.env, ...environment({ dataDir: folder, port: await freePort() }), BENCH_DATABASE: JSON.stringify(address) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(worker, 'message')
  await sleep(1.25 * intervalS * 1000) // Every site is known and up.
  const counters = `SELECT sum(n_tup_upd + n_tup_ins) AS n FROM pg_stat_user_tables WHERE relname IN ('sites', 'uptime_states')`
  const written = async () => Number((await pool.query(counters)).rows[0]?.n)
  await sleep(2000)
  const before = await written()
  const { cpu, checks, late, peak } = await watched(worker)
  await sleep(2000)
  const changed = (await written()) - before
  await stop(worker)
  await pool.end()

  const bare = await loop(all, checks / seconds)
  const ours = checks / cpu
  const share = cpu / seconds
  const figures: [what: string, measured: string, bar: string, kept: boolean][] = [
    ['checks in a second', (checks / seconds).toFixed(1), (sites / intervalS).toFixed(1), checks / seconds > 0.97 * (sites / intervalS)],
    ['of one core', `${(100 * share).toFixed(0)} %`, '50 %', share <= 0.5],
    ['memory, at its highest', `${peak.toFixed(0)} MB`, '400 MB', peak <= 400],
    ['lateness, p99', `${late.toFixed(2)} s`, '2 s', late <= 2],
    ['checks for a CPU second', ours.toFixed(0), '', true],
    ['the same of a bare undici loop', bare.toFixed(0), '', true],
    ['ratio', (ours / bare).toFixed(2), '0.60', ours / bare >= 0.6],
    ['rows written in sites and states', String(changed), '0', changed === 0],
  ]
  const shown = figures.map(([what, measured, bar, kept]) => [what, measured, bar, bar === '' ? '' : verdict(kept)])
  process.stdout.write(table(`Uptime: ${sites} sites, every ${intervalS} s, for ${seconds} s`, ['', 'measured', 'bar', ''], shown))
  return figures.filter(([, , , kept]) => !kept).map(([what, measured, bar]) => `${what}: ${measured}, bar ${bar}`)
}

/** What the worker does in the time of the measurement: processor time, checks, how late they began. */
async function watched(worker: ChildProcess) {
  const pid = worker.pid ?? 0
  const told = async () => {
    worker.send('tell')
    return (await once(worker, 'message')) as [{ checks: number; lateness: number[] }]
  }
  const [{ checks: earlier }] = await told()
  resetPeak(pid)
  const cpuBefore = ownCpu(pid)
  await sleep(seconds * 1000)
  const cpu = ownCpu(pid) - cpuBefore
  const [{ checks, lateness }] = await told()
  const sorted = lateness.toSorted((a, b) => a - b)
  return { cpu, checks: checks - earlier, late: (sorted[Math.floor(0.99 * sorted.length)] ?? 0) / 1000, peak: memoryOf(pid).peak }
}

/** Checks for a second of processor time of a loop that does nothing but ask, at the same pace: whoever asks without a pause wakes up less often. */
async function loop(all: string[], perSecond: number): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, join(here, 'uptime-bare.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ urls: all, perSecond, seconds })
  const [{ cpu, requests }] = (await once(child, 'message')) as [{ cpu: number; requests: number }]
  await stop(child)
  return requests / cpu
}
