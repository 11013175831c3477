// At most so many at a time: one line for each key, first come, first served.
/** Those of one key. */
interface Line {
  /** When each began that holds a slot. */
  began: number[]
  /** What lets each begin who waits. */
  waiting: (() => void)[]
  /** Nobody who waits begins before this. */
  restUntil: number
  timer?: NodeJS.Timeout
}

/** How fast those of a key may follow each other. */
export interface Pace {
  /** Milliseconds from now until one more may begin beside those that began then; Infinity: when one of them has ended. */
  untilNext(key: string, began: readonly number[], now: number): number
  /** Milliseconds that those who wait let pass after a slot was held so long. */
  restAfter(key: string, heldMs: number): number
}

export class Slots {
  readonly #pace: Pace
  readonly #mostWaiting: number
  readonly #now: () => number
  readonly #lines = new Map<string, Line>()

  constructor(limit: number | Pace, mostWaiting = Number.POSITIVE_INFINITY, now = () => performance.now()) {
    this.#pace = typeof limit === 'number' ? atMost(limit) : limit
    this.#mostWaiting = mostWaiting
    this.#now = now
  }

  /** The function that gives the slot back, at once where one is free; undefined when none became free within `waitMs`, too many wait already, or `signal` aborted. */
  take(key: string, waitMs: number, signal?: AbortSignal): (() => void) | Promise<(() => void) | undefined> {
    const line = this.#lines.get(key) ?? { began: [], waiting: [], restUntil: 0 }
    this.#lines.set(key, line)
    if (line.waiting.length === 0 && this.#untilNext(key, line) <= 0) return this.#begin(key, line)
    return this.#wait(key, line, waitMs, signal)
  }

  #begin(key: string, line: Line): () => void {
    const began = this.#now()
    line.began.push(began)
    let held = true
    return () => {
      if (held) this.#end(key, line, began)
      held = false
    }
  }

  #wait(key: string, line: Line, waitMs: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined> {
    if (line.waiting.length >= this.#mostWaiting || signal?.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const end = (slot: (() => void) | undefined) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        resolve(slot)
      }
      // It begins before its promise is heard, so that nobody can slip in between.
      const start = () => end(this.#begin(key, line))
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(start), 1)
        end(undefined)
      }
      const timer = setTimeout(giveUp, waitMs)
      signal?.addEventListener('abort', giveUp)
      line.waiting.push(start)
      this.#startNext(key, line)
    })
  }

  #end(key: string, line: Line, began: number): void {
    const now = this.#now()
    line.began.splice(line.began.indexOf(began), 1)
    if (line.waiting.length > 0) line.restUntil = now + this.#pace.restAfter(key, now - began)
    this.#startNext(key, line)
    this.#tidy(key, line)
  }

  #startNext(key: string, line: Line): void {
    while (line.waiting.length > 0) {
      const ms = Math.max(this.#untilNext(key, line), line.restUntil - this.#now())
      if (ms > 0) {
        this.#startLater(key, line, ms)
        return
      }
      line.waiting.shift()?.()
    }
  }

  #startLater(key: string, line: Line, ms: number): void {
    clearTimeout(line.timer)
    if (ms === Number.POSITIVE_INFINITY) return
    line.timer = setTimeout(() => {
      this.#startNext(key, line)
      this.#tidy(key, line)
    }, ms)
  }

  #tidy(key: string, { began, waiting, timer }: Line): void {
    if (began.length > 0 || waiting.length > 0) return
    // It would take away the line that comes after this one, and those who hold a slot of that would count no more.
    clearTimeout(timer)
    this.#lines.delete(key)
  }

  #untilNext(key: string, { began }: Line): number {
    return began.length === 0 ? 0 : this.#pace.untilNext(key, began, this.#now())
  }
}

const atMost = (limit: number): Pace => ({
  untilNext: (_key, { length }) => (length < limit ? 0 : Number.POSITIVE_INFINITY),
  restAfter: () => 0,
})
