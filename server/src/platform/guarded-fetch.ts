// The one client for every outbound request. It follows no redirects, uses no proxy, and reads no more and no longer than it is told.
import type { Socket } from 'node:net'
import { Client, Pool } from 'undici'
import { type Answer, type Asked, done, exchange } from './exchange.ts'
import { FetchError } from './fetch-error.ts'
import {
  type Dial,
  findTarget,
  type Guard,
  guardedConnector,
  neverReached,
  type Opened,
  openTunnel,
  systemDial,
  type Target,
} from './guarded-connect.ts'
import { type InspectTls, inspectTls } from './inspect-tls.ts'
import type { Line } from './line.ts'
import { type Resolve, systemResolve } from './lookups.ts'
import { type OutboundLimits, openOutboundTurns } from './outbound-turns.ts'

const IDLE_POOL_MS = 15_000

export type GuardedRequest = Asked & {
  url: string
  /** On whose behalf; each party has a limit of its own, so that a slow server of one does not keep the others waiting. */
  party?: string
  /** Plain http to a public address is allowed, so nothing secret may be in it. */
  plain?: boolean
  /** Over a connection of its own, so that the answer's `timings` can tell what each part took. */
  timed?: boolean
  /** The connection of one that is `timed` is left open here, for the next one to the same server that is not. */
  line?: Line
}
/** What each part of a request took. `tlsMs` null: there was none; `waitMs`: from the request sent to the first byte of its answer. */
export type Timings = { dnsMs: number; connectMs: number; tlsMs: number | null; waitMs: number; totalMs: number }
export type GuardedResponse = Answer & {
  address: string
  /** Of a request that is `timed`. */
  timings?: Timings
  /** All addresses that DNS gave, of which one was asked. */
  addresses: readonly string[]
  /** When the certificate ends; of a request that is `timed`, where there is one. */
  certificateEndsAt?: Date
}
/** Throws a FetchError; every HTTP status, redirects too, is an answer. */
export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>

/** A connection to the host of an address, judged as every request is. Throws a FetchError. */
export type OpenTunnel = (url: string) => Promise<Socket>

/** Why an address will never be asked, as far as it and DNS tell in a short time; null: nothing is in the way so far. */
export type NeverReached = (url: string) => Promise<string | null>

export type GuardedFetchOptions = {
  /** Loopback and private addresses, plain http and any port. */
  allowPrivate?: boolean
  limits?: Partial<OutboundLimits>
  /** Trusted besides the public authorities' certificates, PEM. */
  ca?: string
  resolve?: Resolve
  dial?: Dial
  /** Aborted: requests are given up, and those after it too. They throw its reason, which is no failure of whom they asked. */
  givenUp?: AbortSignal
}

const settings = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 32 * 1024, allowH2: false }

type Kept = { pool: Pool; active: number; idleSince: number }
type Tls = { ca?: string }

/** Connections that are kept for the next request to the same server; those that nobody used for a while are ended. */
class Pools {
  readonly #connectorTo: (target: Target, address: string) => ReturnType<typeof guardedConnector>
  readonly #connections: number
  readonly #kept = new Map<string, Kept>()
  #swept = 0

  constructor(guard: Guard, tls: Tls, connections: number) {
    this.#connectorTo = (target, address) => guardedConnector(guard, target, address, tls)
    this.#connections = connections
  }

  async exchange(request: GuardedRequest, target: Target, address: string): Promise<Answer> {
    const kept = this.#to(target, address)
    kept.active++
    try {
      return await exchange(kept.pool, target.url, request)
    } finally {
      kept.active--
      kept.idleSince = performance.now()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ pool }) => pool.destroy()))
    this.#kept.clear()
  }

  #to(target: Target, address: string): Kept {
    this.#sweep()
    const key = keyOf(target, address)
    const known = this.#kept.get(key)
    if (known) return known
    const connect = this.#connectorTo(target, address)
    const pool = new Pool(target.url.origin, { connect, ...settings, connections: this.#connections })
    const kept = { pool, active: 0, idleSince: performance.now() }
    this.#kept.set(key, kept)
    return kept
  }

  #sweep(): void {
    const oldest = performance.now() - IDLE_POOL_MS
    if (this.#swept > oldest) return
    this.#swept = performance.now()
    for (const [key, { pool, active, idleSince }] of this.#kept) {
      if (active > 0 || idleSince > oldest) continue
      this.#kept.delete(key)
      pool.destroy(() => {})
    }
  }
}

const keyOf = ({ url }: Target, address: string) => `${url.origin} ${address}`

class GuardedClient {
  readonly #guard: Guard
  readonly #tls: Tls
  readonly #turn: ReturnType<typeof openOutboundTurns>
  readonly #pools: Pools

  constructor(guard: Guard, tls: Tls, limits: OutboundLimits) {
    this.#guard = guard
    this.#tls = tls
    this.#turn = openOutboundTurns(limits)
    this.#pools = new Pools(guard, tls, limits.together)
  }

  async fetch(request: GuardedRequest): Promise<GuardedResponse> {
    const began = performance.now()
    const target = await findTarget(this.#guard, request.url, request.plain)
    const dnsMs = performance.now() - began
    let taken = false
    const asked = observe(request, () => {
      taken = true
    })
    for (const [index, address] of target.addresses.entries()) {
      try {
        return await this.#via(address, asked, target, dnsMs)
      } catch (error) {
        if (!(error instanceof FetchError)) throw error
        error.addresses = target.all
        // What took the beginning of an answer cannot take another one.
        const another = index + 1 < target.addresses.length && !taken
        if (!(error.reason === 'connect' && another)) throw error
      }
    }
    throw new FetchError('connect', 'The server did not accept a connection.')
  }

  close(): Promise<void> {
    return this.#pools.close()
  }

  async #via(address: string, request: GuardedRequest, target: Target, dnsMs: number): Promise<GuardedResponse> {
    const giveBack = await this.#turn(request.party ?? '', address, request.timeoutMs)
    try {
      if (!giveBack) throw new FetchError('timeout', 'Too many requests to this server were waiting for their turn.', undefined, true)
      const isAlone = request.timed || request.line
      const answer = await (isAlone ? this.#alone(address, request, target, dnsMs) : this.#pools.exchange(request, target, address))
      return { ...answer, address, addresses: target.all }
    } finally {
      giveBack?.()
    }
  }

  async #alone(address: string, request: GuardedRequest, target: Target, dnsMs: number) {
    const { timed, line } = request
    const key = keyOf(target, address)
    let by: Opened = { connectMs: 0, tlsMs: null, certificateEndsAt: null }
    const opened = (one: Opened) => {
      by = one
    }
    const connect = () => guardedConnector(this.#guard, target, address, { ...this.#tls, opened })
    const client = (timed ? undefined : line?.to(key)) ?? new Client(target.url.origin, { connect: connect(), ...settings })
    try {
      const answer = await exchange(client, target.url, request)
      const { connectMs, tlsMs, certificateEndsAt } = by
      const waitMs = Math.max(0, answer.latencyMs - answer.bodyMs - connectMs - (tlsMs ?? 0))
      const timings = { dnsMs, connectMs, tlsMs, waitMs, totalMs: dnsMs + answer.latencyMs }
      return { ...answer, timings, ...(certificateEndsAt && { certificateEndsAt }) }
    } finally {
      if (line) line.leave(key, client)
      else client.destroy(done, () => {})
    }
  }
}

/** Make one for the whole process; `close` ends its connections. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): {
  fetch: GuardedFetch
  inspect: InspectTls
  tunnel: OpenTunnel
  neverReached: NeverReached
  close: () => Promise<void>
} {
  const { allowPrivate = false, resolve = systemResolve, dial = systemDial, givenUp } = options
  const limits = { perAddress: 4, perParty: 128, together: 16, inAll: 256, ...options.limits }
  const guard: Guard = { allowPrivate, resolve, dial }
  const tls: Tls = options.ca === undefined ? {} : { ca: options.ca }
  const client = new GuardedClient(guard, tls, limits)
  return {
    async fetch(request) {
      try {
        return await client.fetch(givenUp ? { signal: givenUp, ...request } : request)
      } catch (error) {
        givenUp?.throwIfAborted()
        throw error
      }
    },
    inspect: (url, now) => inspectTls(guard, tls, url, now),
    tunnel: (url) => openTunnel(guard, url),
    neverReached: (url) => neverReached(guard, url),
    close: () => client.close(),
  }
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
