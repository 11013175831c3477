// The one client for every outbound request. It follows no redirects, uses no proxy, and reads no more and no longer than it is told.
import { Readable } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'
import { discard } from './discard.ts'
import { FetchError } from './fetch-error.ts'
import {
  type Dial,
  findTarget,
  type Guard,
  guardedConnector,
  type Resolve,
  systemDial,
  systemResolve,
  type Target,
} from './guarded-connect.ts'
import { type InspectTls, inspectTls } from './inspect-tls.ts'
import { type OutboundLimits, openOutboundTurns } from './outbound-turns.ts'

const IDLE_POOL_MS = 15_000
const WINDOW_MS = 30_000
const MIN_BYTES_PER_WINDOW = 30 * 1024

export type GuardedRequest = {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Whole, or its parts in order, which are sent as they are. */
  body?: Buffer | readonly Buffer[]
  /** More bytes of body than this end the request. */
  maxBytes: number
  timeoutMs: number
  /** Takes the body of the answer piece by piece; it is then not kept, and `body` is empty. */
  into?: (piece: Buffer) => Promise<void>
  /** Aborted: the request is given up. */
  signal?: AbortSignal
  /** Instead, no more than `maxBytes` are read, and that is the answer. */
  cut?: boolean
  /** On whose behalf; each party has a limit of its own, so that a slow server of one does not keep the others waiting. */
  party?: string
  /** Plain http to a public address is allowed, so nothing secret may be in it. */
  plain?: boolean
}
/** `bodyMs`: from the headers to the last byte. */
export type GuardedResponse = {
  status: number
  headers: Record<string, string>
  body: Buffer
  address: string
  latencyMs: number
  bodyMs: number
}
/** Throws a FetchError; every HTTP status, redirects too, is an answer. */
export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>

export type GuardedFetchOptions = {
  /** Loopback and private addresses, plain http and any port. */
  allowPrivate?: boolean
  limits?: Partial<OutboundLimits>
  /** Trusted besides the public authorities' certificates, PEM. */
  ca?: string
  resolve?: Resolve
  dial?: Dial
}

type Kept = { pool: Pool; active: number; idleSince: number }

/** Make one for the whole process; `close` ends its connections. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): {
  fetch: GuardedFetch
  inspect: InspectTls
  close: () => Promise<void>
} {
  const { allowPrivate = false, resolve = systemResolve, dial = systemDial } = options
  const limits = { perAddress: 4, perParty: 128, together: 16, inAll: 256, ...options.limits }
  const guard: Guard = { allowPrivate, resolve, dial }
  const tls = options.ca === undefined ? {} : { ca: options.ca }
  const turn = openOutboundTurns(limits)
  const pools = new Map<string, Kept>()
  let swept = 0

  async function fetch(request: GuardedRequest): Promise<GuardedResponse> {
    const target = await findTarget(guard, request.url, request.plain)
    let taken = false
    const asked = observe(request, () => {
      taken = true
    })
    for (const [index, address] of target.addresses.entries()) {
      try {
        return await viaAddress(asked, target, address)
      } catch (error) {
        // What took the beginning of an answer cannot take another one.
        const another = index + 1 < target.addresses.length && !taken
        if (!(error instanceof FetchError && error.reason === 'connect' && another)) throw error
      }
    }
    throw new FetchError('connect', 'The server did not accept a connection.')
  }

  async function viaAddress(request: GuardedRequest, target: Target, address: string): Promise<GuardedResponse> {
    const giveBack = await turn(request.party ?? '', address, request.timeoutMs)
    const kept = keptPool(target, address)
    kept.active++
    try {
      if (!giveBack) throw new FetchError('timeout', 'Too many requests to this server were waiting for their turn.')
      return { ...(await exchange(kept.pool, target.url, request)), address }
    } finally {
      kept.active--
      kept.idleSince = performance.now()
      giveBack?.()
    }
  }

  function keptPool(target: Target, address: string): Kept {
    sweep()
    const key = `${target.url.origin} ${address}`
    const known = pools.get(key)
    if (known) return known
    const connect = guardedConnector(guard, target, address, tls)
    const settings = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 32 * 1024, connections: limits.together, allowH2: false }
    const kept = { pool: new Pool(target.url.origin, { connect, ...settings }), active: 0, idleSince: performance.now() }
    pools.set(key, kept)
    return kept
  }

  function sweep(): void {
    const oldest = performance.now() - IDLE_POOL_MS
    if (swept > oldest) return
    swept = performance.now()
    for (const [key, { pool, active, idleSince }] of pools) {
      if (active > 0 || idleSince > oldest) continue
      pools.delete(key)
      pool.destroy(() => {})
    }
  }

  async function close(): Promise<void> {
    await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
    pools.clear()
  }

  return { fetch, inspect: (url, now) => inspectTls(guard, tls, url, now), close }
}

/** The same request; `begun` is called before a piece of the answer is handed on. */
function observe(request: GuardedRequest, begun: () => void): GuardedRequest {
  const { into } = request
  if (!into) return request
  const handOn = (piece: Buffer) => {
    begun()
    return into(piece)
  }
  return { ...request, into: handOn }
}

async function exchange(pool: Pool, url: URL, request: GuardedRequest): Promise<Omit<GuardedResponse, 'address'>> {
  const start = performance.now()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new FetchError('timeout', 'The server did not answer in time.')), request.timeoutMs)
  try {
    const { method } = request
    const path = `${url.pathname}${url.search}`
    const signal = request.signal ? AbortSignal.any([late.signal, request.signal]) : late.signal
    const response = await pool.request({ method, path, ...bodyOf(request), signal })
    const headed = performance.now()
    const bytes = await readCapped(response, request, late)
    const ended = performance.now()
    const times = { latencyMs: Math.round(ended - start), bodyMs: ended - headed }
    return { status: response.statusCode, headers: flat(response.headers), body: bytes, ...times }
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : asFetchError(error)
  } finally {
    clearTimeout(timer)
  }
}

async function readCapped(response: Dispatcher.ResponseData, request: GuardedRequest, late: AbortController): Promise<Buffer> {
  const { method, maxBytes, cut = false, into } = request
  const announced = Number(response.headers['content-length'] ?? 0)
  const isEmpty = method === 'HEAD' || into !== undefined || !(announced <= maxBytes)
  const room = Buffer.allocUnsafeSlow(isEmpty ? 0 : announced)
  const chunks: Buffer[] = []
  let size = 0
  let before = 0
  const pace = setInterval(() => {
    if (size - before < MIN_BYTES_PER_WINDOW) late.abort(new FetchError('timeout', 'The answer came too slowly.'))
    before = size
  }, WINDOW_MS)
  const limit = (bytes: number) => {
    if (bytes <= maxBytes) return
    // Ends the connection too; otherwise the rest would keep coming.
    late.abort(new FetchError('too_large', `The answer is larger than ${maxBytes} bytes.`))
    throw late.signal.reason
  }
  try {
    if (method !== 'HEAD' && !cut) limit(announced)
    for await (const chunk of response.body) {
      if (!cut) limit(size + chunk.length)
      const { length } = chunk
      if (into) await into(chunk)
      else if (size + length <= room.length) keep(chunk, room, size)
      else chunks.push(chunk)
      size += length
      // Leaving the loop ends the connection.
      if (cut && size >= maxBytes) break
    }
    const whole = chunks.length === 0 ? room.subarray(0, size) : Buffer.concat([room.subarray(0, size - lengthOf(chunks)), ...chunks])
    return cut ? whole.subarray(0, maxBytes) : whole
  } finally {
    clearInterval(pace)
  }
}

function bodyOf({ headers = {}, body }: GuardedRequest) {
  if (!body || Buffer.isBuffer(body)) return { headers, body: body ?? null }
  return { headers: { ...headers, 'content-length': String(lengthOf(body)) }, body: Readable.from(body) }
}

/** What was read from the network is given back at once, unless the parser has more of it. */
function keep(chunk: Buffer, room: Buffer, at: number): void {
  chunk.copy(room, at)
  discard(chunk)
}

const lengthOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

/** A header that was sent twice becomes one value with a comma, which no strict shape accepts. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new FetchError('too_large', 'The headers of the answer are too large.', error)
  const garbled = error instanceof Error && error.name === 'HTTPParserError'
  if (garbled) return new FetchError('protocol', 'The server did not answer in HTTP.', error)
  return new FetchError('connect', 'The connection broke off before the answer was complete.', error)
}
