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

/** What all scans of a process share: to a host outside they are one visitor together. */
export class Outside {
  readonly slots: Slots
  /** From when on a host may be asked again. */
  readonly #free = new Map<string, number>()

  constructor({ others }: Manners) {
    this.slots = new Slots(others.atOnce)
  }

  waitOf(host: string): number {
    return (this.#free.get(host) ?? 0) - performance.now()
  }

  /** Leaves a host alone for so long, and no shorter than was said before. */
  rest(host: string, ms: number): void {
    if (this.#free.size >= mostHosts) for (const [each] of this.#free) if (this.waitOf(each) <= 0) this.#free.delete(each)
    this.#free.set(host, performance.now() + Math.max(ms, this.waitOf(host)))
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
      const wait = this.#outside.waitOf(host)
      if (wait > 0) await sleep(wait, undefined, { signal: this.#signal })
      given.push(await this.#take(this.#all, ''))
      this.#outside.rest(host, isOwn ? this.ownPauseMs : this.#manners.others.pauseMs)
      return await ask()
    } finally {
      for (const giveBack of given) giveBack()
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
