// Talking to one site while something is at work there: once, patiently, or until it answers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AskOptions, Deps, SiteConnection } from '../connector/ask.ts'
import { call, type SliceVerb } from '../connector/call.ts'
import type { Params, Result, Verb } from '../connector/commands.ts'
import type { Door } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Here } from '../world.ts'
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

const timeoutMs = 30_000
const pauseMs = 1_000
const longestPauseMs = 3_000
const leastTries = 4
// The site is between two states, so nothing is given up before it has taken itself back.
const insistMs = 5 * 60_000

export class SiteClient {
  readonly wire: Deps
  readonly connection: SiteConnection
  /** Stops everything but what must be finished. */
  readonly signal: AbortSignal

  constructor(wire: Deps, connection: SiteConnection, signal: AbortSignal) {
    this.wire = wire
    this.connection = connection
    this.signal = signal
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
    return new this(here.wire, await connectionOf(here, site), signal)
  }

  /** The same site, whatever becomes of the job. */
  lasting(): SiteClient {
    return new SiteClient(this.wire, this.connection, new AbortController().signal)
  }

  /** One request, however it ends. */
  async once<V extends Plain>(verb: V, params: Params<V>, options: Once = {}): Promise<Result<V>> {
    return (await call(this.wire, this.connection, { verb, params }, { timeoutMs, ...options, retries: 0 })).result
  }

  /** Waits out a site that is busy or away for some seconds: asks again when the failure may pass. */
  async ask<V extends Plain>(verb: V, params: Params<V>, { patienceMs = 0, ...options }: Patient = {}): Promise<Result<V>> {
    const deadline = performance.now() + patienceMs
    for (let tries = 1; ; tries++) {
      this.signal.throwIfAborted()
      try {
        return (await call(this.wire, this.connection, { verb, params }, { timeoutMs, ...options })).result
      } catch (error) {
        if (!(error instanceof SiteError) || !error.retryable || (tries >= leastTries && performance.now() > deadline)) throw error
        await sleep(Math.min(pauseMs * tries, longestPauseMs), undefined, { signal: this.signal })
      }
    }
  }

  /** What must be finished: asks until the site answers or has taken itself back, also through the rescue door. Throws what the usual door said. */
  async insist<V extends Finishing>(verb: V, params: Params<V>, way: Way = WAYS[verb]): Promise<Result<V>> {
    const doors = this.#doors(way)
    const deadline = performance.now() + insistMs
    let failure: SiteError | undefined
    for (let tries = 0, hopeless = 0; ; tries++) {
      const door = doors[tries % doors.length] ?? this.#usual
      try {
        return await this.once(verb, params, { door })
      } catch (error) {
        if (!(error instanceof SiteError) || isFinal(error)) throw error
        if (door === this.#usual) failure = error
        hopeless = error.retryable ? 0 : hopeless + 1
        if (performance.now() > deadline || hopeless > 2 * doors.length) throw failure ?? error
        if (tries % doors.length === doors.length - 1) await sleep(pauseMs)
      }
    }
  }

  #doors(way: Way): Door[] {
    if (way === 'usual') return [this.#usual]
    const doors: Door[] = way === 'usual first' ? [this.#usual, 'rescue'] : ['rescue', this.#usual]
    return this.connection.alone ? [...doors, 'alone'] : doors
  }

  get #usual(): Door {
    return this.connection.door ?? 'front'
  }
}

/** The site has heard and said no; asking again would change nothing. */
const isFinal = ({ reason }: SiteError) => reason.startsWith('error:') && reason !== 'error:busy' && reason !== 'error:unknown_verb'
