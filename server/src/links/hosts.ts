// Politeness: so many requests at a time to one host, and a pause between two.
import { setTimeout as sleep } from 'node:timers/promises'
import { Slots } from '../platform/slots.ts'

export interface Manners {
  /** To the site itself, and to any other host. */
  own: { atOnce: number; pauseMs: number }
  others: { atOnce: number; pauseMs: number }
  /** To all hosts together. */
  inAll: number
  timeoutMs: number
  /** How long a whole scan may take. */
  scanMs: number
}

export const usualManners: Manners = {
  own: { atOnce: 2, pauseMs: 150 },
  others: { atOnce: 1, pauseMs: 500 },
  inAll: 12,
  timeoutMs: 15_000,
  scanMs: 30 * 60_000,
}

/** In milliseconds. */
export interface Time {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

const usualTime: Time = { now: () => performance.now(), sleep: (ms, signal) => sleep(ms, undefined, { signal }) }

/** What all scans of a process share: to a host outside they are one visitor together. */
export class Outside {
  readonly slots: Slots
  readonly #time: Time
  /** From when on a host may be asked again. */
  readonly #free = new Map<string, number>()

  constructor({ others }: Manners, time = usualTime) {
    this.slots = new Slots(others.atOnce)
    this.#time = time
  }

  waitOf(host: string): number {
    return (this.#free.get(host) ?? Number.NEGATIVE_INFINITY) - this.#time.now()
  }

  /** Until it may be asked; others may have asked meanwhile. */
  async wait(host: string, signal: AbortSignal): Promise<void> {
    for (let ms = this.waitOf(host); ms > 0; ms = this.waitOf(host)) await this.#time.sleep(ms, signal)
  }

  /** Leaves a host alone for so long, and no shorter than was said before. */
  rest(host: string, ms: number): void {
    if (this.#free.size >= mostHosts) for (const [each] of this.#free) if (this.waitOf(each) <= 0) this.#free.delete(each)
    this.#free.set(host, this.#time.now() + Math.max(ms, this.waitOf(host)))
  }
}

const mostHosts = 10_000

/** Whoever waits for a host holds no place that another host could use. */
export class Hosts {
  readonly #manners: Manners
  readonly #ownHost: string
  readonly #signal: AbortSignal
  readonly #own: Slots
  readonly #outside: Outside
  readonly #all: Slots
  /** What the site asks for itself. */
  ownPauseMs: number

  constructor(manners: Manners, ownHost: string, signal: AbortSignal, outside = new Outside(manners)) {
    this.#manners = manners
    this.#ownHost = ownHost
    this.#signal = signal
    this.#own = new Slots(manners.own.atOnce)
    this.#outside = outside
    this.#all = new Slots(manners.inAll)
    this.ownPauseMs = manners.own.pauseMs
  }

  async turn<Answer>(url: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { host } = new URL(url)
    const isOwn = host === this.#ownHost
    const given = [await this.#take(isOwn ? this.#own : this.#outside.slots, host)]
    try {
      given.push(await this.#place(host, () => (isOwn ? this.ownPauseMs : this.#manners.others.pauseMs)))
      return await ask()
    } finally {
      for (const giveBack of given) giveBack()
    }
  }

  /** A place among all, at a moment at which nobody has asked this host just now; from then on it rests. */
  async #place(host: string, restMs: () => number): Promise<() => void> {
    for (;;) {
      await this.#outside.wait(host, this.#signal)
      const giveBack = await this.#take(this.#all, '')
      if (this.#outside.waitOf(host) <= 0) {
        this.#outside.rest(host, restMs())
        return giveBack
      }
      giveBack()
    }
  }

  /** Asked too often: this host alone is left in peace. */
  rest(url: string, ms: number): void {
    this.#outside.rest(new URL(url).host, ms)
  }

  async #take(slots: Slots, key: string): Promise<() => void> {
    const giveBack = await slots.take(key, this.#manners.scanMs, this.#signal)
    this.#signal.throwIfAborted()
    if (!giveBack) throw new Error('no turn came within the time of a whole scan')
    return giveBack
  }
}
