// Asking for one address: politely, through redirects, by HEAD where that is enough.
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import { unpacked } from '../platform/unpack.ts'
import { extract } from './extract.ts'
import { isEverywhere } from './fragments.ts'
import type { Hosts } from './hosts.ts'
import { ourName } from './robots.ts'
import { silence, type Verdict, verdictOf } from './verdict.ts'

/** An answer at the end of its redirects. */
export interface Answer {
  verdict: Verdict
  /** Where the redirects led. */
  at: string
  type: string
  body: string
}

export interface Asker {
  fetch: GuardedFetch
  hosts: Hosts
  timeoutMs: number
  signal: AbortSignal
  /** No: the site asks that nobody does, or it would do something. A redirect that leads there is not followed. */
  mayAsk(url: string): boolean
}

const pageBytes = 2 * 1024 * 1024
const mostRedirects = 10
/** A host that asks for so little patience gets it. */
const longestRestS = 30

/** The page itself, or the first `maxBytes` of it. */
export const get = (asker: Asker, url: string, maxBytes = pageBytes): Promise<Answer> => through(asker, url, 'GET', maxBytes)

/** Whether there is something: HEAD, and where that is not answered well, GET. */
export async function look(asker: Asker, url: string): Promise<Answer> {
  const head = await through(asker, url, 'HEAD', 0)
  return head.verdict.is === 'ok' || isFinal(head.verdict) ? head : through(asker, url, 'GET', 1024)
}

/** Asking otherwise would not help. */
const isFinal = (verdict: Verdict) => verdict.is === 'dead' && (verdict.reason === 'dns' || verdict.reason === 'redirect_loop')

async function through(asker: Asker, url: string, method: 'GET' | 'HEAD', maxBytes: number): Promise<Answer> {
  const seen = new Set<string>()
  for (let at = url; ; ) {
    seen.add(at)
    const answer = await once(asker, at, method, maxBytes)
    if ('is' in answer) return { verdict: answer, at, type: '', body: '' }
    const next = redirectOf(answer, at)
    if (next === null || !asker.mayAsk(next)) {
      const type = answer.headers['content-type'] ?? ''
      const body = await unpacked(answer, maxBytes)
      return { verdict: verdictOf(answer.status, answer.headers), at, type, body: body.toString('utf8') }
    }
    if (seen.has(next) || seen.size > mostRedirects)
      return { verdict: { is: 'dead', status: answer.status, reason: 'redirect_loop', lasting: false }, at, type: '', body: '' }
    at = next
  }
}

function redirectOf({ status, headers: { location } }: GuardedResponse, from: string): string | null {
  if (status < 300 || status >= 400 || status === 304 || location === undefined) return null
  const next = URL.parse(location, from)
  if (!next || !/^https?:$/.test(next.protocol)) return null
  next.hash = ''
  return next.href
}

async function once(asker: Asker, url: string, method: 'GET' | 'HEAD', maxBytes: number): Promise<GuardedResponse | Verdict> {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await asker.hosts.turn(url, () => request(asker, url, method, maxBytes))
      const rest = answer.status === 429 ? restOf(answer.headers) : Number.NaN
      if (!(rest >= 0) || rest > longestRestS || tries > 0) return answer
      asker.hosts.rest(url, rest * 1000)
    } catch (error) {
      asker.signal.throwIfAborted()
      if (!(error instanceof FetchError)) throw error
      return silence(error)
    }
  }
}

/** Seconds; a date is told by the clock of the server that says it. NaN: it asks for none. */
function restOf({ 'retry-after': wanted = '', date = '' }: Record<string, string>): number {
  if (wanted.endsWith(' GMT')) return Math.max(0, (Date.parse(wanted) - Date.parse(date)) / 1000)
  return wanted === '' ? Number.NaN : Number(wanted)
}

const request = ({ fetch, timeoutMs, signal }: Asker, url: string, method: 'GET' | 'HEAD', maxBytes: number) =>
  fetch({
    ...{ method, url: url.split('#')[0] ?? url, maxBytes, cut: true, timeoutMs, signal, plain: url.startsWith('http:') },
    headers: {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'accept-encoding': 'identity',
      'user-agent': `Mozilla/5.0 (compatible; ${ourName}/1.0)`,
    },
  })

export const isHtml = ({ type }: Pick<Answer, 'type'>) => /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type)

/** What fragments can point at on the page behind an address; null: it is no page, or could not be read whole. */
export async function idsOf(answer: Answer): Promise<ReadonlySet<string> | null> {
  if (answer.verdict.is !== 'ok' || answer.verdict.status >= 300 || !isHtml(answer) || answer.body.length >= pageBytes) return null
  return (await extract(answer.body, answer.at)).ids
}

/** The fragment of an address that there is something to judge about. */
export function fragmentOf(url: string): string | null {
  const [, fragment = ''] = /#(.*)$/s.exec(url) ?? []
  return isEverywhere(fragment) ? null : fragment
}

export const withoutFragment = (url: string): string => url.split('#')[0] ?? url
