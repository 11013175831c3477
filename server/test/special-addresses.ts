// Addresses that nobody may be led to, and a guarded client that would reach a listener by dialling any of them.
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import type { TestContext } from 'node:test'
import { createGuardedFetch, type GuardedFetchOptions } from '../src/platform/guarded-fetch.ts'

const SPECIAL_V4 =
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3 127.255.255.254 168.63.129.16
  169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`.split(
    /\s+/,
  )
const SPECIAL_V6 =
  `:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:93.184.215.14 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:20::1
  2001:db8::1 2002:7f00:1::1 2620:4f:8000::1 3ffe::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fec0::1 ff02::1 ffff::1`.split(
    /\s+/,
  )
export const SPECIAL = [...SPECIAL_V4, ...SPECIAL_V6]

/** A listener that must never be reached, and a guarded client that would reach it by dialling any special address. */
export async function canary(t: TestContext, resolve: (hostname: string) => Promise<string[]>, options: GuardedFetchOptions = {}) {
  const reached = { connections: 0, closed: 0, bytes: 0, dialled: [] as string[], resolved: 0 }
  const server = createTcpServer((socket) => {
    reached.connections++
    socket
      .on('error', () => {})
      .on('close', () => reached.closed++)
      .on('data', (bytes) => (reached.bytes += bytes.length))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const guarded = createGuardedFetch({
    resolve: async (hostname) => {
      reached.resolved++
      return resolve(hostname)
    },
    dial: (address) => {
      reached.dialled.push(address)
      return connect({ host: '127.0.0.1', port: SPECIAL.includes(address) ? port : 9 })
    },
    ...options,
  })
  const stop = async () => {
    await guarded.close()
    server.close()
  }
  t.after(stop)
  return { reached, fetch: guarded.fetch, tunnel: guarded.tunnel, port }
}

const literal = (address: string) => (address.includes(':') ? `https://[${address}]/` : `https://${address}/`)
const mapped = (address: string) => (address.includes(':') ? address : `::ffff:${address}`)

/** Every way in which an address tries to be dialled: the URL, and what DNS answers for its host. */
export const disguises = (address: string): [url: string, answer: string[]][] => [
  [literal(address), []],
  ['https://a.example/', [address]],
  ['https://aaaa.example/', [mapped(address)]],
  ['https://mixed.example/', ['93.184.215.14', address]],
  ['https://mixed.example/', [address, '2606:4700::1111']],
]
