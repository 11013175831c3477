// Sites of one server fail together. Where one does not answer, a few others are looked at at once, and for each of those that fails a few more:
// so an outage is found, and told, as one, and a server with a single broken site is asked no more than that.

const fewAtOnce = 8
const mostAtOnce = 64
/** A site is looked at once because of the others; after so long without a failure there it is another outage. */
const overMs = 2 * 60_000

interface Episode {
  since: number
  seen: number
  wanted: number
  /** A site there answered since it was seen. */
  answered: boolean
}

/** Of so many sites at this address that were not looked at since then, the turn is now. */
export interface Hastened {
  address: string
  since: Date
  most: number
}

export class Ailing {
  readonly #servers = new Map<string, Episode>()

  /** A site there, which was up, does not answer since then. */
  note(address: string, since: Date): void {
    const at = since.getTime()
    const known = this.#servers.get(address) ?? { since: at, seen: at, wanted: 0, answered: false }
    const from = known.answered ? at : Math.min(known.since, at)
    this.#servers.set(address, { since: from, seen: at, wanted: known.wanted + fewAtOnce, answered: false })
  }

  answered(address: string): void {
    const known = this.#servers.get(address)
    if (known) known.answered = true
  }

  /** What is wanted since it was taken last. */
  take(now: Date): Hastened[] {
    const taken: Hastened[] = []
    for (const [address, episode] of this.#servers) {
      if (episode.wanted > 0) taken.push({ address, since: new Date(episode.since), most: Math.min(episode.wanted, mostAtOnce) })
      episode.wanted = 0
      if (now.getTime() - episode.seen >= overMs) this.#servers.delete(address)
    }
    return taken
  }
}
