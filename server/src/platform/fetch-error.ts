// Why an outbound request did not end in an answer.
export type FetchReason = 'blocked_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'too_large' | 'protocol'

/** `message` is a plain sentence without text from the other side. */
export class FetchError extends Error {
  readonly reason: FetchReason
  /** It was never sent, because no turn was free: that says nothing about the other side. */
  readonly unsent: boolean
  /** All addresses that DNS gave, as far as it came to that. */
  addresses: readonly string[] = []

  constructor(reason: FetchReason, message: string, cause?: unknown, unsent = false) {
    super(message, { cause })
    this.reason = reason
    this.unsent = unsent
  }
}
