import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, median } from '../server/test/cpu.ts'
import { type Figure, measureMcp } from './mcp.ts'
import { measurePings } from './pings.ts'
import { measureReads } from './reads.ts'
import { table, verdict } from './report.ts'
import { type Seeded, seed } from './seed.ts'
import { freePort, type Place, type Running, startService } from './service.ts'

const warmStarts = 5
/** How many times the CPU of a bare server each may cost. */
const bars: Record<string, number> = { 'tools/list': 2.5, 'tools/call': 2.5, 'GET /sites, 100 sites': 1.7 }

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const place = { dataDir: join(folder, 'data'), port: await freePort() }
try {
  const missed = [...(await measureStarts(place)), ...(await measureRequests(place)), ...(await measurePings(1000))]
  for (const one of missed) process.stderr.write(`Missed: ${one}\n`)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureStarts(at: Place): Promise<string[]> {
  const cold = await startAndStop(at)
  const warm: number[] = []
  for (let i = 0; i < warmStarts; i++) warm.push(await startAndStop(at))
  const rows = [
    { what: 'cold: an empty data directory', ms: cold, bar: 90_000 },
    { what: `warm: median of ${warmStarts}`, ms: median(warm), bar: 1500 },
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

async function measureRequests(at: Place): Promise<string[]> {
  const hundred = await seed(at, 'hundred', 100)
  const thousand = await seed(at, 'thousand', 1000)
  const service = await startService(at)
  try {
    const figures = await measure(service, hundred, thousand)
    const shown = figures.map(({ what, bytes, bare, ours, ratio }) => {
      const bar = bars[what]
      return [
        what,
        String(bytes),
        bare.toFixed(1),
        ours.toFixed(1),
        `${ratio.toFixed(2)}×`,
        bar ? `${bar}×` : '',
        bar ? verdict(ratio <= bar) : '',
      ]
    })
    process.stdout.write(
      table(
        'CPU of the server per request; bare is node:http sending the same bytes',
        ['', 'bytes', 'bare µs', 'ours µs', 'ratio', 'bar', ''],
        shown,
      ),
    )
    return figures
      .filter(({ what, ratio }) => ratio > (bars[what] ?? Number.POSITIVE_INFINITY))
      .map(({ what, ratio }) => `${what}: ${ratio.toFixed(2)}×`)
  } finally {
    await service.stop()
  }
}

async function measure(service: Running, hundred: Seeded, thousand: Seeded): Promise<Figure[]> {
  const [site_id = ''] = hundred.siteIds
  const ours = { url: service.url, cpu: async () => ({ user: cpuOf(service.pid), system: 0 }) }
  return [
    ...(await measureMcp(ours, hundred.token, { name: 'get_site', arguments: { site_id } })),
    ...(await measureReads(service, [
      { what: 'GET /sites/{id}', path: `/api/v1/sites/${site_id}`, token: hundred.token, perRound: 2000 },
      { what: 'GET /sites, 100 sites', path: '/api/v1/sites', token: hundred.token, perRound: 1000 },
      { what: 'GET /sites, 1,000 sites', path: '/api/v1/sites', token: thousand.token, perRound: 200 },
    ])),
  ]
}
