// npm run bench:uptime [sites] [seconds]: fake sites checked every minute by one process, beside a bare undici loop that asks the same.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf } from '../server/test/cpu.ts'
import { ownCpu, resetPeak } from '../server/test/meter.ts'
import { table, verdict } from './report.ts'
import { stop } from './service.ts'
import { type UptimeHouse, withUptimeHouse } from './uptime-house.ts'

const [sites = 10_000, seconds = 120] = process.argv.slice(2).map(Number)
const intervalS = 60

const missed = await withUptimeHouse({ sites, intervalS }, measure)
for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
process.exitCode = missed.length > 0 ? 1 : 0

async function measure({ pool, urls, startWorker }: UptimeHouse): Promise<string[]> {
  const worker = await startWorker()
  await sleep(1.25 * intervalS * 1000) // Every site is known and up.
  // As after days: WordPress itself was last asked at any time until the check at which it is due again.
  await pool.query(`UPDATE uptime_monitors SET app_checked_at = now() - random() * interval '6 minutes'`)
  const counters = `SELECT sum(n_tup_upd + n_tup_ins) AS n FROM pg_stat_user_tables WHERE relname IN ('sites', 'uptime_states')`
  const written = async () => Number((await pool.query(counters)).rows[0]?.n)
  await sleep(2000)
  const before = await written()
  // In the same time, so that whatever else the machine does makes both slower.
  const [{ cpu, checks, pings, late, peak }, bare] = await Promise.all([watched(worker), loop(urls)])
  await sleep(2000)
  const changed = (await written()) - before
  const answering = `SELECT count(*) AS n FROM sites s JOIN uptime_states u ON u.site_id = s.id
    WHERE s.status = 'connected' AND u.up AND u.app_up AND NOT u.connector_silent`
  const well = Number((await pool.query(answering)).rows[0]?.n)
  await stop(worker)

  const ours = checks / cpu
  const share = cpu / seconds
  const figures: [what: string, measured: string, bar: string, kept: boolean][] = [
    ['checks in a second', (checks / seconds).toFixed(1), (sites / intervalS).toFixed(1), checks / seconds > 0.97 * (sites / intervalS)],
    ['signed pings beside them in a second', (pings / seconds).toFixed(1), 'some', pings > 0],
    ['sites that are connected and up, with their connector', String(well), String(sites), well === sites],
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
    return (await once(worker, 'message')) as [{ checks: number; pings: number; lateness: number[] }]
  }
  const [{ checks: earlier, pings: pingsBefore }] = await told()
  resetPeak(pid)
  const cpuBefore = ownCpu(pid)
  await sleep(seconds * 1000)
  const cpu = ownCpu(pid) - cpuBefore
  const [{ checks, pings, lateness }] = await told()
  const sorted = lateness.toSorted((a, b) => a - b)
  return {
    cpu,
    checks: checks - earlier,
    pings: pings - pingsBefore,
    late: (sorted[Math.floor(0.99 * sorted.length)] ?? 0) / 1000,
    peak: memoryOf(pid).peak,
  }
}

/** Checks for a second of processor time of a loop that does nothing but ask, at the same pace: whoever asks without a pause wakes up less often. */
async function loop(all: string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'uptime-bare.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ urls: all, perSecond: all.length / intervalS, seconds })
  const [{ cpu, requests }] = (await once(child, 'message')) as [{ cpu: number; requests: number }]
  await stop(child)
  return requests / cpu
}
