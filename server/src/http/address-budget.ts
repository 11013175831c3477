import { isIPv6 } from 'node:net'

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
    const found = this.#since.get(keyOf(address))
    return found && this.#now() - found.at < minuteMs ? found.count : undefined
  }

  get(address: string): Count {
    const found = this.find(address)
    if (found !== undefined) return found
    const key = keyOf(address)
    this.#since.delete(key)
    const [oldest] = this.#since.keys()
    if (this.#since.size >= this.#most && oldest !== undefined) this.#since.delete(oldest)
    const count = this.#fresh()
    this.#since.set(key, { at: this.#now(), count })
    return count
  }
}

const minuteMs = 60_000

/** Whoever has one IPv6 address has the other 2^64 of its network as well. */
function keyOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('%', 1).join().split('::')
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (v4 !== undefined) return v4
  const first = head === '' ? [] : head.split(':')
  const gap = tail === undefined ? [] : Array(8 - first.length - (tail === '' ? 0 : tail.split(':').length)).fill('0')
  return [...first, ...gap, ...(tail ?? '').split(':')]
    .slice(0, 4)
    .map((each) => Number.parseInt(each || '0', 16))
    .join(':')
}

/** At most so many calls from one address in a minute; false for one too many. */
export function addressBudget(most: number, now?: () => number): (address: string) => boolean {
  const counts = new ByAddress(() => ({ calls: 0 }), now)
  return (address) => ++counts.get(address).calls <= most
}
