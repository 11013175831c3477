// Every fake site of bench/uptime.ts: one server on all loopback addresses of this machine, with a page of 20 KB.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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
const server = createServer((request, response) => {
  const site = request.socket.localAddress ?? ''
  const known = visits.get(site)
  if (known) known.push(performance.now())
  else visits.set(site, [performance.now()])
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length })
  response.end(page)
})
// Each site has an address of its own, and a server can listen on one or on all.
server.on('connection', (socket) => socket.localAddress?.startsWith('127.') || socket.destroy())
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () => process.send?.((server.address() as AddressInfo).port))

let since = 0
process.on('message', ({ intervalMs }: { intervalMs: number }) => {
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
