// At most so many at a time: one counter for each key, first come, first served.
type Waiter = { start: () => void }

export class Slots {
  readonly #limit: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Map<string, Waiter[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Resolves to the function that gives the slot back; to undefined when none became free within `waitMs`. */
  async take(key: string, waitMs: number): Promise<(() => void) | undefined> {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#limit && !(await this.#wait(key, waitMs))) return undefined
    if (taken < this.#limit) this.#taken.set(key, taken + 1)
    let held = true
    return () => {
      if (held) this.#giveBack(key)
      held = false
    }
  }

  #wait(key: string, waitMs: number): Promise<boolean> {
    const queue = this.#waiting.get(key) ?? []
    this.#waiting.set(key, queue)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1)
        resolve(false)
      }, waitMs)
      const waiter = {
        start: () => {
          clearTimeout(timer)
          resolve(true)
        },
      }
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
