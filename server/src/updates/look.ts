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
}
/** `live`: the site itself answered, and no cache. */
export type Sight = PageSight & { live: boolean }

const timeoutMs = 10_000
/** What makes a page cache step aside; no session belongs to it. */
const pastCaches = { cookie: 'wordpress_logged_in_svcprobe=0; wp-postpass_svcprobe=0' }

/** The pages that are looked at: the front page, the login page, and one of each kind of content on the site's own host. */
export function watchedOf(site: Pick<SiteConnection, 'home' | 'url'>, told: readonly Watched[]): Watched[] {
  const own = told.filter((each) => URL.canParse(each.url) && new URL(each.url).host === new URL(site.home).host)
  return [...Object.entries(pagesOf(site)).map(([page, url]) => ({ page, url })), ...own.slice(0, 8)]
}

/** What else there is on every site; looked at once before and once after, because it costs the site as much again. */
export function widerOf({ home, url }: Pick<SiteConnection, 'home' | 'url'>): Watched[] {
  const at = `${bare(home)}/`
  return [
    { page: 'rest api', url: `${at}?rest_route=/wp/v2/types`, written: 'json' },
    { page: 'rss feed', url: `${at}?feed=rss2`, written: 'xml' },
    { page: 'xml sitemap', url: `${at}?sitemap=index`, written: 'xml' },
    { page: 'site search', url: `${at}?s=a` },
    // Without a name it counts as no attempt, so nobody is locked out.
    { page: 'sign in', url: pagesOf({ home, url }).login, body: 'log=&pwd=&wp-submit=Log+In' },
  ]
}

/** `echo` is what only the site itself can answer by; without it every answer may come from a cache. */
export function lookAt(fetch: GuardedFetch, watched: readonly Watched[], echo: string): Promise<Sight[]> {
  return Promise.all(watched.map((each) => see(fetch, each, echo)))
}

async function see(fetch: GuardedFetch, watched: Watched, echo: string): Promise<Sight> {
  const first = await visitLive(fetch, watched, echo, {})
  const seen = first.status === 0 || first.live ? first : await visitLive(fetch, watched, echo, pastCaches)
  return { ...sightOf(watched.page, seen, watched.written), live: seen.live, ms: seen.ms }
}

/** `live`: the last answer holds the echo of a question that was never asked before, and that only we can ask. */
async function visitLive(fetch: GuardedFetch, { url, body }: Watched, echo: string, cookie: { cookie?: string }) {
  let live = false
  const start = performance.now()
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const sealed = (text: string) => createHmac('sha256', echo).update(text).digest('hex')
  const headers = { ...form, accept: 'text/html', 'cache-control': 'no-cache, no-store', pragma: 'no-cache', ...cookie }
  const page = await follow(url, async (at) => {
    const nonce = randomBytes(16).toString('hex')
    const probe = nonce + sealed(nonce)
    const answer = await visit(fetch, at, {
      query: { 'svc-connector-probe': probe },
      headers,
      timeoutMs,
      ...(body !== undefined && at === url && { body }),
    })
    live = answer.headers['svc-connector-probe'] === sealed(probe)
    return answer
  })
  return { ...page, live, ms: Math.round(performance.now() - start) }
}
