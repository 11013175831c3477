import type { SiteSaid, Why } from './site-said.ts'

/** Every way a request can fail on purpose: the HTTP status, the exit code of `svc`, the title, whether trying again may help, and what to do next. */
export const problems = {
  invalid_payload: {
    status: 400,
    exit: 2,
    title: 'Invalid payload',
    retryable: false,
    next: 'Correct what is named.',
  },
  unauthenticated: {
    status: 401,
    exit: 3,
    title: 'Missing or invalid token',
    retryable: false,
    next: 'Send a token that was not revoked and has not expired: Authorization: Bearer svc_…',
  },
  insufficient_scope: {
    status: 403,
    exit: 3,
    title: 'Not allowed',
    retryable: false,
    next: 'Ask an owner of the workspace for a token, or for a role, that may do this.',
  },
  confirmation_required: {
    status: 403,
    exit: 3,
    title: 'Show again that it is you',
    retryable: true,
    next: 'Show again who you are in the dashboard, with what the message names, and ask again.',
  },
  not_found: {
    status: 404,
    exit: 4,
    title: 'Not found',
    retryable: false,
    next: 'Look for the right id in the list that it comes from.',
  },
  method_not_allowed: {
    status: 405,
    exit: 2,
    title: 'Method not allowed',
    retryable: false,
    next: 'Use a method that the header Allow names.',
  },
  request_timeout: {
    status: 408,
    exit: 1,
    title: 'The request took too long to arrive',
    retryable: true,
    next: 'Send it again, in one go.',
  },
  conflict: {
    status: 409,
    exit: 5,
    title: 'Conflict',
    retryable: true,
    next: 'Look at how things are now, and ask again where it is still needed.',
  },
  damaged: {
    status: 409,
    exit: 5,
    title: 'Damaged',
    retryable: false,
    next: 'Choose another backup: list_backups (GET /sites/{site_id}/backups) shows them.',
  },
  payload_too_large: {
    status: 413,
    exit: 2,
    title: 'Payload too large',
    retryable: false,
    next: 'Send less at once.',
  },
  range_not_satisfiable: {
    status: 416,
    exit: 2,
    title: 'Range not satisfiable',
    retryable: false,
    next: 'Ask for a range within the whole length, or for all of it.',
  },
  unsupported_media_type: {
    status: 415,
    exit: 2,
    title: 'Unsupported media type',
    retryable: false,
    next: 'Send JSON, with Content-Type: application/json.',
  },
  idempotency_mismatch: {
    status: 422,
    exit: 5,
    title: 'Idempotency key used for another request',
    retryable: false,
    next: 'Take a new key for another request.',
  },
  rate_limited: {
    status: 429,
    exit: 7,
    title: 'Too many requests',
    retryable: true,
    next: 'Wait as long as Retry-After says, then ask again.',
  },
  headers_too_large: {
    status: 431,
    exit: 2,
    title: 'Headers too large',
    retryable: false,
    next: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    exit: 1,
    title: 'Something broke on our side',
    retryable: true,
    next: 'Ask again once; if it stays, give the request id to the operator.',
  },
  unavailable: {
    status: 503,
    exit: 1,
    title: 'Not available right now',
    retryable: true,
    next: 'Ask again in a few seconds.',
  },
  site_unreachable: {
    status: 502,
    exit: 6,
    title: 'The site could not be reached',
    retryable: true,
    next: 'See that the site is up; get_site (GET /sites/{site_id}) tells what stood in the way last.',
  },
  site_refused: {
    status: 502,
    exit: 6,
    title: 'The site refused',
    retryable: false,
    next: 'Mend on the site what it refused for; get_site (GET /sites/{site_id}) tells what stood in the way last.',
  },
  site_failed: {
    status: 502,
    exit: 6,
    title: 'The site failed',
    retryable: true,
    next: 'Look for its PHP errors with get_errors (GET /errors), then ask again.',
  },
  site_timeout: {
    status: 504,
    exit: 6,
    title: 'The site did not answer in time',
    retryable: true,
    next: 'Ask again when the site is less busy.',
  },
} as const

export type Code = keyof typeof problems

/** What to do instead where the same will not be let through another time. */
const nextOfFinal: Partial<Record<Code, string>> = {
  conflict: 'Look at how things are now, and do what they allow: as they are, this is refused each time.',
  rate_limited: 'Do less at once.',
  internal: 'Give the request id to the operator.',
  unavailable: 'Have the operator mend what stands in the way.',
  site_failed: 'Look for its PHP errors with get_errors (GET /errors).',
  site_timeout: 'See why the site takes so long; get_site (GET /sites/{site_id}) tells what stood in the way last.',
}

/** One thing wrong with one field; `path` is dotted, empty for the payload as a whole. */
export interface FieldError {
  path: string
  message: string
  /** What could have been meant. May be names that a site gave: data, and so never in the message. */
  candidates?: readonly string[]
}

interface Details {
  errors?: FieldError[]
  /** Seconds to wait before trying again. */
  retryAfter?: number
  /** Overrides the table: a refusal that will not change, or one that will. */
  retryable?: boolean
  /** What to do about this one, where what helps with others of its code does not. */
  next?: string
  siteSaid?: SiteSaid | null
  /** The work had changed a site, and put it back as it was. */
  takenBack?: boolean
  cause?: unknown
}

/** An expected failure. `message` is safe to show to whoever asked and ours alone: a site's words go in `siteSaid`, anything secret in `cause`. */
export class Problem extends Error implements Why {
  readonly code: Code
  readonly errors: FieldError[] | undefined
  readonly retryAfter: number | undefined
  readonly retryable: boolean
  readonly next: string
  readonly siteSaid: SiteSaid | null
  readonly takenBack: boolean

  constructor(code: Code, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.errors = details.errors
    this.retryAfter = details.retryAfter
    this.retryable = details.retryable ?? problems[code].retryable
    this.next = details.next ?? ((!this.retryable && nextOfFinal[code]) || problems[code].next)
    this.siteSaid = details.siteSaid ?? null
    this.takenBack = details.takenBack ?? false
  }
}

/** What broke, as a Problem; an unexpected error becomes `internal` and keeps its secrets in `cause`. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('internal', 'Something broke on our side. The request id finds it in the logs.', { cause: error })
}

/** One field of the input that is well formed, and not right all the same. */
export const wrongField = (path: string, message: string): Problem =>
  new Problem('invalid_payload', 'Some fields are not valid.', { errors: [{ path, message }] })

/** The body of an error answer, RFC 9457. */
export function problemDetails(problem: Problem, requestId: string) {
  const { status, title } = problems[problem.code]
  return {
    type: `urn:svc:problem:${problem.code}`,
    title,
    status,
    detail: problem.message,
    next: problem.next,
    code: problem.code,
    ...(problem.siteSaid && { site_said: problem.siteSaid }),
    ...(problem.errors && { errors: problem.errors }),
    request_id: requestId,
  }
}
