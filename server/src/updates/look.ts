// Looking at a site from outside: as its visitors see it, and past every cache.
import { createHmac, randomBytes } from 'node:crypto'
import type { SiteConnection } from '../connector/exchange.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import type { PageSeen } from './schema.ts'

export interface Watched {
  page: string
  url: string
}
/** A page with what it is compared by. */
export type Sight = PageSeen & { title: string; whole: boolean; fatal: boolean }

const pageBytes = 4 * 1024 * 1024
const timeoutMs = 10_000
const mostRedirects = 5
const FATAL =
  /(?:Fatal|Parse|Recoverable fatal) error(?:<\/b>)?:\s|There has been a critical error on this website|Error establishing a database connection/
/** What makes a page cache step aside; no session belongs to it. */
const pastCaches = { cookie: 'wordpress_logged_in_svcprobe=0; wp-postpass_svcprobe=0' }

/** The pages that are looked at: the front page, the login page, and one of each kind of content on the site's own host. */
export function pagesOf({ home, url }: Pick<SiteConnection, 'home' | 'url'>, told: readonly Watched[]): Watched[] {
  const trimmed = (address: string) => address.replace(/\/+$/, '')
  const own = told.filter((each) => URL.canParse(each.url) && new URL(each.url).host === new URL(home).host)
  return [{ page: 'front', url: `${trimmed(home)}/` }, { page: 'login', url: `${trimmed(url)}/wp-login.php` }, ...own.slice(0, 6)]
}

/** `echo` is what only the site itself can answer by; without it every answer may come from a cache. */
export function lookAt(fetch: GuardedFetch, watched: readonly Watched[], echo: string): Promise<Sight[]> {
  return Promise.all(watched.map((each) => see(fetch, each, echo)))
}

async function see(fetch: GuardedFetch, { page, url }: Watched, echo: string): Promise<Sight> {
  const first = await visit(fetch, url, echo, {})
  const { answer, live, problem } = !first.answer || first.live ? first : await visit(fetch, url, echo, pastCaches)
  if (!answer) return { page, status: 0, bytes: 0, live: false, problem, title: '', whole: false, fatal: false }
  const text = answer.body.toString('utf8')
  return {
    page,
    status: answer.status,
    bytes: text.trim().length,
    live,
    problem,
    title: /<title[^>]*>([^<]{0,300})/i.exec(text)?.[1]?.trim() ?? '',
    whole: /<\/html>/i.test(text.slice(-5_000)),
    fatal: FATAL.test(text),
  }
}

interface Visit {
  answer: GuardedResponse | null
  live: boolean
  problem: string | null
}

/** Follows redirects on the site itself, as a browser would; a circle is a problem. */
async function visit(fetch: GuardedFetch, url: string, echo: string, more: Record<string, string>): Promise<Visit> {
  const seen = new Set<string>()
  for (let at = url; ; ) {
    seen.add(at)
    const probe = randomBytes(16).toString('hex')
    const answer = await request(fetch, withProbe(at, probe), more)
    if (typeof answer === 'string') return { answer: null, live: false, problem: answer }
    const live = answer.headers['svc-probe'] === createHmac('sha256', echo).update(probe).digest('hex')
    const next = redirectOf(answer, at)
    if (next === null || new URL(next).host !== new URL(url).host) return { answer, live, problem: null }
    if (seen.has(next) || seen.size > mostRedirects) return { answer, live, problem: 'redirects in a circle' }
    at = next
  }
}

async function request(fetch: GuardedFetch, url: string, more: Record<string, string>): Promise<GuardedResponse | string> {
  const headers = { accept: 'text/html', 'cache-control': 'no-cache, no-store', pragma: 'no-cache', ...more }
  try {
    return await fetch({ method: 'GET', url, headers, maxBytes: pageBytes, timeoutMs })
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return error.reason === 'timeout' ? 'does not answer in time' : 'does not answer'
  }
}

function withProbe(url: string, probe: string): string {
  const address = new URL(url)
  address.searchParams.set('svc-probe', probe)
  return address.href
}

/** Without our own question, so that a circle is seen. */
function redirectOf({ status, headers }: GuardedResponse, from: string): string | null {
  const { location } = headers
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, from)) return null
  const next = new URL(location, from)
  next.searchParams.delete('svc-probe')
  return next.href
}
