// A service of its own and one real WordPress of the native fleet, paired, with gauges on both.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { run } from '../../demo/npm.ts'
import { CONNECTOR } from '../../e2e/guest.ts'
import { startFleet } from '../../e2e/native/fleet.ts'
import { memoryOf } from '../../server/test/cpu.ts'
import { HOSTS, type Host } from '../../server/test/hosts.ts'
import { type Cost, costOf, familyCpu, ownCpu, resetPeak } from '../../server/test/meter.ts'
import { environment, freePort, type Running, startService } from '../service.ts'
import { bytesBelow } from './rivals.ts'

type Part = 'service' | 'database' | 'php' | 'nginx' | 'mariadb'
/** `peak`, `phpPeak` in MB, `late` in ms: how long the service's event loop was kept waiting at the 99th percentile. */
export interface OurStep extends Cost<Part> {
  stored: number
  peak: number
  phpPeak: number
  late: number
  result: JobResult
}
export interface JobResult {
  backup_id: string
  files_count?: number
  files_changed?: number | null
  increment?: number | null
}
interface Job {
  status: string
  result: JobResult
  error: { message: string } | null
}
export interface Estate {
  /** Folder of WordPress. */
  root: string
  backUp(): Promise<OurStep>
  restore(backupId: string): Promise<OurStep>
  close(): Promise<void>
}

const MAIN = join(import.meta.dirname, '../../server/src/main.ts')
const GAUGE = join(import.meta.dirname, 'gauge.ts')

/** `folder` must be empty or missing. */
export async function openEstate(folder: string, host: Host): Promise<Estate> {
  await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 })
  const place = { dataDir: join(folder, 'data'), port: await freePort() }
  const gauge = join(folder, 'gauge.json')
  const accesses = join(folder, 'php-accesses.log')
  const service = await startService(place, {
    NODE_OPTIONS: `--import=${GAUGE} ${process.env.BENCH_NODE_OPTIONS ?? ''}`,
    BENCH_GAUGE: gauge,
  })
  // Peak of the memory that memory_limit is about, in bytes, one line a request.
  const pool = [`access.log = ${accesses}`, 'access.format = "%M"']
  // A document root four folders deep, as hosts have it, and not as deep as this project lies.
  const fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', confined: true, ...HOSTS[host], pool }], {
    plugins: [CONNECTOR],
    parent: tmpdir(),
  }).catch(async (error: unknown) => {
    await service.stop()
    throw error
  })
  const [native] = fleet.sites
  if (!native) throw new Error('The fleet has no site.')
  const admin = async (words: string[]) =>
    (await run(process.execPath, [MAIN, 'admin', ...words], { env: { ...process.env, ...environment(place) } })).trim()
  const close = async () => {
    await fleet.stop()
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await admin(['owner', 'create', '--email', 'owner@bench.example', '--workspace', 'Bench'])
    const token = await admin(['token', 'create', '--workspace', 'Bench', '--name', 'bench', '--scope', 'write'])
    await native.wpCli([
      'svc-connector',
      'connect',
      `--service=${service.url}`,
      `--code=${await admin(['site', 'code', '--workspace', 'Bench'])}`,
    ])
    const ask = askOf(service, token)
    const site = await connectedSite(ask)
    const { pids } = fleet
    const clocks: Record<Part, () => number> = {
      service: () => ownCpu(service.pid),
      database: () => familyCpu(service.pid) - ownCpu(service.pid),
      php: () => familyCpu(pids.php),
      nginx: () => familyCpu(pids.nginx),
      mariadb: () => (pids.mariadb === null ? 0 : familyCpu(pids.mariadb)),
    }
    const measured = async (start: () => Promise<{ job_id: string }>): Promise<OurStep> => {
      await readGauge(service.pid, gauge)
      if (existsSync(accesses)) await truncate(accesses)
      resetPeak(service.pid)
      const before = await storedBy(place.dataDir)
      const { cost, result } = await costOf(clocks, async () => finished(ask, (await start()).job_id))
      const { p99 } = await readGauge(service.pid, gauge)
      const peaks = (await readFile(accesses, 'utf8')).trim().split('\n').map(Number)
      return {
        ...{ ...cost, result, late: p99, stored: (await storedBy(place.dataDir)) - before },
        ...{ peak: memoryOf(service.pid).peak, phpPeak: peaks.reduce((most, each) => Math.max(most, each), 0) / 1024 ** 2 },
      }
    }
    return {
      root: native.dir,
      backUp: () => measured(() => ask('POST', `/sites/${site}/backups`, { type: 'full' })),
      restore: (id) =>
        measured(() => ask('POST', `/sites/${site}/backups/${id}/restore`, { type: 'full', safety_backup: false, dry_run: false })),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Ask = <Body>(method: string, path: string, body?: object) => Promise<Body>

function askOf({ url }: Running, token: string): Ask {
  return async <Body>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text) as Body
  }
}

async function connectedSite(ask: Ask): Promise<string> {
  for (let tries = 0; tries < 300; tries++) {
    const [site] = await ask<{ id: string; status: string }[]>('GET', '/sites')
    if (site?.status === 'connected') return site.id
    await pause(100)
  }
  throw new Error('The site was not connected within 30 s.')
}

async function finished(ask: Ask, jobId: string): Promise<JobResult> {
  for (;;) {
    const { status, result, error } = await ask<Job>('GET', `/jobs/${jobId}?wait_seconds=25`)
    if (status === 'completed') return result
    if (status !== 'queued' && status !== 'running') throw new Error(`The job ${status}: ${error?.message}`)
  }
}

/** What the service's gauge has seen since the last time. */
async function readGauge(pid: number, file: string): Promise<{ p99: number }> {
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await pause(20)
  await pause(50)
  return JSON.parse(await readFile(file, 'utf8')) as { p99: number }
}

async function storedBy(dataDir: string): Promise<number> {
  const objects = join(dataDir, 'objects')
  return existsSync(objects) ? bytesBelow(objects) : 0
}
