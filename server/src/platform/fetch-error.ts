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

/** Whether there was a connection and the other side, or something on the way, broke it. */
export function brokeOff(error: unknown): boolean {
  if (!(error instanceof FetchError && error.reason === 'connect' && error.cause instanceof Error)) return false
  return 'code' in error.cause && /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String(error.cause.code))
}
