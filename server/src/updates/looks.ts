// A site as it is now: its pages as strangers get them, and what only a signed request is shown.

import type { Door } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { sightOf } from '../sites/sight.ts'
import { bare } from '../sites/visit.ts'
import { asked, type Mark, questionOf, type Sight, type Standard, timeoutOf, visitWatched, type Watched, widerOf } from './look.ts'

/** Nobody answered, or the web server in the place of a process that died. */
export const isCutOff = ({ status }: Pick<Sight, 'status'>) => status === 0 || status === 502 || status === 504

/** What only a cache answered for is made once more for a signed request, which passes every cache. */
export async function look(site: SiteClient, { watched }: Standard, mark: Mark): Promise<Sight[]> {
  if (mark.trial) return lookInTurn(site, watched, mark)
  const sights = await visitWatched(site.pages, watched, mark)
  return Promise.all(
    sights.map(async (sight) => {
      const url = watched.find(({ page }) => page === sight.page)?.url
      const hidden = !sight.live && sight.status > 0 && sight.page !== 'login' && url !== undefined
      return (hidden && (await seeSigned(site, { page: sight.page, url }, mark))) || sight
    }),
  )
}

function lookInTurn(site: SiteClient, watched: readonly Watched[], mark: Mark): Promise<Sight[]> {
  return inTurn(watched, async (each) => {
    const [sight] = await visitWatched(site.pages, [each], mark)
    const seen = !sight || isSeen(sight) || each.page === 'login' ? sight : await seeSigned(site, each, mark)
    return seen && isSeen(seen) ? seen : undefined
  })
}

const isSeen = (sight: Sight) => sight.live || isCutOff(sight)

/** A version that lets everything hang must not take all the workers of a small host: one page at a time, and no more after one without an answer. */
async function inTurn(watched: readonly Watched[], see: (each: Watched) => Promise<Sight | undefined>): Promise<Sight[]> {
  const sights: Sight[] = []
  for (const each of watched) {
    const sight = await see(each)
    if (sight) sights.push(sight)
    if (sight && isCutOff(sight)) break
  }
  return sights
}

/** Everything that strangers can see of every site; then wp-admin as one of its administrators, screen by screen: a small host has few workers. */
export async function lookWider(site: SiteClient, standard: Standard, mark: Mark): Promise<Sight[]> {
  const { before } = standard
  const wasThere = (page: string) => before === null || before.some((was) => was.page === page && was.status < 400)
  const wider = widerOf(site.connection).filter(({ page, optional }) => !optional || wasThere(page))
  const open = mark.trial
    ? await inTurn(wider, async (each) => (await visitWatched(site.pages, [each], mark))[0])
    : await visitWatched(site.pages, wider, mark)
  // What only a cache answered for, and what could not be seen, is not known to be well or wrong.
  const sights = open.filter((sight) => isSeen(sight) || (sight.status >= 400 && !mark.trial))
  if (mark.trial && sights.some(isCutOff)) return sights
  for (const screen of screensOf(site, standard)) sights.push(...(await lookIn(site, screen, mark)))
  return sights
}

/** A screen of wp-admin. */
interface Screen extends Watched {
  door: Door
}

function screensOf({ connection }: SiteClient, { post }: Pick<Standard, 'post'>): Screen[] {
  const base = new URL(`${bare(connection.url)}/wp-admin/`)
  const screen = (name: string, query = ''): Screen => {
    return { page: `wp-admin/${name}`, url: new URL(`${name}.php${query}`, base).href, door: `admin:${name}` }
  }
  return [screen('index'), screen('plugins'), ...(post > 0 ? [screen('post', `?post=${post}&action=edit`)] : [])]
}

async function lookIn(site: SiteClient, screen: Screen, mark: Mark): Promise<Sight[]> {
  const sight = await seeSigned(site, screen, mark, screen.door)
  if (sight?.rest === undefined) return sight ? [sight] : []
  const { nonces } = sight
  return [sight, { ...editorsRest(screen.url, sight.rest), ...(nonces && { nonces }) }]
}

/** What was wrong at one look may have been bad luck: so many looks at once are much for a small host. Each of those pages once more, alone. */
export async function lookedAgain(site: SiteClient, standard: Standard, mark: Mark, sights: readonly Sight[]): Promise<Sight[]> {
  const again: Sight[] = []
  for (const sight of sights) again.push(isWell(sight) ? sight : ((await lookAlone(site, standard, mark, sight.page)) ?? sight))
  return again
}

export const isWell = ({ status, problem, fatal, outage }: Sight) => problem === null && status < 500 && !fatal && !outage

export async function lookAlone(site: SiteClient, standard: Standard, mark: Mark, page: string): Promise<Sight | undefined> {
  const watched = standard.watched.filter((each) => each.page === page)
  if (watched.length > 0) return (await look(site, { ...standard, watched }, mark))[0]
  const wider = widerOf(site.connection).filter((each) => each.page === page)
  if (wider.length > 0) return (await visitWatched(site.pages, wider, mark))[0]
  for (const screen of screensOf(site, standard).filter((each) => each.page === page || page === editors)) {
    const found = (await lookIn(site, screen, mark)).find((sight) => sight.page === page)
    if (found) return found
  }
  return undefined
}

const editors = 'rest api for editors'
/** What the REST API said to an administrator, within the list of plugins. */
const editorsRest = (at: string, status: number): Sight => ({
  ...sightOf(editors, { from: at, at, next: null, silence: null, circles: false, status, text: '' }, 'json'),
  live: true,
})

/** Undefined where that says nothing. In a trial an error of its code counts only when the site says so of itself, which is asked first. */
type Signed = Sight & { rest?: number }
async function seeSigned(site: SiteClient, { page, url }: Watched, mark: Mark, door: Door = 'front'): Promise<Signed | undefined> {
  const { pathname, search } = new URL(url)
  const reached = { from: url, at: url, next: null, silence: null, circles: false }
  const question = questionOf(mark)
  const met = mark.trial ? { nonces: [question.nonce] } : {}
  const start = performance.now()
  try {
    const answer = await site.once(
      'updates.page',
      { path: pathname + search },
      { door, timeoutMs: timeoutOf(mark), ...asked(mark, question) },
    )
    const { status, text, location, lets_in, rest, trial } = answer
    if (trial !== mark.trial) return undefined
    const next = location !== '' && URL.canParse(location, url) ? new URL(location, url) : null
    const isWall = next?.pathname.endsWith('/wp-login.php')
    // A welcome page that comes once says nothing; being asked to sign in does.
    if (next && !isWall) return undefined
    const leads = isWall ? 'login' : lets_in === false ? 'nobody' : null
    return {
      ...sightOf(page, { ...reached, status, text }),
      leads,
      live: true,
      ms: Math.round(performance.now() - start),
      ...met,
      ...(rest !== undefined && { rest }),
    }
  } catch (error) {
    if (!(error instanceof SiteError)) throw error
    const { reason, status = 500 } = error
    if (isCutOff({ status })) return { ...sightOf(page, { ...reached, status, text: '' }), ...met, live: false }
    if (reason !== 'error:failed') return undefined
    return { ...sightOf(page, { ...reached, status: 500, text: '' }), ...met, fatal: true, live: true }
  }
}
