// One look at a site from outside: what it answered, what each part took, and whether that is as it should be.
import { FetchError, type FetchReason } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse, Timings } from '../platform/guarded-fetch.ts'
import { unpacked } from '../platform/unpack.ts'
import { bareDomain } from '../sites/address.ts'
import type { ErrorKind, Settings } from './schema.ts'

/** What is asked for, and what is expected of it. */
export type Expected = Pick<Settings, 'path' | 'statuses' | 'text_wanted' | 'text_refused'> & { home: string }

/** `error` null: it is up. `addresses`: of the host that was asked first, as far as it came to that. */
export interface ProbeResult {
  status: number
  error: { kind: ErrorKind; message: string } | null
  timings: Timings | null
  addresses: readonly string[]
  certificateEndsAt: Date | null
  /** No request was sent, because no turn was free: it says nothing. */
  unsent: boolean
}

const timeoutMs = 10_000
const readBytes = 128 * 1024
const mostRedirects = 3
/** In the place of a page, sometimes with a 200. */
const broken = [
  ['Error establishing a database connection', 'The page says that WordPress has no connection to its database.'],
  ['There has been a critical error on this website', 'The page says that there has been a critical error.'],
] as const
/** Where an error page is longer than this, its words are those of somebody who writes about errors. */
const longestErrorPage = 16 * 1024

export async function probe(fetch: GuardedFetch, expected: Expected, signal: AbortSignal): Promise<ProbeResult> {
  let url = `${expected.home.replace(/\/+$/, '')}${expected.path}`
  let first: readonly string[] | undefined
  try {
    for (let hops = 0; ; hops++) {
      const answer = await ask(fetch, url, signal, isPastTls(url, expected.home))
      first ??= known(answer.addresses)
      const next = hops < mostRedirects ? redirectOf(answer, url) : null
      if (next === null) return { ...seen(answer, judge(answer.status, await unpacked(answer, readBytes), expected)), addresses: first }
      url = next
    }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const { reason, unsent } = error
    const failure = { kind: kindOf[reason], message: wordsOf(error) }
    return { status: 0, error: failure, timings: null, addresses: first ?? known(error.addresses), certificateEndsAt: null, unsent }
  }
}

/** Servers that do not know of the TLS in front of them lead past it, and from there back: nothing secret goes along. */
export const isPastTls = (url: string, home: string) => url.startsWith('http:') && home.startsWith('https:')

/** As everybody asks who keeps watch: it says who it is, takes what a cache has, and reads no more than it needs. */
export const ask = (fetch: GuardedFetch, url: string, signal: AbortSignal, plain = false) =>
  fetch({
    ...{ method: 'GET', url, maxBytes: readBytes, cut: true, timeoutMs, timed: true, plain, signal },
    headers: { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'identity', 'user-agent': 'ServiceUptime/1.0' },
  })

function seen(answer: GuardedResponse, error: ProbeResult['error']): Omit<ProbeResult, 'addresses'> {
  const { status, timings = null, certificateEndsAt = null } = answer
  return { status, error, timings, certificateEndsAt, unsent: false }
}

/** In whatever order DNS turns them, and however many it gives. */
const known = (addresses: readonly string[]) => addresses.toSorted().slice(0, 50)

/** Followed on the same host, with www or without; a site that leads elsewhere answers. */
function redirectOf({ status, headers: { location } }: GuardedResponse, from: string): string | null {
  if (status < 300 || status >= 400 || location === undefined) return null
  const [here, next] = [new URL(from), URL.parse(location, from)]
  return next && bareDomain(next.host) === bareDomain(here.host) ? next.href : null
}

function judge(status: number, body: Buffer, { statuses, text_wanted, text_refused }: Expected): ProbeResult['error'] {
  const content = (message: string) => ({ kind: 'content' as const, message })
  const failure = body.length <= longestErrorPage ? broken.find(([words]) => body.includes(words)) : undefined
  if (failure) return content(failure[1])
  const isGood = statuses ? statuses.includes(status) : status < 500
  if (!isGood) return { kind: 'http', message: `The site answers with ${status}.` }
  if (text_wanted !== null && !body.includes(text_wanted)) return content('The page does not have the text that is expected on it.')
  if (text_refused !== null && body.includes(text_refused)) return content('The page has the text that must not be on it.')
  return null
}

const kindOf: Record<FetchReason, ErrorKind> = {
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  timeout: 'timeout',
  too_large: 'protocol',
  protocol: 'protocol',
  blocked_address: 'dns',
}

/** By the codes of OpenSSL and Node. */
const certificates: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is signed by itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is signed by an authority that nobody knows.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The server does not send the certificates between its own and the authority.',
}

function wordsOf({ message, cause }: FetchError): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return certificates[code] ?? message
}

/** Of what a cache, or a server in front, says in a header of its own: it gave the answer itself, or an older one of which it only asked whether it still holds. */
const fromCache = /(?:^|[^a-z]|refresh)(?:hit|stale|updating|revalidated|served)(?:[^a-z]|$)/i
/** Whose headers are not called by what they are. */
const otherwiseNamed = new Set(['x-ac', 'x-nananana', 'x-rocket-nginx-serving-static'])

/** Whether an answer may be of another time, as far as it says so. */
export function isFromCache(headers: Record<string, string>): boolean {
  const said = (name: string) => headers[name] ?? ''
  // Seconds in caches; hits in each of them; two numbers where an earlier request fetched it.
  if (/[1-9]/.test(said('age')) || /[1-9]/.test(said('x-cache-hits')) || /\d \d/.test(said('x-varnish'))) return true
  if (/cdn-cache;\s*desc="?hit/i.test(said('server-timing'))) return true
  return Object.entries(headers).some(
    ([name, value]) => (otherwiseNamed.has(name) || (name.includes('cache') && !name.endsWith('-control'))) && fromCache.test(value),
  )
}
