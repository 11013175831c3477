import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf } from '../server/test/cpu.ts'
import { startFakeFleet } from '../server/test/fake-fleet.ts'
import { createFakeSite, type FakeSite } from '../server/test/fake-site.ts'
import { bareState } from '../server/test/fake-state.ts'
import { ask } from './ask.ts'
import { table, verdict } from './report.ts'
import { type Planned, seed } from './seed.ts'
import { freePort, startService } from './service.ts'

const answerAfterMs = 50
const neighbours = 40
const bars = { seconds: 10, atOnce: 4, megabytes: 250 }

/** Pings a fleet from one process, and many sites of one address; prints it and gives the bars that were missed. */
export async function measurePings(size: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pings-'))
  const place = { dataDir: join(folder, 'data'), port: await freePort() }
  const fleet = await startFakeFleet(size, { delayMs: answerAfterMs })
  const crowd = await startCrowd()
  try {
    const first = await startService(place)
    await first.stop()
    const far = await seed(place, 'far', size, (id, i) => paired(fleet.sites[i], id))
    const near = await seed(place, 'near', neighbours, (id, i) => paired(crowd.sites[i], id))
    const service = await startService(place)
    try {
      const pinged = await pingAll(service.url, far.token, far.siteIds)
      await pingAll(service.url, near.token, near.siteIds)
      return report(size, pinged, crowd.mostAtOnce(), memoryOf(service.pid).peak)
    } finally {
      await service.stop()
    }
  } finally {
    await Promise.all([fleet.stop(), crowd.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Both halves of a pairing: the site has its own, the plan is ours. */
function paired(site: FakeSite | undefined, id: string): Planned {
  if (!site) throw new Error('There are fewer fake sites than planned.')
  const { servicePrivateKey } = site.pair(id)
  const { d = '', x = '' } = servicePrivateKey.export({ format: 'jwk' })
  const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  return { url: site.url, servicePrivate: standard(d), servicePublic: standard(x), sitePublic: site.connector.keys.public }
}

/** Sites that share one address and count how many of them are asked at a time. */
async function startCrowd(): Promise<{ sites: FakeSite[]; mostAtOnce(): number; stop(): void }> {
  let [now, most] = [0, 0]
  const servers = await Promise.all(Array.from({ length: neighbours }, () => listen('127.0.0.77')))
  const sites = servers.map(({ server, url }) => {
    const site = createFakeSite(url, bareState(), () => new Date())
    server.on('request', async (request, response) => {
      most = Math.max(most, ++now)
      await pause(answerAfterMs)
      response.once('close', () => now--)
      await site.handle(request, response)
    })
    return site
  })
  return { sites, mostAtOnce: () => most, stop: () => stopAll(servers) }
}

function stopAll(servers: readonly { server: Server }[]): void {
  for (const { server } of servers) server.close().closeAllConnections()
}

async function listen(host: string): Promise<{ server: Server; url: string }> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  return { server, url: `http://${host}:${(server.address() as AddressInfo).port}` }
}

interface Pinged {
  seconds: number
  /** The answers that were not 200, each kind once with how many there were. */
  refused: Map<string, number>
}

/** All of them at once, as a client that does not wait its turn. */
async function pingAll(url: string, token: string, siteIds: readonly string[]): Promise<Pinged> {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const refused = new Map<string, number>()
  const ping = async (id: string) => {
    const { status, text } = await ask(agent, `${url}/api/v1/sites/${id}/actions`, headers, '{"action":"ping"}')
    const { detail = '' } = JSON.parse(text()) as { detail?: string }
    const kind = `${status} ${detail}`
    if (status !== 200) refused.set(kind, (refused.get(kind) ?? 0) + 1)
  }
  const began = performance.now()
  await Promise.all(siteIds.map(ping))
  const seconds = (performance.now() - began) / 1000
  agent.destroy()
  return { seconds, refused }
}

function report(size: number, { seconds, refused }: Pinged, atOnce: number, megabytes: number): string[] {
  const failed = [...refused.values()].reduce((sum, count) => sum + count, 0)
  const rows = [
    {
      what: `${size.toLocaleString('en')} sites, each answering after ${answerAfterMs} ms`,
      value: seconds,
      bar: bars.seconds,
      unit: ' s',
      digits: 2,
    },
    { what: 'pings that failed', value: failed, bar: 0, unit: '', digits: 0 },
    { what: `asked at a time, of ${neighbours} at one address`, value: atOnce, bar: bars.atOnce, unit: '', digits: 0 },
    { what: 'memory of the service at its highest', value: megabytes, bar: bars.megabytes, unit: ' MB', digits: 0 },
  ].map((row) => ({ ...row, shown: row.value.toFixed(row.digits) + row.unit, kept: row.value <= row.bar }))
  const cells = rows.map(({ what, shown, bar, unit, kept }) => [what, shown, `${bar}${unit}`, verdict(kept)])
  process.stdout.write(table('Pinging a fleet, from one process', ['', 'measured', 'bar', ''], cells))
  for (const [kind, count] of refused) process.stderr.write(`${count} × ${kind}\n`)
  return rows.filter(({ kept }) => !kept).map(({ what, shown }) => `${what}: ${shown}`)
}

if (import.meta.main) process.exitCode = (await measurePings(Number(process.argv[2] ?? 1000))).length > 0 ? 1 : 0
