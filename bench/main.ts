import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../server/test/cpu.ts'
import { type Ask, compare, type Placement } from './compare.ts'
import { measurePings } from './pings.ts'
import { table, verdict } from './report.ts'
import { type Seeded, seed } from './seed.ts'
import { freePort, type Place, startService } from './service.ts'

const warmStarts = 5
/** PostgreSQL gives a child that waits for the disk 5 s before it is gone, so a rare start after a kill has to wait that long: the middle one tells. */
const killedStarts = 5
/** How many times the CPU of a bare server each may cost. */
const bars: Record<string, Partial<Record<Placement, number>>> = {
  'tools/list': { apart: 1.7, together: 2.5 },
  get_site: { apart: 2, together: 3 },
  list_jobs: { apart: 5, together: 10 },
  'GET /sites, 100 sites': { apart: 1.7 },
}

/** `npm run bench -- requests`: only that part; the parts are starts, requests, pings. */
const only = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const place = { dataDir: join(folder, 'data'), port: await freePort() }
try {
  const parts = { starts: () => measureStarts(place), requests: () => measureRequests(place), pings: () => measurePings(1000) }
  const missed: string[] = []
  for (const [name, measure] of Object.entries(parts)) if (only.length === 0 || only.includes(name)) missed.push(...(await measure()))
  for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureStarts(at: Place): Promise<string[]> {
  const cold = await startAndStop(at)
  const warm: number[] = []
  for (let i = 0; i < warmStarts; i++) warm.push(await startAndStop(at))
  const killed: number[] = []
  await killAfterStart(at)
  for (let i = 0; i < killedStarts; i++) killed.push(await killAfterStart(at))
  await startAndStop(at)
  const rows = [
    { what: 'cold: an empty data directory', ms: cold, bar: 90_000 },
    { what: `warm: median of ${warmStarts}`, ms: median(warm), bar: 1500 },
    { what: `after kill -9: median of ${killedStarts}`, ms: median(killed), bar: 1.5 * cold },
  ]
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  const shown = rows.map(({ what, ms, bar }) => [what, seconds(ms), seconds(bar), verdict(ms <= bar)])
  process.stdout.write(table('Start-up: from the start of the process to the first 200 on /healthz', ['', 'measured', 'bar', ''], shown))
  return rows.filter(({ ms, bar }) => ms > bar).map(({ what, ms }) => `start-up, ${what}: ${seconds(ms)}`)
}

async function startAndStop(at: Place): Promise<number> {
  const service = await startService(at)
  await service.stop()
  return service.startMs
}

/** How long it took to start, after which it is killed. */
async function killAfterStart(at: Place): Promise<number> {
  const service = await startService(at)
  await service.kill()
  return service.startMs
}

async function measureRequests(at: Place): Promise<string[]> {
  await startAndStop(at)
  const hundred = await seed(at, 'hundred', 100)
  const thousand = await seed(at, 'thousand', 1000)
  const service = await startService(at)
  try {
    const figures = await compare(service, asksOf(hundred, thousand))
    const shown = figures.map(({ what, placement, bytes, bare, ours, ratio }) => {
      const bar = bars[what]?.[placement]
      const [left, right] = bar ? [`${bar}×`, verdict(ratio <= bar)] : ['', '']
      return [what, placement, String(bytes), bare.toFixed(1), ours.toFixed(1), `${ratio.toFixed(2)}×`, left, right]
    })
    const title = 'CPU of the server per request; bare is node:http sending the same bytes; apart: client and server on a processor each'
    process.stdout.write(table(title, ['', 'placement', 'bytes', 'bare µs', 'ours µs', 'ratio', 'bar', ''], shown))
    return figures
      .filter(({ what, placement, ratio }) => ratio > (bars[what]?.[placement] ?? Number.POSITIVE_INFINITY))
      .map(({ what, placement, ratio }) => `${what}, ${placement}: ${ratio.toFixed(2)}×`)
  } finally {
    await service.stop()
  }
}

function asksOf(hundred: Seeded, thousand: Seeded): Ask[] {
  const [site_id = ''] = hundred.siteIds
  const read = (what: string, path: string, { token }: Seeded, perRound: number): Ask => ({
    ...{ what, path: `/api/v1${path}`, perRound },
    headers: { authorization: `Bearer ${token}` },
  })
  const tool = (what: string, perRound: number, params?: object): Ask => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: params ? 'tools/call' : what, ...(params && { params }) })
    const headers = { authorization: `Bearer ${hundred.token}`, 'content-type': 'application/json', 'content-length': String(body.length) }
    return { what, path: '/api/mcp', headers, body, perRound }
  }
  return [
    tool('tools/list', 480),
    tool('get_site', 480, { name: 'get_site', arguments: { site_id } }),
    tool('list_jobs', 240, { name: 'list_jobs', arguments: {} }),
    read('GET /sites/{id}', `/sites/${site_id}`, hundred, 480),
    read('GET /sites, 100 sites', '/sites', hundred, 240),
    read('GET /sites, 1,000 sites', '/sites', thousand, 48),
  ]
}
