import type { Client } from 'undici'
import { done } from './exchange.ts'

/** A connection that stays open from one request to the next of whoever made this, who also ends it. */
export class Line {
  #key = ''
  #client: Client | undefined

  to(key: string): Client | undefined {
    return key === this.#key ? this.#client : undefined
  }

  leave(key: string, client: Client): void {
    if (client !== this.#client) this.end()
    this.#key = key
    this.#client = client
  }

  end(): void {
    this.#client?.destroy(done, () => {})
    this.#client = undefined
  }
}
