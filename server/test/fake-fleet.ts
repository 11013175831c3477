// Many fake sites in one process, each with an address of its own (127.1.x.y), sharing one HTTP server.
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeSite, type FakeSite } from './fake-site.ts'
import { bareState } from './fake-state.ts'

export type FakeFleet = { sites: FakeSite[]; stop: () => Promise<void> }

/** At most 60,000 sites. Each answers after `delayMs`, the same for all. */
export async function startFakeFleet(size: number, { delayMs = 0, now = () => new Date() } = {}): Promise<FakeFleet> {
  const http = createHttpServer({ keepAliveTimeout: 1_000 })
  const byOrigin = new Map<string, FakeSite>()
  http.on('request', async (request, response) => {
    const { localAddress, localPort } = request.socket
    const site = byOrigin.get(`${localAddress}:${localPort}`)
    if (delayMs > 0) await sleep(delayMs)
    await site?.handle(request, response)
  })
  const listeners = await Promise.all(Array.from({ length: size }, (_, i) => listen(http, `127.1.${1 + (i >> 8)}.${i & 255}`)))
  const sites = listeners.map((listener) => {
    const { address, port } = listener.address() as AddressInfo
    const site = createFakeSite(`http://${address}:${port}`, bareState(), now)
    byOrigin.set(`${address}:${port}`, site)
    return site
  })
  const stop = async () => {
    http.closeAllConnections()
    await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
    http.close()
  }
  return { sites, stop }
}

async function listen(http: ReturnType<typeof createHttpServer>, host: string): Promise<Server> {
  const listener = createServer((socket) => http.emit('connection', socket))
  await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(0, host, resolve))
  return listener
}
