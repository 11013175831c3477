// Reads the pages of a site for the links that stand on them.
import { bareDomain } from '../sites/address.ts'
import { type Answer, type Asker, get, isHtml, withoutFragment } from './ask.ts'
import { extract, extractCss, type Link } from './extract.ts'
import { isEverywhere } from './fragments.ts'
import type { Notes } from './notes.ts'
import { parseRobots, parseSitemap, type Robots } from './robots.ts'
import type { Met, NotRead } from './scan-store.ts'

export interface Crawl {
  home: string
  asker: Asker
  notes: Notes
  mostPages: number
  /** What fragments can point at on the pages that were read. */
  ids: Map<string, ReadonlySet<string>>
}

const mostSitemaps = 20
const mostForbidden = 1000
/** Asking for these does something, or leads into what is for members alone. */
const risky =
  /\/wp-admin\/|\/wp-login\.php|\/xmlrpc\.php|[?&](?:add-to-cart|remove_item|replytocom|_wpnonce|action=logout|customer-logout)\b/i
const noPage =
  /\.(?:avif|bmp|css|csv|docx?|eot|gif|gz|ico|jpe?g|js|json|m4a|mov|mp[34]|odt|ogg|otf|pdf|png|pptx?|rar|svg|tar|tgz|tiff?|ttf|txt|wav|webm|webp|woff2?|xlsx?|xml|zip)$/i

export class Crawler {
  readonly #crawl: Crawl
  readonly #home: URL
  #robots: Robots = parseRobots('')
  #pages = 0
  #forbidden = 0
  /** Pages were left out. */
  full = false

  constructor(crawl: Crawl) {
    this.#crawl = crawl
    this.#home = new URL(crawl.home.endsWith('/') ? crawl.home : `${crawl.home}/`)
    const met = crawl.notes.all()
    this.#pages = met.filter(({ isPage }) => isPage).length
    this.#forbidden = met.filter(({ notRead }) => notRead === 'robots').length
  }

  /** What the site asks of robots, and where it says its pages are. */
  async begin(): Promise<void> {
    const { asker, notes } = this.#crawl
    const at = (path: string) => new URL(path, this.#home).href
    const robots = await get(asker, at('/robots.txt'), 512 * 1024)
    if (robots.verdict.is === 'ok' && !isHtml(robots)) this.#robots = parseRobots(robots.body)
    asker.hosts.ownPauseMs = Math.max(asker.hosts.ownPauseMs, Math.min(this.#robots.delayS ?? 0, 10) * 1000)
    this.#note({ url: this.#home.href, element: 'home', text: '' }, null, true)
    if (notes.size > 1) return // An attempt before this one has read the sitemaps.
    const named = this.#robots.sitemaps.filter((url) => this.isOwn(url))
    await this.#readSitemaps(named.length > 0 ? named : [at('wp-sitemap.xml'), at('sitemap_index.xml'), at('sitemap.xml')])
  }

  async #readSitemaps(queue: string[]): Promise<void> {
    for (let read = 0; queue.length > 0 && read < mostSitemaps && !this.full; read++) {
      const sitemap = queue.shift() ?? ''
      const answer = await get(this.#crawl.asker, sitemap)
      if (answer.verdict.is !== 'ok' || isHtml(answer)) continue
      const { isIndex, urls } = parseSitemap(answer.body)
      for (const url of urls.filter((each) => this.isOwn(each)))
        if (isIndex) queue.push(url)
        else if (this.#mayRead(url)) this.#note({ url: new URL(url).href, element: 'sitemap', text: '' }, sitemap, true)
        else this.#passOver(new URL(url).href)
    }
  }

  /** Pages, or style sheets, on which something stood before: they are read although nothing leads there any more. */
  expect(pages: Iterable<string>): void {
    for (const url of pages) if (this.isOwn(url) && this.mayAsk(url)) this.#note({ url, element: 'before', text: '' }, null, true)
  }

  /** The address of the front page. */
  get home(): string {
    return this.#home.href
  }

  /** robots.txt lets nobody read any page but the first. */
  isShut(): boolean {
    const isOther = ({ url, isPage, notRead }: Met) => isPage && notRead !== 'robots' && url !== this.home
    return this.#forbidden > 0 && !this.#crawl.notes.all().some(isOther)
  }

  /** Reads one page, or one style sheet. */
  async read(met: Met): Promise<void> {
    const { asker, notes, ids } = this.#crawl
    const answer = await get(asker, met.url)
    met.notRead = this.#whyNotRead(answer)
    notes.done(met, answer.verdict)
    if (met.notRead === 'no_page' && /^text\/css\b/i.test(answer.type))
      for (const found of extractCss(answer.body, answer.at)) this.#meet(found, met.url)
    if (met.notRead !== null) return
    const contents = await extract(answer.body, answer.at)
    ids.set(met.url, contents.ids)
    for (const found of contents.links) this.#meet(found, met.url)
  }

  #whyNotRead({ verdict, at, type }: Answer): NotRead | null {
    if (verdict.is !== 'ok') return verdict.is === 'blocked' ? 'blocked' : 'failed'
    // What redirects away is somebody else's page.
    if (!this.isOwn(at)) return 'elsewhere'
    if (verdict.status >= 300) return 'shut'
    return isHtml({ type }) ? null : 'no_page'
  }

  isOwn(url: string): boolean {
    const host = URL.parse(url)?.host
    return host !== undefined && bareDomain(host) === bareDomain(this.#home.host)
  }

  /** What the site asks robots to leave alone is left alone, and so is what does something when it is asked for. */
  mayAsk(url: string): boolean {
    return !this.isOwn(url) || (!risky.test(url) && this.#isAllowed(url))
  }

  #isAllowed(url: string): boolean {
    const { pathname, search } = new URL(url)
    return this.#robots.allows(`${pathname}${search}`)
  }

  #meet(found: Link, page: string): void {
    if (found.malformed) {
      const met = this.#crawl.notes.add(found, page, false)
      if (met) this.#crawl.notes.done(met, { is: 'dead', status: null, reason: 'malformed', lasting: true })
      return
    }
    if (!this.mayAsk(found.url)) {
      if (found.isAnchor) this.#passOver(withoutFragment(found.url))
      return
    }
    const own = this.isOwn(found.url)
    const bare = withoutFragment(found.url)
    const fragment = found.url.slice(bare.length + 1)
    const read = own && ((found.isAnchor && this.#mayRead(bare)) || found.isStyle)
    if (isEverywhere(fragment)) return void this.#note({ ...found, url: bare }, page, read)
    this.#crawl.notes.add(found, page, false)
    if (read) this.#note({ url: bare, element: found.element, text: found.text }, null, true)
  }

  /** A page of this site, and not of another one on the same host. */
  #mayRead(url: string): boolean {
    return this.#isPageHere(url) && this.#isAllowed(url)
  }

  #isPageHere(url: string): boolean {
    const { pathname } = new URL(url)
    const isBelow = pathname.startsWith(this.#home.pathname) || `${pathname}/` === this.#home.pathname
    return isBelow && !noPage.test(pathname) && !risky.test(url)
  }

  /** A page that would be read but for robots.txt is told. */
  #passOver(url: string): void {
    if (!this.#isPageHere(url) || this.#isAllowed(url) || this.#forbidden >= mostForbidden) return
    const { notes } = this.#crawl
    if (notes.get(url)) return
    notes.passOver(url, 'robots')
    this.#forbidden++
  }

  #note(found: Pick<Link, 'url' | 'element' | 'text'>, page: string | null, wanted: boolean): void {
    const { notes, mostPages } = this.#crawl
    const isNew = wanted && notes.get(found.url)?.isPage !== true
    if (isNew && this.#pages >= mostPages) this.full = true
    const met = notes.add(found, page, wanted && !(isNew && this.#pages >= mostPages))
    if (isNew && met?.isPage) this.#pages++
  }
}
