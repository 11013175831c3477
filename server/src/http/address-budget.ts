import { networkOf } from '../platform/network.ts'

/** What is counted of one address; of those that came last, so that strangers cannot fill our memory. */
export class ByAddress<Count> {
  readonly #since = new Map<string, { at: number; count: Count }>()
  readonly #fresh: () => Count
  readonly #now: () => number
  readonly #most: number

  constructor(fresh: () => Count, now = () => performance.now(), most = 10_000) {
    this.#fresh = fresh
    this.#now = now
    this.#most = most
  }

  get size(): number {
    return this.#since.size
  }

  /** The count of this address if it has one: it began at most a minute ago. */
  find(address: string): Count | undefined {
    if (this.#since.size === 0) return undefined
    const found = this.#since.get(networkOf(address))
    return found && this.#now() - found.at < minuteMs ? found.count : undefined
  }

  get(address: string): Count {
    const found = this.find(address)
    if (found !== undefined) return found
    const key = networkOf(address)
    this.#since.delete(key)
    const [oldest] = this.#since.keys()
    if (this.#since.size >= this.#most && oldest !== undefined) this.#since.delete(oldest)
    const count = this.#fresh()
    this.#since.set(key, { at: this.#now(), count })
    return count
  }
}

const minuteMs = 60_000

/** At most so many calls from one address in a minute; false for one too many. */
export function addressBudget(most: number, now?: () => number): (address: string) => boolean {
  const counts = new ByAddress(() => ({ calls: 0 }), now)
  return (address) => ++counts.get(address).calls <= most
}
