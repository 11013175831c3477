import type { ReadFiles } from './file-reads.ts'

/** From here on packing and unpacking takes longer than what it saves on the way. */
const FAST_BYTES_PER_MS = 16_000
/** A smaller answer says more about the site than about the network. */
const TELLING_BYTES = 256 * 1024

/** Asks a site to pack what it sends, as long as its network is the slower part. */
export class WireSpeed {
  #isFast = false

  /** The site's own work counts as part of the way. */
  async read(read: ReadFiles, params: Parameters<ReadFiles>[0], signal: AbortSignal): ReturnType<ReadFiles> {
    const began = performance.now()
    const answer = await read({ ...params, plain: this.#isFast }, signal)
    const bytes = answer.items.reduce((sum, item) => sum + item.wire, 0)
    if (bytes >= TELLING_BYTES) this.#isFast = bytes / (performance.now() - began) >= FAST_BYTES_PER_MS
    return answer
  }
}
