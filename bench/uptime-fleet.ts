// Every fake site of bench/uptime.ts: one server on all loopback addresses of this machine, with a page of 20 KB and a connector that signs.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeSite, type FakeSite } from '../server/test/fake-site.ts'
import { bareState } from '../server/test/fake-state.ts'
import type { Planned } from './seed.ts'

/** What became of the sites since they were asked about last: the longest time without a visit, and visits that came twice. */
export interface Visits {
  sites: number
  visits: number
  longestGapMs: number
  /** Within a fifth of an interval after the one before. */
  doubled: number
}

const page = Buffer.from(`<!doctype html><title>Garden</title>${'<p>Flowers</p>'.repeat(1400)}`)
const visits = new Map<string, number[]>()
/** By address. */
const connectors = new Map<string, FakeSite>()
const server = createServer((request, response) => {
  const site = request.socket.localAddress ?? ''
  const connector = request.method === 'POST' ? connectors.get(site) : undefined
  if (connector) {
    connector.requests.length = 0
    return void connector.handle(request, response)
  }
  const known = visits.get(site)
  if (known) known.push(performance.now())
  else visits.set(site, [performance.now()])
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length })
  response.end(page)
})
// Each site has an address of its own, and a server can listen on one or on all.
server.on('connection', (socket) => socket.localAddress?.startsWith('127.') || socket.destroy())
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () => process.send?.((server.address() as AddressInfo).port))

/** Both halves of a pairing: the site keeps its own. */
function paired({ url, id }: { url: string; id: string }): Planned {
  const site = createFakeSite(url, bareState(), () => new Date())
  connectors.set(new URL(url).hostname, site)
  const { d = '', x = '' } = site.pair(id).servicePrivateKey.export({ format: 'jwk' })
  const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  return { url, servicePrivate: standard(d), servicePublic: standard(x), sitePublic: site.connector.keys.public }
}

let since = 0
process.on('message', (asked: { sites: { url: string; id: string }[] } | { intervalMs: number }) => {
  if ('sites' in asked) return void process.send?.(asked.sites.map(paired))
  const { intervalMs } = asked
  const now = performance.now()
  const told: Visits = { sites: visits.size, visits: 0, longestGapMs: 0, doubled: 0 }
  for (const [site, times] of visits) {
    const all = times.filter((at) => at >= since)
    const gaps = [...all, now].map((at, n) => at - (all[n - 1] ?? since))
    told.visits += all.length
    told.longestGapMs = Math.max(told.longestGapMs, ...gaps)
    told.doubled += gaps.slice(1, all.length).filter((gap) => gap < intervalMs / 5).length
    visits.set(site, [])
  }
  since = now
  process.send?.(told)
})
