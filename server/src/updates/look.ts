// Looking at a site from outside: as its visitors see it, and past every cache.
import { createHmac, randomBytes } from 'node:crypto'
import type { SiteConnection } from '../connector/exchange.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { type PageSight, sightOf } from '../sites/sight.ts'
import { follow, pagesOf, visit } from '../sites/visit.ts'

export interface Watched {
  page: string
  url: string
}
/** `live`: the site itself answered, and no cache. */
export type Sight = PageSight & { live: boolean }

const timeoutMs = 10_000
/** What makes a page cache step aside; no session belongs to it. */
const pastCaches = { cookie: 'wordpress_logged_in_svcprobe=0; wp-postpass_svcprobe=0' }

/** The pages that are looked at: the front page, the login page, and one of each kind of content on the site's own host. */
export function watchedOf(site: Pick<SiteConnection, 'home' | 'url'>, told: readonly Watched[]): Watched[] {
  const own = told.filter((each) => URL.canParse(each.url) && new URL(each.url).host === new URL(site.home).host)
  return [...Object.entries(pagesOf(site)).map(([page, url]) => ({ page, url })), ...own.slice(0, 6)]
}

/** `echo` is what only the site itself can answer by; without it every answer may come from a cache. */
export function lookAt(fetch: GuardedFetch, watched: readonly Watched[], echo: string): Promise<Sight[]> {
  return Promise.all(watched.map((each) => see(fetch, each, echo)))
}

async function see(fetch: GuardedFetch, { page, url }: Watched, echo: string): Promise<Sight> {
  const first = await visitLive(fetch, url, echo, {})
  const seen = first.status === 0 || first.live ? first : await visitLive(fetch, url, echo, pastCaches)
  return { ...sightOf(page, seen), live: seen.live }
}

/** `live`: the last answer holds the echo of a question that was never asked before, and that only we can ask. */
async function visitLive(fetch: GuardedFetch, url: string, echo: string, cookie: { cookie?: string }) {
  let live = false
  const sealed = (text: string) => createHmac('sha256', echo).update(text).digest('hex')
  const headers = { accept: 'text/html', 'cache-control': 'no-cache, no-store', pragma: 'no-cache', ...cookie }
  const page = await follow(url, async (at) => {
    const nonce = randomBytes(16).toString('hex')
    const probe = nonce + sealed(nonce)
    const answer = await visit(fetch, at, { query: { 'svc-connector-probe': probe }, headers, timeoutMs })
    live = answer.headers['svc-connector-probe'] === sealed(probe)
    return answer
  })
  return { ...page, live }
}
