// Is a site as well as before? Its two pages, as strangers get them, and a signed answer.
import { setTimeout as sleep } from 'node:timers/promises'
import { siteSaid } from '../connector/clean.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Why } from '../kernel/site-said.ts'
import type { SiteClient } from './client.ts'
import { compared, firstWrong, type Meant, type PageSight, sightOf } from './sight.ts'
import { follow, fresh, pagesOf, type Visit, visit } from './visit.ts'

export interface Change {
  before: readonly PageSight[]
  meant?: Meant
  /** Lets our looks in where visitors see a notice. */
  query?: Visit['query']
  /** Told how the pages were when nothing was wrong. */
  seen?(pages: readonly PageSight[]): void
  /** What is asked of WordPress itself. */
  ask?(site: SiteClient): Promise<Why | null>
}

const timeoutMs = 20_000
const looks = 3
/** PHP may hold old code for two seconds after the files have changed. */
const lookAgainMs = 2_200

/** The front page and the login page, under addresses that no cache knows. */
export function visitPages({ pages, connection }: SiteClient, query: Visit['query'] = {}): Promise<PageSight[]> {
  const see = (address: string) => visit(pages, address, { query: { ...query, ...fresh() }, headers: { accept: 'text/html' }, timeoutMs })
  return Promise.all(Object.entries(pagesOf(connection)).map(async ([page, url]) => sightOf(page, await follow(url, see))))
}

/** What is wrong after a change, whenever it is looked for; null: it was seen well. */
export async function whatIsWrong(site: SiteClient, change: Change): Promise<Why | null> {
  for (let times = 1; ; times++) {
    const pages = await visitPages(site, change.query)
    const wrong = firstWrong(compared(pages, change.before, change.meant)) ?? (await answer(site, change))
    if (wrong === null) change.seen?.(pages)
    if (wrong === null || times === looks) return wrong
    await sleep(lookAgainMs)
  }
}

async function answer(site: SiteClient, { ask = whetherCopy }: Change): Promise<Why | null> {
  try {
    return await ask(site)
  } catch (error) {
    if (error instanceof SiteError) return notStarting(error)
    throw error
  }
}

/** Of WordPress that does not answer a signed question. */
export function notStarting({ reason, message, siteSaid: said }: SiteError): Why {
  if (!reason.startsWith('error:')) return { message: `WordPress does not start: ${message}` }
  return { message: 'WordPress does not start.', siteSaid: said && siteSaid(said.text.replace(/ Stack trace:.*$/s, '')) }
}

export const isCopy: Why = { message: 'The site takes itself for a copy.' }
const whetherCopy = async (site: SiteClient) => ((await site.once('ping', {})).clone ? isCopy : null)
