// A site's public pages as a stranger gets them. What is made of them is for whoever looks.
import { randomBytes } from 'node:crypto'
import { withQuery } from '../connector/doors.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedRequest } from '../platform/guarded-fetch.ts'

export interface Page {
  /** HTTP status; 0: there was no answer, and `silence` tells why. */
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  bytes: Buffer
  /** The bytes as UTF-8, whatever they are. */
  text: string
  /** Where a redirect leads, without the query that was added on the way here; null: it is none. */
  next: string | null
  silence: FetchError | null
}

export type Visit = Pick<Partial<GuardedRequest>, 'headers' | 'maxBytes' | 'timeoutMs' | 'cut' | 'plain'> & {
  /** Added to the address: what no cache knows, or what lets us in. */
  query?: Record<string, string>
  /** Makes it a POST. */
  body?: string
}

/** A stranger at one site. A path begins with a slash and is relative to one of the site's two addresses. */
export interface Visitor {
  get(path: string, options?: { at?: 'home' | 'url'; maxBytes?: number }): Promise<Page>
  post(path: string, body: string, type: string): Promise<Page>
  /** Any address of the site, as it is. */
  fetch(address: string, plain?: boolean): Promise<Page>
}

const pageBytes = 4 * 1024 * 1024
const timeoutMs = 15_000
const mostRedirects = 5

/** One request without a session, through the guarded client; every answer, and none, is a page. */
export async function visit(fetch: GuardedFetch, url: string, { query = {}, body, headers, ...more }: Visit = {}): Promise<Page> {
  try {
    const answer = await fetch({
      ...{ method: body === undefined ? 'GET' : 'POST', url: withQuery(url, query), maxBytes: pageBytes, timeoutMs },
      headers: { accept: '*/*', 'cache-control': 'no-cache', ...headers },
      ...(body !== undefined && { body: Buffer.from(body) }),
      ...more,
    })
    const next = redirectOf(answer, url, Object.keys(query))
    return { status: answer.status, headers: answer.headers, bytes: answer.body, text: answer.body.toString('utf8'), next, silence: null }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { status: 0, headers: {}, bytes: Buffer.alloc(0), text: '', next: null, silence: error }
  }
}

/** Follows redirects on the host of `url`, as a browser would; `at`: where they end, `circles`: they do not. */
export async function follow(
  url: string,
  go: (url: string) => Promise<Page>,
): Promise<Page & { circles: boolean; from: string; at: string }> {
  const seen = new Set<string>()
  for (let at = url; ; ) {
    seen.add(at)
    const page = await go(at)
    if (page.next === null || new URL(page.next).host !== new URL(url).host) return { ...page, circles: false, from: url, at }
    if (seen.has(page.next) || seen.size > mostRedirects) return { ...page, circles: true, from: url, at }
    at = page.next
  }
}

/** `send` says how a stranger asks. */
export function visitorOf({ home, url }: { home: string; url: string }, send: (address: string, how: Visit) => Promise<Page>): Visitor {
  const bases = { home: bare(home), url: bare(url) }
  return {
    get: (path, { at = 'url', maxBytes } = {}) => send(bases[at] + path, maxBytes === undefined ? {} : { maxBytes }),
    post: (path, body, type) => send(bases.url + path, { body, headers: { 'content-type': type } }),
    fetch: (address, plain = false) => send(address, { plain }),
  }
}

/** What no cache has seen before. */
export const fresh = () => ({ 'svc-connector-look': randomBytes(6).toString('hex') })

/** Without the slashes at its end. */
export const bare = (address: string) => address.replace(/\/+$/, '')

/** The two pages that every site has. */
export const pagesOf = ({ home, url }: { home: string; url: string }) => ({ front: `${bare(home)}/`, login: `${bare(url)}/wp-login.php` })

function redirectOf({ status, headers }: { status: number; headers: Record<string, string> }, from: string, added: string[]) {
  const { location } = headers
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, from)) return null
  const next = new URL(location, from)
  for (const name of added) next.searchParams.delete(name)
  return next.href
}
