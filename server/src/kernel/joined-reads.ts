import { setImmediate as breathe } from 'node:timers/promises'

/**
 * A question that is asked once at a time. Whoever asks while it runs joins the next one, which begins when that has ended and
 * serves all of them: so each answer holds every change from before it was asked for.
 */
export class JoinedRead<Answer> {
  #running: Promise<unknown> | undefined
  #next: Promise<Answer> | undefined

  ask(read: () => Promise<Answer>): Promise<Answer> {
    this.#next ??= this.#begin(read, this.#running)
    return this.#next
  }

  /** Nobody waits for an answer. */
  get idle(): boolean {
    return this.#running === undefined && this.#next === undefined
  }

  async #begin(read: () => Promise<Answer>, before: Promise<unknown> | undefined): Promise<Answer> {
    await Promise.resolve(before).catch(() => undefined)
    // Who has sent a request by now joins as well: it is read in this turn of the event loop.
    await breathe()
    this.#next = undefined
    const reading = read()
    this.#running = reading
    try {
      return await reading
    } finally {
      if (this.#running === reading) this.#running = undefined
    }
  }
}

/** Many of them, by what is asked. */
export class JoinedReads<Answer> {
  readonly #asked = new Map<string, JoinedRead<Answer>>()

  async ask(question: string, read: () => Promise<Answer>): Promise<Answer> {
    const one = this.#asked.get(question) ?? new JoinedRead<Answer>()
    this.#asked.set(question, one)
    try {
      return await one.ask(read)
    } finally {
      if (one.idle && this.#asked.get(question) === one) this.#asked.delete(question)
    }
  }
}
