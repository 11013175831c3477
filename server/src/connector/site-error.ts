// Why a site could not be asked. What went wrong at a site is never our failure, and its message names what stands in the way.
import type { SiteSaid, Why } from '../kernel/site-said.ts'
import type { Door, Mode } from './doors.ts'
import type { Refusal } from './shapes.ts'

export type SiteErrorCode = 'site_unreachable' | 'site_timeout' | 'site_refused' | 'site_failed'
export type VerbError = 'bad_request' | 'not_found' | 'unknown_verb' | 'fence' | 'busy' | 'failed'
export type SiteReason =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'redirect'
  | 'http_status'
  | 'html_instead_of_json'
  | 'challenge_page'
  | 'login_wall'
  | 'security_plugin'
  | 'not_signed'
  | 'bad_signature'
  | 'clock'
  | 'clone'
  | 'too_large'
  | 'malformed'
  | 'blocked_address'
  | `refused:${Refusal | 'salts'}`
  | `error:${VerbError}`

export type DoorReport = { door: Door; mode: Mode; reason: SiteReason; message: string }

type Details = {
  retryable?: boolean
  status?: number
  location?: string
  siteSaid?: SiteSaid | null
  doors?: readonly DoorReport[]
  cause?: unknown
}

const CODES: Partial<Record<SiteReason, SiteErrorCode>> = {
  dns: 'site_unreachable',
  connect: 'site_unreachable',
  tls: 'site_unreachable',
  blocked_address: 'site_unreachable',
  timeout: 'site_timeout',
  bad_signature: 'site_failed',
  too_large: 'site_failed',
  malformed: 'site_failed',
}

const RETRYABLE: ReadonlySet<SiteReason> = new Set(['connect', 'timeout', 'error:busy'])

/** `message` is ours alone. */
export class SiteError extends Error implements Why {
  readonly code: SiteErrorCode
  readonly reason: SiteReason
  readonly retryable: boolean
  readonly status: number | undefined
  /** Where a redirect leads, cleaned. */
  readonly location: string | undefined
  /** In the site’s own words, where it gave any. */
  readonly siteSaid: SiteSaid | null
  /** What each door said, when all were tried. */
  readonly doors: readonly DoorReport[]

  constructor(reason: SiteReason, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.code = siteErrorCode(reason, details.status)
    this.reason = reason
    this.retryable = details.retryable ?? (RETRYABLE.has(reason) || isTransient(reason, details.status))
    this.status = details.status
    this.location = details.location
    this.siteSaid = details.siteSaid ?? null
    this.doors = details.doors ?? []
  }
}

function siteErrorCode(reason: SiteReason, status: number | undefined): SiteErrorCode {
  if (reason.startsWith('error:')) return 'site_failed'
  if (reason === 'http_status' && status !== undefined && status >= 500) return 'site_failed'
  return CODES[reason] ?? 'site_refused'
}

function isTransient(reason: SiteReason, status: number | undefined): boolean {
  return reason === 'http_status' && [429, 500, 502, 503, 504].includes(status ?? 0)
}
