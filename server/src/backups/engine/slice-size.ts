import { setTimeout as pause } from 'node:timers/promises'

const SMALLEST = 64 * 1024
const LARGEST = 2 * 1024 * 1024
const TRIES = 5
const PATIENCE = 8

/** How many bytes are asked for at a time: halved when the site fails, grown slowly while it copes. */
export class SliceSize {
  bytes: number
  #coped = 0

  constructor(bytes: number) {
    this.bytes = clamp(bytes)
  }

  /** Asks with the present size; a failure that may pass is met with smaller slices and growing pauses. */
  async ask<T>(signal: AbortSignal, request: (bytes: number) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      signal.throwIfAborted()
      try {
        const answer = await request(this.bytes)
        this.#cope()
        return answer
      } catch (error) {
        if (signal.aborted || tried === TRIES || !mayPass(error)) throw error
        this.#coped = 0
        this.bytes = clamp(this.bytes / 2)
        await pause(100 * 2 ** tried, undefined, { signal })
      }
    }
  }

  #cope(): void {
    this.#coped += 1
    if (this.#coped < PATIENCE) return
    this.#coped = 0
    this.bytes = clamp(this.bytes * 1.25)
  }
}

const clamp = (bytes: number) => Math.round(Math.min(LARGEST, Math.max(SMALLEST, bytes)))

const mayPass = (error: unknown) => error instanceof Error && 'retryable' in error && error.retryable === true
