// At most so many at a time: one counter for each key, first come, first served.
type Waiter = { start: () => void }

export class Slots {
  readonly #limit: number
  readonly #mostWaiting: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Map<string, Waiter[]>()

  constructor(limit: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    this.#mostWaiting = mostWaiting
  }

  /** Resolves to the function that gives the slot back; to undefined when none became free within `waitMs`, too many wait already, or `signal` aborted. */
  async take(key: string, waitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#limit && !(await this.#wait(key, waitMs, signal))) return undefined
    if (taken < this.#limit) this.#taken.set(key, taken + 1)
    let held = true
    return () => {
      if (held) this.#giveBack(key)
      held = false
    }
  }

  #wait(key: string, waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const queue = this.#waiting.get(key) ?? []
    if (queue.length >= this.#mostWaiting || signal?.aborted) return Promise.resolve(false)
    this.#waiting.set(key, queue)
    return new Promise((resolve) => {
      const end = (started: boolean) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        resolve(started)
      }
      const waiter = { start: () => end(true) }
      const giveUp = () => {
        queue.splice(queue.indexOf(waiter), 1)
        end(false)
      }
      const timer = setTimeout(giveUp, waitMs)
      signal?.addEventListener('abort', giveUp)
      queue.push(waiter)
    })
  }

  /** The slot goes straight to the next in the queue, so that nobody can slip in between. */
  #giveBack(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) {
      next.start()
      return
    }
    this.#waiting.delete(key)
    const taken = (this.#taken.get(key) ?? 1) - 1
    if (taken > 0) this.#taken.set(key, taken)
    else this.#taken.delete(key)
  }
}
