import type { ReadFiles } from './file-reads.ts'

/** From here on packing and unpacking takes longer than what it saves on the way: PHP packs 100 MB in a second, to a quarter at best. */
const FAST_BYTES_PER_MS = 40_000
/** A smaller answer tells nothing about the network. */
const TELLING_BYTES = 256 * 1024

/** Asks a site to pack what it sends, as long as its network is the slower part. */
export class WireSpeed {
  #isFast = false

  async read(read: ReadFiles, params: Parameters<ReadFiles>[0], signal: AbortSignal): ReturnType<ReadFiles> {
    const answer = await read({ ...params, plain: this.#isFast }, signal)
    const bytes = answer.items.reduce((sum, item) => sum + item.wire, 0)
    if (bytes >= TELLING_BYTES) this.#isFast = bytes / answer.bodyMs >= FAST_BYTES_PER_MS
    return answer
  }
}
