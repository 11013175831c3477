// What one page looks like, and what is worse about it than before: one set of rules for whoever changes a site.
import { quoted, type Why } from '../kernel/site-said.ts'
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
  /** It may come back by itself. */
  outage: boolean
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

export function sightOf(page: string, { status, text, silence, circles }: Omit<Page, 'next'> & { circles: boolean }): PageSight {
  return {
    page,
    status,
    bytes: text.trim().length,
    problem: circles ? 'redirects in a circle' : silence && `does not answer${silence.reason === 'timeout' ? ' in time' : ''}`,
    title: /<title[^>]*>([^<]{0,300})/i.exec(text)?.[1]?.trim() ?? '',
    whole: /<\/html>/i.test(text.slice(-5_000)),
    fatal: FATAL.test(text) || BROKEN.test(text),
    outage: isOutage(status, text),
  }
}

/** What a restart of the web server, of PHP or of the database looks like. `text`: the page, or what was made of it. */
export const isOutage = (status: number, text: string) =>
  OUTAGES.has(status) || /error establishing a database connection|no connection to its database/i.test(text)

/** Each page with what is worse than before as its problem. */
export const compared = <Sight extends PageSight>(now: readonly Sight[], before: readonly PageSight[] | null, meant: Meant = 'as before') =>
  now.map((sight) => {
    const was = before?.find(({ page }) => page === sight.page)
    const problem = meant === 'replaced' && was && isDown(was) ? worseThanDown(sight, was) : problemOf(sight, was, meant)
    return { ...sight, problem }
  })

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

const NAMES: Record<string, string> = { front: 'The front page', login: 'The login page' }
const nameOf = ({ page }: PageSight) => NAMES[page] ?? `A page of type ${quoted(page, 'that the site names')}`

export function firstWrong(pages: readonly PageSight[]): Why | null {
  const wrong = pages.find(({ problem }) => problem !== null)
  if (!wrong) return null
  return { message: `${nameOf(wrong)} ${wrong.problem}.` }
}

/** What is worse than before; without a before, what is wrong by itself. */
function problemOf(now: PageSight, before: PageSight | undefined, meant: Meant): string | null {
  if (before?.problem != null) return null
  if (now.problem !== null) return now.problem
  if (before && before.status >= 500) return null
  if (now.status >= 500) return `answers with ${now.status}`
  if (before && before.status < 400 && now.status >= 400) return `answers with ${now.status}; before it was ${before.status}`
  if (now.fatal && !before?.fatal) return 'shows an error of PHP or WordPress'
  if (!before) return null
  if (now.bytes < blankBelow && before.bytes >= blankBelow) return 'is blank'
  if (meant === 'replaced') return null
  if (before.whole && !now.whole) return 'ends in the middle'
  return now.bytes < 0.3 * before.bytes && now.title !== before.title ? 'is another page than before' : null
}
