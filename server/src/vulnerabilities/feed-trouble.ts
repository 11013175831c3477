/** Why a feed could not be used; the message is for the operator and says nothing secret. */
export class FeedTrouble extends Error {
  /** Seconds the other side wants to be left alone. */
  readonly retryAfter: number | undefined

  constructor(message: string, details: { cause?: unknown; retryAfter?: number | undefined } = {}) {
    super(message, { cause: details.cause })
    this.retryAfter = details.retryAfter
  }
}
