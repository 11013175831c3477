// Why an outbound request did not end in an answer.
export type FetchReason = 'blocked_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'too_large' | 'protocol'

/** `message` is a plain sentence without text from the other side. */
export class FetchError extends Error {
  readonly reason: FetchReason

  constructor(reason: FetchReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
