// Whether it is us: a machine that has lost its own network sees every site down.

/** So many different servers at least must fail before their share says anything. */
const leastServers = 4
const share = 0.25
/** What counts as at once. */
const windowMs = 30_000
/** Trouble of ours is over when nothing was seen of it for so long. */
const calmMs = 20_000
/** Where the operator's probe answers, so many failing sites are believed after a while. */
const believedMs = 5 * 60_000

interface Try {
  at: number
  server: string
  failed: boolean
}

export class Network {
  #tries: Try[] = []
  #troubleSince: number | undefined
  #troubleAt = Number.NEGATIVE_INFINITY

  /** The first try of a check; `server` is an address, or the host where none was found. */
  note(at: Date, server: string, failed: boolean): void {
    this.#tries.push({ at: at.getTime(), server, failed })
  }

  /** Whether failures of now are to be put down to us; `probe`: asks what the operator has named, null where that is nothing. */
  async isOurs(now: Date, probe: (() => Promise<boolean>) | null): Promise<boolean> {
    const at = now.getTime()
    const answers = probe === null ? null : await probe()
    const many = this.#manyFail(at)
    if (answers === false || many) {
      this.#troubleSince ??= at
      this.#troubleAt = at
    }
    if (at - this.#troubleAt >= calmMs) this.#troubleSince = undefined
    if (this.#troubleSince === undefined) return false
    return !(answers === true && many && at - this.#troubleSince >= believedMs)
  }

  #manyFail(at: number): boolean {
    this.#tries = this.#tries.filter((each) => at - each.at < windowMs)
    const servers = new Map<string, boolean>()
    // A server with one site that answers is there.
    for (const { server, failed } of this.#tries) servers.set(server, (servers.get(server) ?? true) && failed)
    const failing = [...servers.values()].filter(Boolean).length
    return failing >= leastServers && failing > share * servers.size
  }
}
