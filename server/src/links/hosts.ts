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

/** Whoever waits for a host holds no place that another host could use. */
export class Hosts {
  readonly #manners: Manners
  readonly #ownHost: string
  readonly #signal: AbortSignal
  readonly #own: Slots
  readonly #others: Slots
  readonly #all: Slots
  /** From when on a host may be asked again. */
  readonly #free = new Map<string, number>()
  /** What the site asks for itself. */
  ownPauseMs: number

  constructor(manners: Manners, ownHost: string, signal: AbortSignal) {
    this.#manners = manners
    this.#ownHost = ownHost
    this.#signal = signal
    this.#own = new Slots(manners.own.atOnce)
    this.#others = new Slots(manners.others.atOnce)
    this.#all = new Slots(manners.inAll)
    this.ownPauseMs = manners.own.pauseMs
  }

  async turn<Answer>(url: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { host } = new URL(url)
    const isOwn = host === this.#ownHost
    const given = [await this.#take(isOwn ? this.#own : this.#others, host)]
    try {
      const wait = (this.#free.get(host) ?? 0) - performance.now()
      if (wait > 0) await sleep(wait, undefined, { signal: this.#signal })
      given.push(await this.#take(this.#all, ''))
      this.#free.set(host, performance.now() + (isOwn ? this.ownPauseMs : this.#manners.others.pauseMs))
      return await ask()
    } finally {
      for (const giveBack of given) giveBack()
    }
  }

  /** Asked too often: this host alone is left in peace. */
  rest(url: string, ms: number): void {
    this.#free.set(new URL(url).host, performance.now() + ms)
  }

  async #take(slots: Slots, key: string): Promise<() => void> {
    const giveBack = await slots.take(key, this.#manners.scanMs, this.#signal)
    this.#signal.throwIfAborted()
    if (!giveBack) throw new Error('no turn came within the time of a whole scan')
    return giveBack
  }
}
