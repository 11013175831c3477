// Talking to one site while something is at work there: once, patiently, or until it answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AskOptions, type Deps, isBlocked, probe, type SiteConnection } from '../connector/ask.ts'
import { call, type SliceVerb } from '../connector/call.ts'
import type { Hello, Params, Result, Verb } from '../connector/commands.ts'
import { DOORS, type Door, type Mode } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import type { Here } from '../world.ts'
import { fetchWith } from './access.ts'
import type { Site } from './schema.ts'
import { connectionOf } from './talk.ts'

type Plain = Exclude<Verb, SliceVerb>
type Once = Omit<AskOptions, 'retries' | 'probe'>
type Patient = Omit<AskOptions, 'probe'> & {
  /** For how long it is asked again, where four times are over sooner. */
  patienceMs?: number
}

/** At which doors: the usual one alone, or that and the rescue door in turn. */
type Way = 'usual' | 'usual first' | 'rescue first'
/** What must be finished, whatever state WordPress is in. */
const WAYS = {
  'updates.status': 'usual first',
  'updates.rollback': 'rescue first',
  'updates.release': 'usual',
  'restore.status': 'usual first',
  'restore.swap': 'rescue first',
  'restore.rollback': 'rescue first',
  'restore.commit': 'usual',
} as const satisfies Partial<Record<Plain, Way>>
type Finishing = keyof typeof WAYS
type Insisting = { way?: Way; patienceMs?: number }

const timeoutMs = 30_000
const pauseMs = 1_000
const longestPauseMs = 3_000
const leastTries = 4
// The site is between two states, so nothing is given up before it has taken itself back.
const insistMs = 5 * 60_000
// A site that is away as a whole is not asked at every door each second.
const searchAgainMs = 15_000

export class SiteClient {
  readonly wire: Deps
  readonly connection: SiteConnection
  /** For its public pages. */
  readonly pages: GuardedFetch
  /** Stops everything but what must be finished. */
  readonly signal: AbortSignal
  /** Where another door is looked for when the usual one is shut. */
  readonly doors: readonly Door[]
  #remembered: Pick<SiteConnection, 'door' | 'mode'>
  #searched = Number.NEGATIVE_INFINITY

  constructor(wire: Deps, connection: SiteConnection, signal: AbortSignal, doors: readonly Door[] = DOORS) {
    this.wire = wire
    this.connection = connection
    this.pages = fetchWith(wire.fetch, connection, connection.headers)
    this.signal = signal
    this.doors = doors
    this.#remembered = { door: connection.door, mode: connection.mode }
  }

  static async open<Client extends SiteClient>(
    this: new (
      wire: Deps,
      connection: SiteConnection,
      signal: AbortSignal,
    ) => Client,
    here: Here,
    site: Pick<Site, 'id'>,
    signal: AbortSignal,
  ): Promise<Client> {
    const connection = await connectionOf(here, site)
    return new this(here.wire, connection, signal)
  }

  /** The same site, whatever becomes of the job. */
  lasting(): SiteClient {
    return new SiteClient(this.wire, this.connection, new AbortController().signal, this.doors)
  }

  /** One request, however it ends. */
  async once<V extends Plain>(verb: V, params: Params<V>, options: Once = {}): Promise<Result<V>> {
    return (await call(this.wire, this.connection, { verb, params }, { timeoutMs, ...options, retries: 0 })).result
  }

  /** Finds a door that answers, and asks there from now on. */
  async search(doors: readonly Door[]): Promise<Hello> {
    const found = await probe(this.wire, this.connection, doors)
    this.use(found)
    return found.hello
  }

  /** Asks at this door from now on. */
  use({ door, mode, skewSeconds }: { door: Door; mode: Mode; skewSeconds: number }): void {
    Object.assign(this.connection, { door, mode, skewSeconds })
    if (door !== 'standing') this.#remembered = { door, mode }
  }

  /** WordPress itself shall answer: at the door that was remembered, or another one of its own. */
  async hello(): Promise<Hello> {
    if (this.#usual === 'standing') Object.assign(this.connection, this.#remembered)
    try {
      return await this.once('hello', {})
    } catch (error) {
      if (!isBlocked(error)) throw error
      return this.search(DOORS)
    }
  }

  /** True where the door was shut and another one is open. Not more often than now and then. */
  async #foundAnother(error: SiteError): Promise<boolean> {
    if (!isBlocked(error) || performance.now() - this.#searched < searchAgainMs) return false
    try {
      const { door, mode, skewSeconds } = this.connection
      await this.search(this.doors)
      return door !== this.connection.door || mode !== this.connection.mode || skewSeconds !== this.connection.skewSeconds
    } catch (failure) {
      if (!(failure instanceof SiteError)) throw failure
      return false
    } finally {
      this.#searched = performance.now()
    }
  }

  /** Waits out a site that is busy or away for some seconds: asks again when the failure may pass. */
  async ask<V extends Plain>(verb: V, params: Params<V>, { patienceMs = 0, ...options }: Patient = {}): Promise<Result<V>> {
    const deadline = performance.now() + patienceMs
    for (let tries = 1; ; tries++) {
      this.signal.throwIfAborted()
      try {
        return (await call(this.wire, this.connection, { verb, params }, { timeoutMs, ...options })).result
      } catch (error) {
        if (!(error instanceof SiteError)) throw error
        if (!options.door && (await this.#foundAnother(error))) continue
        if (!error.retryable || (tries >= leastTries && performance.now() > deadline)) throw error
        await sleep(Math.min(pauseMs * tries, longestPauseMs), undefined, { signal: this.signal })
      }
    }
  }

  /** What must be finished: asks until the site answers or has taken itself back, also through the rescue door. Throws what the usual door said. */
  async insist<V extends Finishing>(
    verb: V,
    params: Params<V>,
    { way = WAYS[verb], patienceMs = insistMs }: Insisting = {},
  ): Promise<Result<V>> {
    const deadline = performance.now() + patienceMs
    let failure: SiteError | undefined
    for (let tries = 0, hopeless = 0; ; tries++) {
      const doors = this.#doors(way)
      const door = doors[tries % doors.length] ?? this.#usual
      const isLast = tries % doors.length === doors.length - 1
      try {
        return await this.once(verb, params, { door })
      } catch (error) {
        if (!(error instanceof SiteError) || isFinal(error)) throw error
        if (door === this.#usual) failure = error
        hopeless = error.retryable ? 0 : hopeless + 1
        if (isLast && (await this.#foundAnother(failure ?? error))) continue
        if (performance.now() > deadline || hopeless > 2 * doors.length) throw failure ?? error
        if (isLast) await sleep(pauseMs)
      }
    }
  }

  #doors(way: Way): Door[] {
    if (way === 'usual') return [this.#usual]
    const doors: Door[] = way === 'usual first' ? [this.#usual, 'rescue'] : ['rescue', this.#usual]
    if (this.connection.alone) doors.push('alone')
    if (this.connection.standing && this.#usual !== 'standing' && this.doors.includes('standing')) doors.push('standing')
    return doors
  }

  get #usual(): Door {
    return this.connection.door ?? 'front'
  }
}

/** The site has heard and said no; asking again would change nothing. */
const isFinal = ({ reason }: SiteError) => reason.startsWith('error:') && reason !== 'error:busy' && reason !== 'error:unknown_verb'
