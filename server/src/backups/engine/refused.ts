// What a site answers for a table that its database cannot read.
import { SiteError } from '../../connector/site-error.ts'

/** Why such a table is left out. */
export const UNREADABLE = 'the site’s database cannot read it'

/** It cannot be read, or is gone meanwhile, and then is not among those of the next look. */
export const isRefused = (error: unknown) => error instanceof SiteError && ['error:failed', 'error:bad_request'].includes(error.reason)

/** What a site fails at once may pass: a lock, a deadlock, a connection that was ended. */
export const twice =
  <Asked, Answer>(ask: (params: Asked, signal: AbortSignal) => Promise<Answer>) =>
  (params: Asked, signal: AbortSignal): Promise<Answer> =>
    ask(params, signal).catch((error: unknown) => {
      if (!isRefused(error)) throw error
      return ask(params, signal)
    })
