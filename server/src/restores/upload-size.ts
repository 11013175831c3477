import { mayBeTheBody } from '../connector/ask.ts'
import type { Mode } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'

/** With its frame such a request stays below 1 MiB in either mode: every host takes it. */
const usual = 700 * 1024
/** A blob of a large file travels whole, and 1,000 pieces named in front of as many bytes stay below the 5 MiB of an upload. */
const largest = 4_608 * 1024
const smallest = 64 * 1024
const growth = 1.75

/** How many bytes go into one request: a host is offered more until it refuses, and then no more than it took before. */
export class UploadSize {
  bytes = usual
  /** What the host took; less than that is no matter of size. */
  proven = usual
  #most: number

  constructor(mode: Mode | undefined) {
    this.#most = mode === 'envelope' ? usual : largest
  }

  took(size: number): void {
    this.proven = Math.max(this.proven, size)
    // A request that was not filled proves nothing about a larger one.
    if (size * 2 > this.bytes) this.bytes = Math.min(this.#most, Math.max(this.bytes, Math.floor(this.proven * growth)))
  }

  /** Whether the failure is one of size, so that smaller requests may pass. */
  refused(size: number, error: unknown): boolean {
    if (!(error instanceof SiteError) || size <= smallest) return false
    const { reason, status = 0 } = error
    const isTooLarge = status === 413 || reason === 'refused:body'
    // What a firewall dislikes travels in an envelope, a third larger, and may then be too large for it.
    const isFiltered = mayBeTheBody(error) && status >= 400 && status < 500
    // What is cut off, or arrives empty because PHP's own limit is lower, may have been too large; what is smaller than what passed was not.
    const mayBe =
      reason === 'connect' ||
      (size > this.proven && (mayBeTheBody(error) || ['refused:digest', 'timeout', 'not_signed', 'http_status'].includes(reason)))
    if (!isTooLarge && !isFiltered && !mayBe) return false
    this.#most = size > this.proven ? this.proven : Math.max(smallest, Math.floor(size / 2))
    this.proven = Math.min(this.proven, this.#most)
    this.bytes = Math.min(this.bytes, this.#most)
    return true
  }
}
