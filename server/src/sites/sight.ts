// What one page looks like, and what is worse about it than before: one set of rules for whoever changes a site.
import { plainWord, quoted, type Why } from '../kernel/site-said.ts'
import { isHidden, ownWords, visibleWords } from './visible.ts'
import type { Page } from './visit.ts'

/** A page with what it is compared by. */
export interface PageSight {
  /** front, login, or whatever else it is. */
  page: string
  /** HTTP status; 0: no answer. */
  status: number
  bytes: number
  /** What is wrong, whatever it was before; null: nothing. */
  problem: string | null
  title: string
  whole: boolean
  fatal: boolean
  /** How many words somebody reads there. */
  words: number
  /** How many of them are not what frames every page of the site. */
  own: number
  /** Its own style hides all of it. */
  hidden: boolean
  /** Where it leads away to: another host, another page of the site by its path, `login`, or `nobody`: whoever wants to sign in is refused. */
  leads: string | null
  /** How long it took, where that was measured. */
  ms?: number
  /** It may come back by itself. */
  outage: boolean
  /** That it takes long is all that is wrong. */
  slow?: boolean
  /** It did not answer in time. */
  late?: boolean
  /** Its words, its title or where it leads are all that is wrong: a page may show another thing each time. */
  wavers?: boolean
}
/** `replaced`: another site was put in its place, so the pages are meant to differ; what nobody could see before may stay so. */
export type Meant = 'as before' | 'replaced'

/** No connection, and what proxies answer while there is nobody behind them. */
const OUTAGES: ReadonlySet<number> = new Set([0, 429, 502, 503, 504, 520, 521, 522, 523, 524])
const FATAL = /(?:Fatal|Parse|Recoverable fatal) error(?:<\/b>)?:\s/
/** What WordPress shows in place of a page, sometimes with a 200. */
const BROKEN =
  /There has been a critical error on this website|Error establishing a database connection|wp-die-message">[^<]{0,1000}database/i
const blankBelow = 32
/** A page of so few words may lose most of them on purpose. */
const fewWords = 20
/** Slower than `ms`, and so many times slower than before, is broken. */
interface Bar {
  ms: number
  times: number
}
/** A good version may take a second more on each page of a fast site. */
const SLOW: Bar = { ms: 2_000, times: 4 }
/** A version that is tried has no cache to help it. */
export const SLOW_IN_TRIAL: Bar = { ms: 4_000, times: 5 }
export const ANY_PACE: Bar = { ms: Number.POSITIVE_INFINITY, times: 1 }

/** What a page is written in. */
export type Written = 'html' | 'json' | 'xml'
/** The last page that redirects led to, its address, and the one that was asked for. */
export type Reached = Pick<Page, 'status' | 'text' | 'next' | 'silence'> & { circles: boolean; from: string; at: string }

export function sightOf(page: string, reached: Reached, written: Written = 'html'): PageSight {
  const { status, text, silence, circles } = reached
  const isHtml = written === 'html'
  return {
    page,
    status,
    bytes: text.trim().length,
    words: isHtml ? visibleWords(text) : 0,
    own: isHtml ? ownWords(text) : 0,
    hidden: isHtml && isHidden(text),
    leads: page === 'login' ? null : (away(reached) ?? (isHtml && !WANDERS.has(page) ? astray(reached) : null)),
    problem: circles ? 'redirects in a circle' : silence && `does not answer${silence.reason === 'timeout' ? ' in time' : ''}`,
    title: /<title[^>]*>([^<]{0,300})/i.exec(text)?.[1]?.trim() ?? '',
    whole: ENDS[written](text),
    fatal: FATAL.test(text) || BROKEN.test(text),
    outage: isOutage(status, text),
    ...(silence?.reason === 'timeout' && { late: true }),
  }
}

const ENDS: Record<Written, (text: string) => boolean> = {
  html: (text) => /<\/html>/i.test(text.slice(-5_000)),
  xml: (text) => /^\ufeff?<\?xml/.test(text) && /<\/[A-Za-z:]{1,40}>\s*$/.test(text.slice(-200)),
  json: (text) => {
    try {
      return typeof JSON.parse(text) === 'object'
    } catch {
      return false
    }
  },
}

/** Redirects are followed on the host of a page alone, so one that is left leads away. */
function away({ at, next }: Reached): string | null {
  if (next !== null) return new URL(next).host
  return new URL(at).pathname.endsWith('/wp-login.php') ? 'login' : null
}

/** What these show may be at another address each time. */
const WANDERS: ReadonlySet<string> = new Set(['sign in', 'site search', 'wp cron'])

/** Another page of the site, by its path. A page that moved keeps its last name; a slash or a language says nothing. */
function astray({ from, at }: Reached): string | null {
  const [asked, got] = [new URL(from), new URL(at)]
  const [was, is] = [namesIn(asked), namesIn(got)]
  const isSame = was.length > 0 ? was.at(-1) === is.at(-1) || BY_NUMBER.test(got.search) : isFrontOf(asked, got, is)
  return isSame ? null : got.pathname
}

/** An address by number may be one by name now; any other of the front page stays the front page. */
function isFrontOf(asked: URL, got: URL, names: readonly string[]): boolean {
  if (!BY_NUMBER.test(asked.search)) return names.length === 0
  return names.length > 0 || BY_NUMBER.test(got.search)
}

const BY_NUMBER = /[?&](?:p|page_id|attachment_id)=\d/
const LANGUAGE = /^[a-z]{2}(?:[-_][a-z]{2,4})?$/
const namesIn = ({ pathname }: URL): string[] =>
  pathname
    .toLowerCase()
    .split('/')
    .map((name) => name.replace(/\.(?:html?|php)$/, ''))
    .filter((name) => name !== '' && name !== 'index' && !LANGUAGE.test(name))

/** What a restart of the web server, of PHP or of the database looks like. `text`: the page, or what was made of it. */
export const isOutage = (status: number, text: string) =>
  OUTAGES.has(status) || /error establishing a database connection|no connection to its database/i.test(text)

/** Each page with what is worse than before as its problem; where it was seen several times before, than each time. */
export const compared = <Sight extends PageSight>(
  now: readonly Sight[],
  before: readonly PageSight[] | null,
  meant: Meant = 'as before',
  bar: Bar = SLOW,
) =>
  now.map((sight) => {
    const [was, ...more] = before?.filter(({ page }) => page === sight.page) ?? []
    const against = (was: PageSight | undefined) =>
      meant === 'replaced' && was && isDown(was) ? worseThanDown(sight, was) : problemOf(sight, was, meant)
    const problem = more.some((each) => against(each) === null) ? null : against(was)
    const slow = problem === null && was !== undefined && meant === 'as before' && [was, ...more].every((each) => isSlow(sight, each, bar))
    // A busy host is slow as well, but not for long.
    if (slow) return { ...sight, problem: slowBy(sight, was), outage: true, slow }
    const wavers = problem !== null && was !== undefined && [elsewhere(sight, was), thinner(sight, was)].includes(problem)
    return { ...sight, problem, ...(wavers && { wavers }) }
  })

const isSlow = ({ ms = 0 }: PageSight, { ms: before = Number.POSITIVE_INFINITY }: PageSight, bar: Bar) =>
  ms > bar.ms && ms > bar.times * before
/** Whether a page took much longer than at each other look at it; one that got no answer there was no quicker. */
export const isSlower = (sight: PageSight, looks: readonly PageSight[]) =>
  looks.filter(({ page }) => page === sight.page).every((each) => each.problem === null && isSlow(sight, each, SLOW))

const slowBy = ({ ms = 0 }: PageSight, { ms: before = 0 }: PageSight) =>
  `takes ${(ms / 1000).toFixed(1)} s; before it was ${(before / 1000).toFixed(1)} s`

/** What was wrong with a page before the site was replaced, and still is: one sentence each. */
export const remaining = (now: readonly PageSight[], before: readonly PageSight[]): string[] =>
  now.flatMap((sight) => {
    const was = before.find(({ page }) => page === sight.page)
    const problem = was && isDown(was) && worseThanDown(sight, was) === null ? problemOf(sight, undefined, 'replaced') : null
    return problem === null ? [] : [`${nameOf(sight)} ${problem}, as it was before the restore.`]
  })

const isDown = ({ status }: PageSight) => status === 0 || status >= 500

/** Of a page that nobody got before: what it is now, unless that is no worse. A notice made on purpose is better than an error. */
function worseThanDown(now: PageSight, before: PageSight): string | null {
  const problem = problemOf(now, undefined, 'replaced')
  if (before.status === 0) return null
  if (now.problem !== null || (now.fatal && !before.fatal)) return problem
  return before.status === 500 || now.status === before.status || before.fatal ? null : problem
}

/** Those that are no post type have a space or a slash in them. */
const NAMES: Record<string, string> = {
  front: 'The front page',
  login: 'The login page',
  'sign in': 'The sign-in',
  'wp-admin/index': 'The dashboard in wp-admin',
  'wp-admin/plugins': 'The list of plugins in wp-admin',
  'wp-admin/post': 'The editor in wp-admin',
  'rest api': 'The REST API',
  'rest api by its address': 'The REST API below /wp-json/',
  'rest api root': 'What the REST API says of itself at /wp-json/',
  'rest api for editors': 'The REST API for editors',
  'wp cron': 'A start as WP-Cron',
  'rss feed': 'The feed',
  'xml sitemap': 'The sitemap',
  'sitemap by its address': 'The sitemap at /wp-sitemap.xml',
  'sitemap index': 'The sitemap at /sitemap_index.xml',
  'site search': 'The search of the site',
  'shop/cart': 'The cart of the shop',
  'shop/checkout': 'The checkout of the shop',
}
const nameOf = ({ page }: PageSight) => NAMES[page] ?? `A page of type ${quoted(page, 'that the site names')}`

export function firstWrong(pages: readonly PageSight[]): Why | null {
  const wrong = pages.find(({ problem }) => problem !== null)
  return wrong ? whyOf(wrong) : null
}

/** Of a page with a problem. */
export const whyOf = (page: PageSight): Why => ({ message: `${nameOf(page)} ${page.problem}.` })

/** What is worse than before; without a before, what is wrong by itself. */
function problemOf(now: PageSight, before: PageSight | undefined, meant: Meant): string | null {
  if (before?.problem != null) return null
  if (now.problem !== null) return now.problem
  if (before && before.status >= 500) return null
  if (now.status >= 500) return `answers with ${now.status}`
  if (before && before.status < 400 && now.status >= 400) return `answers with ${now.status}; before it was ${before.status}`
  if (now.fatal && !before?.fatal) return 'shows an error of PHP or WordPress'
  if (!before) return null
  if (meant === 'as before' && now.leads !== null && !isAsLed(now.leads, before.leads)) return LEADS[now.leads] ?? elsewhere(now, before)
  if (now.bytes < blankBelow && before.bytes >= blankBelow) return 'is blank'
  if (meant === 'replaced') return null
  if (before.whole && !now.whole) return 'ends in the middle'
  if (now.hidden && !before.hidden) return 'is hidden by its own style'
  return thinner(now, before)
}

/** A page with a long menu and footer keeps most of its words when its contents are gone. */
function thinner(now: PageSight, before: PageSight): string | null {
  if (now.bytes < 0.3 * before.bytes && now.title !== before.title) return 'is another page than before'
  return lostMost(now.words, before.words) || lostMost(now.own, before.own) ? 'has lost most of its words' : null
}

const lostMost = (now: number, before: number) => before >= fewWords && now < 0.3 * before

/** What led to one page of the site may lead to another. */
const isAsLed = (now: string, before: string | null) => now === before || (now.startsWith('/') && before !== null && before.startsWith('/'))

const LEADS: Record<string, string> = { login: 'asks to sign in', nobody: 'lets nobody in any more' }
const elsewhere = ({ leads }: PageSight, before: PageSight) =>
  leads === null || leads in LEADS || isAsLed(leads, before.leads) ? null : `leads to ${placeOf(leads)}; before it did not`
const placeOf = (where: string) => {
  if (!where.startsWith('/')) return quoted(where, 'another place')
  if (where === '/') return 'the front page'
  return plainWord(where.slice(1)) === undefined ? 'another page of the site' : `“${where}”`
}
