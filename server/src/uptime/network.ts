// Whether it is us: a machine that has lost its own network sees every site down.

/** So many different servers at least must fail before their share says anything; of fewer, all. */
const leastServers = 4
const share = 0.25
/** Trouble of ours is over when nothing was seen of it for so long. */
const calmMs = 20_000
/** Where the operator's probe answers all the while, so many failing sites are believed after so long. */
export const believedMs = 5 * 60_000
/** They still fail where they are seen to in one of their next turns: so long at least, and so many of their intervals. */
const goesOnMs = 150_000
const goesOnTurns = 2.5
const mostServers = 20_000

/** A page of a server that is asked whether it is there, and on whose behalf. */
export interface Page {
  url: string
  party: string
}

interface Try {
  at: number
  failed: boolean
  page: Page | undefined
}

/** `since`: when a site that was up began to fail; null: it was down. `answers`: whether what the operator has named did all the while; null where that is nothing. */
export interface Failure {
  since: Date | null
  answers: boolean | null
  /** How often its site is looked at. */
  everyMs: number
}

export class Network {
  /** The newest try at each server, the one that was asked last behind all others. */
  readonly #servers = new Map<string, Try>()
  #troubleAt = Number.NEGATIVE_INFINITY
  /** Too many fail since then, and the probe was never silent. */
  #manySince: number | undefined
  /** Unless that is seen again by then, it is over. */
  #manyUntil = Number.NEGATIVE_INFINITY

  /** The first try of a check that tells something: an answer, or no answer of a site that was up. `server` is an address, or the host where none was found. */
  note(at: Date, server: string, failed: boolean, page?: Page): void {
    const known = this.#servers.get(server)
    if (known !== undefined && known.at > at.getTime()) return
    this.#servers.delete(server)
    this.#servers.set(server, { at: at.getTime(), failed, page: page ?? known?.page })
    if (this.#servers.size > mostServers) for (const oldest of this.#servers.keys()) return void this.#servers.delete(oldest)
  }

  /** Servers that were not asked since then; those of whom that is the shortest time ago. */
  witnesses(since: Date, most: number): { server: string; page: Page }[] {
    return [...this.#servers]
      .flatMap(([server, { at, page }]) => (at >= since.getTime() || page === undefined ? [] : [{ server, page }]))
      .slice(-most)
  }

  /** What is known to be down is no witness until it answers. */
  believe(server: string): void {
    this.#servers.delete(server)
  }

  /** Whether failures of now are to be put down to us. */
  isOurs(now: Date, failures: readonly Failure[]): boolean {
    const at = now.getTime()
    const answers = failures.map((each) => each.answers)
    const isCut = answers.includes(false)
    const many = failures.filter(({ since }) => since !== null && this.#manyFail(since.getTime()))
    if (isCut || many.length > 0) this.#troubleAt = at
    if (isCut || at >= this.#manyUntil) this.#manySince = undefined
    if (!isCut && many.length > 0) {
      this.#manySince ??= at
      this.#manyUntil = at + Math.max(goesOnMs, goesOnTurns * Math.min(...many.map(({ everyMs }) => everyMs)))
    }
    if (!this.isTroubled(now)) return false
    const believed = answers.every((each) => each === true) && this.#manySince !== undefined && at - this.#manySince >= believedMs
    return !believed
  }

  isTroubled(now: Date): boolean {
    return now.getTime() - this.#troubleAt < calmMs
  }

  /** What answered before the failure began proves nothing about the time since then. */
  #manyFail(since: number): boolean {
    let [asked, failing] = [0, 0]
    for (const { at, failed } of this.#servers.values()) {
      if (at < since) continue
      asked++
      if (failed) failing++
    }
    return failing >= Math.min(leastServers, Math.max(2, asked)) && failing > share * asked
  }
}
