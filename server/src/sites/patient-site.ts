// Asking a site again and again for what may be asked twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AskOptions, SiteConnection } from '../connector/ask.ts'
import { call, type SliceVerb } from '../connector/call.ts'
import type { Params, Result, Verb } from '../connector/commands.ts'
import type { Door } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Here } from '../world.ts'

export type Plain = Exclude<Verb, SliceVerb>

const pauseMs = 1_000
const triesOfAsk = 4
// The site is between two states, so nothing is given up before it has taken itself back.
const patienceMs = 5 * 60_000

/** One site while something is at work there. */
export class PatientSite {
  protected readonly here: Here
  readonly connection: SiteConnection
  /** Stops everything but what must be finished. */
  protected readonly signal: AbortSignal

  constructor(here: Here, connection: SiteConnection, signal: AbortSignal) {
    this.here = here
    this.connection = connection
    this.signal = signal
  }

  /** Asks, and asks again for some seconds when the failure may pass. */
  async ask<V extends Plain>(verb: V, params: Params<V>, options: AskOptions = {}, most = triesOfAsk): Promise<Result<V>> {
    for (let tries = 1; ; tries++) {
      this.signal.throwIfAborted()
      try {
        return (await call(this.here.wire, this.connection, verb, params, { timeoutMs: 30_000, ...options })).result
      } catch (error) {
        if (!(error instanceof SiteError) || !error.retryable || tries >= most) throw error
        await sleep(pauseMs * tries, undefined, { signal: this.signal })
      }
    }
  }

  /** Asks where the site is between two states, at these doors in turn, until it answers or has taken itself back. */
  protected async insistAt<V extends Plain>(doors: readonly Door[], verb: V, params: Params<V>): Promise<Result<V>> {
    const deadline = performance.now() + patienceMs
    for (let tries = 0; ; tries++) {
      const door = doors[tries % doors.length] ?? this.usual
      try {
        return (await call(this.here.wire, this.connection, verb, params, { door, timeoutMs: 30_000, retries: 0 })).result
      } catch (error) {
        if (!(error instanceof SiteError) || isFinal(error) || performance.now() > deadline) throw error
        if (!error.retryable && tries >= 2 * doors.length) throw error
        if (tries % doors.length === doors.length - 1) await sleep(pauseMs)
      }
    }
  }

  protected get usual(): Door {
    return this.connection.door ?? 'front'
  }
}

/** The site has heard and said no; asking again would change nothing. */
const isFinal = ({ reason }: SiteError) => reason.startsWith('error:') && reason !== 'error:busy' && reason !== 'error:unknown_verb'
