import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'

/** Who polls comes back within so long, to be served together by the next question. */
const REST_MS = 1

/**
 * A question that is asked once at a time. Whoever asks while it runs joins the next one, which begins when that has ended and
 * serves all of them: so each answer holds every change from before it was asked for. After a question that served several the
 * next one waits a moment for them; whoever asks alone never waits.
 */
export class JoinedRead<Answer> {
  /** Until it has ended, and rested; it never fails. */
  #running: Promise<void> | undefined
  #next: Promise<Answer> | undefined
  /** Who waits for the next one. */
  #joined = 0
  readonly #idle: () => void
  readonly #rest: () => Promise<void>

  /** `idle` is called when nobody waits for an answer any more. */
  constructor(idle: () => void = () => undefined, rest: () => Promise<void> = () => pause(REST_MS)) {
    this.#idle = idle
    this.#rest = rest
  }

  ask(read: () => Promise<Answer>): Promise<Answer> {
    this.#joined += 1
    this.#next ??= this.#begin(read)
    return this.#next
  }

  async #begin(read: () => Promise<Answer>): Promise<Answer> {
    await this.#running
    // Who has sent a request by now joins as well: it is read in this turn of the event loop.
    await breathe()
    const joined = this.#joined
    this.#joined = 0
    this.#next = undefined
    const reading = Promise.resolve().then(read)
    this.#running = this.#end(reading, joined)
    return reading
  }

  async #end(reading: Promise<Answer>, joined: number): Promise<void> {
    await reading.catch(() => undefined)
    if (joined > 1) await this.#rest()
    this.#running = undefined
    if (this.#next === undefined) this.#idle()
  }
}

/** Many of them, by what is asked. */
export class JoinedReads<Answer> {
  readonly #asked = new Map<string, JoinedRead<Answer>>()
  readonly #rest: (() => Promise<void>) | undefined

  constructor(rest?: () => Promise<void>) {
    this.#rest = rest
  }

  /** How many questions run, rest or are waited for. */
  get size(): number {
    return this.#asked.size
  }

  ask(question: string, read: () => Promise<Answer>): Promise<Answer> {
    const one = this.#asked.get(question) ?? new JoinedRead<Answer>(() => this.#asked.delete(question), this.#rest)
    this.#asked.set(question, one)
    return one.ask(read)
  }
}
