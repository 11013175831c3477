// Where a request may go, and the one place that opens outbound sockets. An address is judged before dialling and again once connected.
import { BlockList, connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { isLocalName, isPrivateAddress, isPublicAddress } from './address.ts'
import { FetchError } from './fetch-error.ts'
import type { Resolve } from './lookups.ts'

const PORTS = new Set(['', '80', '443', '8080', '8443'])
const CONNECT_TIMEOUT_MS = 8_000
const DNS_TIMEOUT_MS = 5_000
/** For a name that is looked up only to refuse it early: whoever waits for that is a request of a site's administrator. */
const EARLY_DNS_TIMEOUT_MS = 2_000

export type Dial = (address: string, port: number) => Socket
/** `addresses`: those that are dialled; `all`: those that DNS gave. IPv4 first. */
export type Target = { url: URL; hostname: string; addresses: readonly string[]; all: readonly string[] }
export type Guard = { allowPrivate: boolean; resolve: Resolve; dial: Dial }

export const systemDial: Dial = (address, port) => connectTcp({ host: address, port, noDelay: true })

const unlessAllowed = 'A service on a network of its own allows it with SERVICE_ALLOW_PRIVATE_SITES=true.'

/** Why this address will never be asked, as far as it shows without DNS; null: nothing is in the way so far. */
export function neverAsked(text: string, allowPrivate: boolean): string | null {
  const guard = { allowPrivate }
  try {
    const { hostname } = parseUrl(guard, text, false)
    const host = hostname.replace(/^\[|\]$/g, '')
    const never = isIP(host) ? !allowed(guard, host) : !allowPrivate && isLocalName(host)
    return never ? `The service may not connect to ${host}. ${allowPrivate ? '' : unlessAllowed}`.trim() : null
  } catch (error) {
    if (error instanceof FetchError) return error.message
    throw error
  }
}

/** The same with what DNS says of its name. One that is not found in a short time is not judged: what dials it does that. */
export async function neverReached(guard: Guard, text: string): Promise<string | null> {
  const never = neverAsked(text, guard.allowPrivate)
  if (never !== null) return never
  try {
    await findTarget(guard, text, false, EARLY_DNS_TIMEOUT_MS)
    return null
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return error.reason === 'blocked_address' ? error.message : null
  }
}

/** Judges the URL and every address of its host: one that is refused refuses all. At most three are dialled. */
export async function findTarget(guard: Guard, text: string, plain = false, dnsMs = DNS_TIMEOUT_MS): Promise<Target> {
  const url = parseUrl(guard, text, plain)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const found = isIP(hostname) ? [hostname] : await resolveInTime(guard, hostname, dnsMs)
  if (found.length === 0) throw new FetchError('dns', 'The host name has no address.')
  if (!found.every((address) => allowed(guard, address))) {
    throw new FetchError(
      'blocked_address',
      `The host name leads to an address that the service may not connect to (private, local or reserved). ${guard.allowPrivate ? '' : unlessAllowed}`.trim(),
    )
  }
  const all = found.toSorted((a, b) => isIP(a) - isIP(b))
  return { url, hostname, addresses: all.slice(0, 3), all }
}

/** What opening a connection took; `tlsMs` null: there is no TLS. */
export type Opened = { connectMs: number; tlsMs: number | null; certificateEndsAt: Date | null }
/** `opened` is told of each connection. */
type Opening = { ca?: string; opened?: (by: Opened) => void }

/** An undici connector that dials one literal address, whatever the host name says by now. */
export function guardedConnector(guard: Guard, target: Target, address: string, { opened, ...tls }: Opening): buildConnector.connector {
  const secure = target.url.protocol === 'https:'
  const port = Number(target.url.port || (secure ? 443 : 80))
  return (_options, callback) => {
    const begin = async () => {
      const began = performance.now()
      const socket = await open(guard, address, port)
      const connectMs = performance.now() - began
      if (!secure) {
        opened?.({ connectMs, tlsMs: null, certificateEndsAt: null })
        return socket
      }
      const encrypted = (await encrypt(socket, target.hostname, tls)) as TLSSocket
      opened?.({ connectMs, tlsMs: performance.now() - began - connectMs, certificateEndsAt: certificateEnd(encrypted) })
      return encrypted
    }
    begin().then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    )
  }
}

/** Null where it tells no date. */
export function certificateEnd(socket: TLSSocket): Date | null {
  const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '')
  return Number.isNaN(ends) ? null : new Date(ends)
}

function parseUrl(guard: Pick<Guard, 'allowPrivate'>, text: string, plain: boolean): URL {
  const url = URL.parse(text)
  // A backslash or a control character is read differently by different parsers.
  if (!url || /[\\\p{Cc}\s]/u.test(text)) throw new FetchError('blocked_address', 'The address is not a proper URL.')
  if (url.username || url.password) throw new FetchError('blocked_address', 'The address must not contain a user name or password.')
  const schemes = guard.allowPrivate || plain ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) throw new FetchError('blocked_address', `The address must begin with https://. ${unlessAllowed}`)
  if (!guard.allowPrivate && !PORTS.has(url.port))
    throw new FetchError('blocked_address', `Only the ports 80, 443, 8080 and 8443 are allowed. ${unlessAllowed}`)
  return url
}

function allowed(guard: Pick<Guard, 'allowPrivate'>, address: string): boolean {
  return isPublicAddress(address) || (guard.allowPrivate && isPrivateAddress(address))
}

async function resolveInTime(guard: Guard, hostname: string, ms: number): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer from DNS')), ms)
  try {
    return await Promise.race([guard.resolve(hostname), late])
  } catch (error) {
    throw error instanceof FetchError ? error : new FetchError('dns', 'The host name could not be found in DNS.', error)
  } finally {
    clearTimeout(timer)
  }
}

function open(guard: Guard, address: string, port: number): Promise<Socket> {
  const socket = guard.dial(address, port)
  return settled(socket, 'connect', 'The server did not accept a connection.', () => {
    const peer = socket.remoteAddress ?? ''
    if (!sameAddress(peer, address) || !allowed(guard, peer)) {
      throw new FetchError('blocked_address', 'The connection led to another address than the one that was checked.')
    }
  })
}

/** A connection to the host of this address, for whoever says what is to be said over it. */
export async function openTunnel(guard: Guard, text: string): Promise<Socket> {
  const { url, addresses } = await findTarget(guard, text, true)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  let failed: unknown
  for (const address of addresses)
    try {
      return await open(guard, address, port)
    } catch (error) {
      if (!(error instanceof FetchError && error.reason === 'connect')) throw error
      failed = error
    }
  throw failed
}

/** Opens a connection to look at its encryption, whatever is wrong with it. Nothing may be sent over it. */
export async function openToInspect(guard: Guard, { url, hostname }: Target, address: string, tls: ConnectionOptions): Promise<TLSSocket> {
  const socket = await open(guard, address, Number(url.port || 443))
  return (await encrypt(socket, hostname, { ...tls, rejectUnauthorized: false })) as TLSSocket
}

function encrypt(socket: Socket, hostname: string, tls: ConnectionOptions): Promise<Socket> {
  const name = isIP(hostname) ? {} : { servername: hostname }
  const secure = connectTls({ socket, host: hostname, ...name, ...tls, ALPNProtocols: ['http/1.1'] })
  return settled(secure, 'secureConnect', 'No secure connection: the server’s TLS certificate or settings are not in order.', () => {})
}

/** Waits for `event`; on an error, a refusal by `check` or too long a silence the socket is destroyed. */
function settled(socket: Socket, event: 'connect' | 'secureConnect', failure: string, check: () => void): Promise<Socket> {
  const reason = event === 'connect' ? 'connect' : 'tls'
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  let isOpen = false
  const fail = (error: unknown) => {
    // Every connection ends some day; whoever uses it hears of that himself.
    if (isOpen) return
    clearTimeout(timer)
    socket.destroy()
    reject(error instanceof FetchError ? error : new FetchError(reason, failure, error))
  }
  const timer = setTimeout(() => fail(new Error('too long a silence')), CONNECT_TIMEOUT_MS)
  socket.once('error', fail)
  socket.once('close', () => fail(new Error('closed')))
  socket.once(event, () => {
    try {
      check()
      clearTimeout(timer)
      isOpen = true
      resolve(socket)
    } catch (error) {
      fail(error)
    }
  })
  return promise
}

function sameAddress(a: string, b: string): boolean {
  const [family, other] = [isIP(a), isIP(b)]
  if (family === 0 || family !== other) return false
  if (a === b) return true
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addAddress(b, type)
  return list.check(a, type)
}
