// Looking at a site from outside: as its visitors see it, and past every cache.
import { createHmac, randomBytes } from 'node:crypto'
import type { SiteConnection } from '../connector/exchange.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { type PageSight, sightOf, type Written } from '../sites/sight.ts'
import { bare, follow, pagesOf, visit } from '../sites/visit.ts'

export interface Watched {
  page: string
  url: string
  written?: Written
  /** Makes it a POST. */
  body?: string
  /** WordPress is to start as this, though nothing of it is done. */
  as?: 'cron'
  /** Looked at only where it was there before. */
  optional?: true
}
/** `live`: the site itself answered, and no cache. `nonces`: by what the requests of a trial that led there are known to the site. */
export type Sight = PageSight & { live: boolean; nonces?: readonly string[] }
/**
 * By what a look is known to the site, and the site to the look. `trial`: it is to show the version that is not installed yet.
 * `patient`: what takes long is waited for.
 */
export interface Mark {
  echo: string
  trial: boolean
  patient?: true
}

/** What was seen before, and what must be true now. */
export interface Standard {
  watched: Watched[]
  echo: string
  before: Sight[] | null
  /** A post that its editor is opened with; 0: there is none. */
  post: number
  /** Events that WP-Cron had. */
  events: number
  /** Version in the files and activity of the item; null: not asked. */
  version: string | null
  active: boolean
  /** What was there before is there again: that it takes long is the host's doing, and no reason to put back still more. */
  isBack?: true
  /** Pages took as long with the version before, so how long they take says nothing, and what takes long is waited for. */
  isBusy?: true
}

/** How long an answer may take. */
export const timeoutOf = ({ patient }: Mark) => (patient ? 25_000 : 10_000)
/** What makes a page cache step aside; no session belongs to it. */
const pastCaches = { cookie: 'wordpress_logged_in_svcprobe=0; wp-postpass_svcprobe=0' }

/** The pages that are looked at: the front page, the login page, and one of each kind of content on the site's own host. */
export function watchedOf(site: Pick<SiteConnection, 'home' | 'url'>, listed: readonly Watched[]): Watched[] {
  const own = listed.filter((each) => URL.canParse(each.url) && new URL(each.url).host === new URL(site.home).host)
  return [...Object.entries(pagesOf(site)).map(([page, url]) => ({ page, url })), ...own.slice(0, 8)]
}

/** What else there is on every site; looked at once before and once after, because it costs the site as much again. */
export function widerOf({ home, url }: Pick<SiteConnection, 'home' | 'url'>): Watched[] {
  const at = `${bare(home)}/`
  return [
    { page: 'rest api', url: `${at}?rest_route=/wp/v2/types`, written: 'json' },
    // Where editors and apps ask it; with plain permalinks it is not there, before as after.
    { page: 'rest api by its address', url: `${at}wp-json/wp/v2/types`, written: 'json' },
    { page: 'rest api root', url: `${at}wp-json/?_fields=name`, written: 'json', optional: true },
    { page: 'rss feed', url: `${at}?feed=rss2`, written: 'xml' },
    { page: 'xml sitemap', url: `${at}?sitemap=index`, written: 'xml' },
    { page: 'sitemap by its address', url: `${at}wp-sitemap.xml`, written: 'xml', optional: true },
    // Of the plugins for search engines.
    { page: 'sitemap index', url: `${at}sitemap_index.xml`, written: 'xml', optional: true },
    { page: 'site search', url: `${at}?s=a` },
    { page: 'wp cron', url: at, as: 'cron' },
    // Without a name it counts as no attempt, so nobody is locked out.
    { page: 'sign in', url: pagesOf({ home, url }).login, body: 'log=&pwd=&wp-submit=Log+In' },
  ]
}

export function visitWatched(fetch: GuardedFetch, watched: readonly Watched[], mark: Mark): Promise<Sight[]> {
  return Promise.all(watched.map((each) => see(fetch, each, mark)))
}

async function see(fetch: GuardedFetch, watched: Watched, mark: Mark): Promise<Sight> {
  const first = await visitLive(fetch, watched, mark, {})
  const seen = first.status === 0 || first.live ? first : await visitLive(fetch, watched, mark, pastCaches)
  return { ...sightOf(watched.page, seen, watched.written), live: seen.live, ms: seen.ms, ...(mark.trial && { nonces: seen.nonces }) }
}

/** A question that was never asked before and that only we can ask, and its answer, which no cache knows. */
export interface Question {
  query: Record<string, string>
  answer: string
  nonce: string
}
export function questionOf({ echo, trial }: Mark): Question {
  const word = trial ? 'trial' : 'probe'
  const signed = (text: string) => createHmac('sha256', echo).update(`${word} ${text}`).digest('hex')
  const nonce = randomBytes(16).toString('hex')
  const asked = nonce + signed(nonce)
  return { query: { [`svc-connector-${word}`]: asked }, answer: signed(asked), nonce }
}

async function visitLive(fetch: GuardedFetch, { url, body, as }: Watched, mark: Mark, cookie: { cookie?: string }) {
  let live = false
  const nonces: string[] = []
  const start = performance.now()
  const page = await follow(url, async (at) => {
    const seen = await visitOnce(fetch, { url: at, ...(as && { as }), ...(body !== undefined && at === url && { body }) }, mark, cookie)
    live = seen.live
    nonces.push(seen.nonce)
    return seen
  })
  return { ...page, live, nonces, ms: Math.round(performance.now() - start) }
}

/** One answer, whatever it leads to. */
async function visitOnce(fetch: GuardedFetch, { url, body, as }: Omit<Watched, 'page'>, mark: Mark, cookie: { cookie?: string }) {
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { ...form, accept: 'text/html', 'cache-control': 'no-cache, no-store', pragma: 'no-cache', ...cookie }
  const { query, answer, nonce } = questionOf(mark)
  const how = { headers, timeoutMs: timeoutOf(mark), ...(body !== undefined && { body }) }
  const seen = await visit(fetch, url, { ...how, query: { ...query, ...(as && { 'svc-connector-as': as }) } })
  return { ...seen, live: seen.headers['svc-connector-probe'] === answer, nonce }
}

/** A signed request is one of a trial by the same question. */
export const asked = ({ trial }: Mark, { query }: Question) => (trial ? { query } : {})

/** The same, past the caches if need be. */
export async function visitPastCaches(fetch: GuardedFetch, url: string, mark: Mark) {
  const seen = await visitOnce(fetch, { url }, mark, {})
  return seen.live || seen.status === 0 || seen.next !== null ? seen : visitOnce(fetch, { url }, mark, pastCaches)
}
