// Asking a site again and again for what may be asked twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AskOptions, SiteConnection } from '../connector/ask.ts'
import { call, listFiles } from '../connector/call.ts'
import type { Params, Result, Verb } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Site } from '../sites/schema.ts'
import { connectionOf } from '../sites/talk.ts'
import type { World } from '../world.ts'

export type Here = World & { workspaceId: string }
export type Target = Pick<Site, 'id' | 'url' | 'status' | 'name'>
type Plain = Exclude<Verb, 'db.rows' | 'files.read'>

const budgetMs = 6_000
const pauseMs = 1_000
const triesOfAsk = 4
// The site is between two states, so nothing is given up before it has taken itself back.
const patienceMs = 5 * 60_000

/** One site during a restore. */
export class RestoreSite {
  readonly #here: Here
  readonly connection: SiteConnection
  /** Stops everything but what must be finished. */
  readonly #signal: AbortSignal

  constructor(here: Here, connection: SiteConnection, signal: AbortSignal) {
    this.#here = here
    this.connection = connection
    this.#signal = signal
  }

  static async open(here: Here, site: Target, signal: AbortSignal): Promise<RestoreSite> {
    return new RestoreSite(here, await connectionOf(here, site), signal)
  }

  /** The same site, whatever becomes of the job. */
  lasting(): RestoreSite {
    return new RestoreSite(this.#here, this.connection, new AbortController().signal)
  }

  /** Asks, and asks again for some seconds when the failure may pass. */
  async ask<V extends Plain>(verb: V, params: Params<V>, options: AskOptions = {}, most = triesOfAsk): Promise<Result<V>> {
    for (let tries = 1; ; tries++) {
      this.#signal.throwIfAborted()
      try {
        return (await call(this.#here.wire, this.connection, verb, params, { timeoutMs: 30_000, ...options })).result
      } catch (error) {
        if (!(error instanceof SiteError) || !error.retryable || tries >= most) throw error
        await sleep(pauseMs * tries, undefined, { signal: this.#signal })
      }
    }
  }

  /** Asks where the site is between two states: at the rescue door first, then at the usual one, until it answers or has taken itself back. */
  async insist<V extends 'restore.swap' | 'restore.rollback' | 'restore.commit' | 'restore.status'>(
    verb: V,
    params: Params<V>,
  ): Promise<Result<V>> {
    const usual = this.connection.door ?? 'front'
    const doors = verb === 'restore.commit' || verb === 'restore.status' ? [usual] : (['rescue', usual] as const)
    const deadline = performance.now() + patienceMs
    for (let tries = 0; ; tries++) {
      const door = doors[tries % doors.length] ?? usual
      try {
        return (await call(this.#here.wire, this.connection, verb, params, { door, timeoutMs: 30_000, retries: 0 })).result
      } catch (error) {
        const told =
          error instanceof SiteError &&
          error.reason.startsWith('error:') &&
          error.reason !== 'error:busy' &&
          error.reason !== 'error:unknown_verb'
        if (!(error instanceof SiteError) || told || performance.now() > deadline || (!error.retryable && tries >= 2 * doors.length))
          throw error
        if (tries % doors.length === doors.length - 1) await sleep(pauseMs)
      }
    }
  }

  /** Where the restore is, at whatever door answers. */
  async status(): Promise<Result<'restore.status'>> {
    try {
      return await this.insist('restore.status', {})
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      return (await call(this.#here.wire, this.connection, 'restore.status', {}, { door: 'rescue', retries: 0 })).result
    }
  }

  async *list(root: 'abspath' | 'content' | 'config'): AsyncGenerator<Result<'files.list'>['entries'][number], void, undefined> {
    let after: Result<'files.list'>['after'] = null
    for (;;) {
      this.#signal.throwIfAborted()
      const { result }: { result: Result<'files.list'> } = await listFiles(this.#here.wire, this.connection, {
        root,
        after,
        max_items: 5_000,
        budget_ms: budgetMs,
      })
      yield* result.entries
      if (result.done) return
      after = result.after
    }
  }
}
