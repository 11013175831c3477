import { setTimeout as pause } from 'node:timers/promises'
import { mayBeItsSize } from '../../connector/ask.ts'
import { SiteError } from '../../connector/site-error.ts'

const SMALLEST = 64 * 1024
const LARGEST = 6 * 1024 * 1024
/** Of plain files: WordPress starts for each request, which takes longer than the bytes. */
export const LARGEST_OF_FILES = 8 * 1024 * 1024
const TRIES = 5
/** Answers of the present size before a larger one is tried: soon until the site failed once, carefully from then on. */
const EAGER = { answers: 2, growth: 1.5 }
const CAREFUL = { answers: 8, growth: 1.25 }
/** A site that needs longer gets no larger slices. */
const SLOW_MS = 2_000

/** How many bytes are asked for at a time: halved when the site fails, grown while it copes. */
export class SliceSize {
  bytes: number
  readonly #most: number
  #coped = 0
  #pace = EAGER

  constructor(bytes: number, most = LARGEST) {
    this.#most = most
    this.bytes = this.#clamp(bytes)
  }

  /** Asks with the present size; a failure that may pass, or be one of size, is met with smaller slices and growing pauses. */
  async ask<T>(signal: AbortSignal, request: (bytes: number) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      signal.throwIfAborted()
      const began = performance.now()
      try {
        const answer = await request(this.bytes)
        this.#cope(performance.now() - began)
        return answer
      } catch (error) {
        if (signal.aborted || tried === TRIES || !(mayPass(error) || (this.bytes > SMALLEST && isOfSize(error)))) throw error
        this.#coped = 0
        this.#pace = CAREFUL
        this.bytes = this.#clamp(this.bytes / 2)
        await pause(100 * 2 ** tried, undefined, { signal })
      }
    }
  }

  #cope(milliseconds: number): void {
    if (milliseconds > SLOW_MS) return
    this.#coped += 1
    if (this.#coped < this.#pace.answers) return
    this.#coped = 0
    this.bytes = this.#clamp(this.bytes * this.#pace.growth)
  }

  #clamp(bytes: number): number {
    return Math.round(Math.min(this.#most, Math.max(SMALLEST, bytes)))
  }
}

const mayPass = (error: unknown) => error instanceof Error && 'retryable' in error && error.retryable === true

const isOfSize = (error: unknown) => error instanceof SiteError && mayBeItsSize(error)
