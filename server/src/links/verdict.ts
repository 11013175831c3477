// What an answer says about a link.
import type { FetchError, FetchReason } from '../platform/fetch-error.ts'
import type { Reason } from './schema.ts'

/** What became of asking for one address. */
export type Verdict =
  | { is: 'ok'; status: number }
  /** `lasting`: it says so itself that it is not there; anything else may pass. `twice`: so it was when it was asked again, later in the scan. */
  | { is: 'dead'; status: number | null; reason: Reason; lasting: boolean; twice?: true }
  /** `status` null: it is an address that this service may not ask. */
  | { is: 'blocked'; status: number | null }

/** Statuses by which somebody does not let us look: sign-in, firewalls, too many questions, LinkedIn's own. */
const blocking: ReadonlySet<number> = new Set([401, 402, 403, 405, 406, 407, 421, 429, 451, 999])

export function verdictOf(status: number, headers: Record<string, string>): Verdict {
  if (status >= 200 && status < 400) return { is: 'ok', status }
  if (blocking.has(status) || (status === 503 && isFirewall(headers))) return { is: 'blocked', status }
  if (status === 404) return { is: 'dead', status, reason: 'not_found', lasting: true }
  if (status === 410) return { is: 'dead', status, reason: 'gone', lasting: true }
  if (status >= 500) return { is: 'dead', status, reason: 'server_error', lasting: false }
  return { is: 'dead', status, reason: 'client_error', lasting: false }
}

/** Firewalls and networks in front of a site say who they are. */
function isFirewall(headers: Record<string, string>): boolean {
  const names = ['cf-ray', 'cf-mitigated', 'x-sucuri-id', 'x-sucuri-block', 'x-iinfo', 'x-akamai-request-id', 'x-datadome', 'retry-after']
  return names.some((name) => name in headers) || /cloudflare|sucuri|imperva|akamai|ddos-guard|datadome/i.test(headers.server ?? '')
}

const reasons: Record<Exclude<FetchReason, 'blocked_address'>, Reason> = {
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  timeout: 'timeout',
  too_large: 'protocol',
  protocol: 'protocol',
}

/** Of a question without an answer. A name that does not exist is said so by DNS itself; all else may pass, or be our own trouble. */
export function silence({ reason, cause }: FetchError): Verdict {
  if (reason === 'blocked_address') return { is: 'blocked', status: null }
  const lasting = reason === 'dns' && cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND'
  return { is: 'dead', status: null, reason: reasons[reason], lasting }
}
