// Is the site as healthy as before? Asked until the answer is sure.

import { setTimeout as sleep } from 'node:timers/promises'
import { siteSaid } from '../connector/clean.ts'
import type { Result } from '../connector/commands.ts'
import type { Door } from '../connector/doors.ts'
import { SiteError } from '../connector/site-error.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import type { SiteClient } from '../sites/client.ts'
import { isCopy, notStarting } from '../sites/health.ts'
import { compared, firstWrong, isOutage, SLOW_IN_TRIAL, sightOf } from '../sites/sight.ts'
import { bare } from '../sites/visit.ts'
import type { Here } from '../world.ts'
import { lookAt, type Mark, questionOf, type Sight, timeoutOf, type Watched, widerOf } from './look.ts'
import type { Health } from './schema.ts'

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
}
/**
 * `mayPass`: all that is wrong may be a short outage; `shaken`: vital options are others than they were; `slow`: a page of a trial takes long,
 * which is nothing wrong there.
 */
type Verdict = { health: Health; sights: Sight[]; mayPass: boolean; shaken: boolean; slow: boolean }

/** PHP may hold old code for two seconds after the files have changed. */
const confirmMs = 2_200
const lookAgainMs = 1_200
const patienceMs = 30_000
/** Looks in a row with the same clear failure, or without one where others met errors. */
const sureAfter = 3

/**
 * `told`: what the site itself says, where it has just said it; null: it is not asked. `wide`: also at what costs more to look at.
 * `trial`: at the version that is not installed yet.
 */
type Look = { told?: Within | SiteError | null; wide: boolean; trial?: boolean }

/** One look, without waiting for anything. */
export async function lookOnce(here: Here, site: SiteClient, standard: Standard, { told, wide, trial = false }: Look): Promise<Verdict> {
  const mark = { echo: standard.echo, trial }
  // What decides has its turn before the pages: of a site that hangs they take all the turns there are.
  const [probe, sights] = await Promise.all([told === undefined ? ask(site, mark) : told, look(site, standard, mark)])
  if (wide && !(trial && sights.some(({ status }) => status === 0))) sights.push(...(await lookWider(site, standard, mark)))
  const seen = compared(sights, standard.before, 'as before', trial ? SLOW_IN_TRIAL : undefined)
  // What a version does once, with its first request, it does in each request of a trial.
  const slow = trial && seen.some((page) => page.slow)
  const pages = slow ? seen.map((page) => (page.slow ? { ...page, problem: null } : page)) : seen
  const within = probe && wrongWithin(probe, standard)
  const page = firstWrong(pages)
  // Which page it was says more; what PHP said of it stands beside.
  const why = page && within?.message === metErrors ? { ...page, siteSaid: within.siteSaid } : (within ?? page)
  const health: Health = {
    ok: why === null,
    connector_answers: !(probe instanceof SiteError),
    checked_at: here.now().toISOString(),
    pages: pages.map(({ page, status, bytes, live, problem }) => ({ page, status, bytes, live, problem })),
    problem: why?.message ?? null,
    site_said: why?.siteSaid ?? null,
    errors_meanwhile: probe instanceof SiteError || probe === null ? null : meanwhile(probe),
  }
  const wrong = pages.filter((page) => page.problem !== null)
  const died = wrong.some(({ fatal, outage }) => fatal && !outage)
  const away = within === null ? wrong.some(({ outage }) => outage) : probe instanceof SiteError && isAway(probe)
  const shaken = probe !== null && !(probe instanceof SiteError) && (probe.changed?.length ?? 0) > 0
  return { health, sights, mayPass: away && !died, shaken, slow }
}

/** Nothing on the site answered, or it is at work: a site that answers what went wrong is not away. */
const isAway = ({ reason, status, message }: SiteError) =>
  ['connect', 'dns', 'timeout', 'error:busy'].includes(reason) ||
  (!reason.startsWith('error:') && status !== undefined && isOutage(status, message))

/** `tried`: what costs more to look at was seen to be well before. */
type Judging = { signal: AbortSignal; tried?: boolean }

/**
 * Healthy when seen so twice, or three times where others met errors; broken when the same failure is clear and stable, or still there after
 * half a minute.
 */
export async function judge(here: Here, site: SiteClient, standard: Standard, judging: Judging): Promise<Health> {
  const deadline = performance.now() + patienceMs
  let { tried = false } = judging
  let [good, bad, last, wide] = [0, 0, '', false]
  for (;;) {
    // With the look that decides, and again while what it saw was wrong.
    wide = !tried && (good > 0 || (wide && bad > 0))
    const { health, mayPass, shaken } = await lookOnce(here, site, standard, { wide, ...(tried && good + bad === 0 && { told: null }) })
    // What a request changed for those after it, no trial has met.
    if (tried && shaken) [tried, good] = [false, 0]
    good = health.ok ? good + 1 : 0
    const wrong = `${health.problem} ${health.site_said?.text}`
    bad = health.ok ? 0 : wrong === last ? bad + 1 : 1
    last = wrong
    if (
      good >= (health.errors_meanwhile === null ? 2 : sureAfter) ||
      (bad >= sureAfter && !mayPass) ||
      (bad > 0 && performance.now() > deadline)
    )
      return health
    await sleep(health.ok ? confirmMs : lookAgainMs, undefined, { signal: judging.signal })
  }
}

/** What only a cache answered for is made once more for a signed request, which passes every cache. */
async function look(site: SiteClient, { watched }: Standard, mark: Mark): Promise<Sight[]> {
  if (mark.trial) return lookInTurn(site, watched, mark)
  const sights = await lookAt(site.pages, watched, mark)
  return Promise.all(
    sights.map(async (sight) => {
      const url = watched.find(({ page }) => page === sight.page)?.url
      const hidden = !sight.live && sight.status > 0 && sight.page !== 'login' && url !== undefined
      return (hidden && (await seeSigned(site, { page: sight.page, url }, mark))) || sight
    }),
  )
}

/** A version that lets everything hang must not take all the workers of a small host: one page at a time, and no more after one without an answer. */
async function lookInTurn(site: SiteClient, watched: readonly Watched[], mark: Mark): Promise<Sight[]> {
  const sights: Sight[] = []
  for (const each of watched) {
    const [sight] = await lookAt(site.pages, [each], mark)
    const seen = sight?.live || sight?.status === 0 || each.page === 'login' ? sight : await seeSigned(site, each, mark)
    if (seen?.live || seen?.status === 0) sights.push(seen)
    if (seen?.status === 0) break
  }
  return sights
}

/** Everything that strangers can see of every site; then wp-admin as one of its administrators, screen by screen: a small host has few workers. */
async function lookWider(site: SiteClient, { post }: Standard, mark: Mark): Promise<Sight[]> {
  const screens = ['index', 'plugins', ...(post > 0 ? ['post'] : [])]
  const base = new URL(`${bare(site.connection.url)}/wp-admin/`)
  const open = await lookAt(site.pages, widerOf(site.connection), mark)
  // What only a cache answered for, and what could not be seen, is not known to be well or wrong.
  const sights = open.filter(({ live, status }) => live || status === 0 || (status >= 400 && !mark.trial))
  for (const screen of screens) {
    const url = new URL(`${screen}.php${screen === 'post' ? `?post=${post}&action=edit` : ''}`, base)
    const sight = await seeSigned(site, { page: `wp-admin/${screen}`, url: url.href }, mark, `admin:${screen}`)
    if (sight) sights.push(sight)
    if (sight?.rest !== undefined) sights.push(editorsRest(url.href, sight.rest))
  }
  return sights
}

/** What the REST API said to an administrator, within the list of plugins. */
const editorsRest = (at: string, status: number): Sight => ({
  ...sightOf('rest api for editors', { at, next: null, silence: null, circles: false, status, text: '' }, 'json'),
  live: true,
})

/** Undefined where that says nothing. In a trial an error of its code counts only when the site says so of itself, which is asked first. */
type Signed = Sight & { rest?: number }
async function seeSigned(site: SiteClient, { page, url }: Watched, mark: Mark, door: Door = 'front'): Promise<Signed | undefined> {
  const { pathname, search } = new URL(url)
  const reached = { at: url, next: null, silence: null, circles: false }
  const start = performance.now()
  try {
    const told = await site.once('updates.page', { path: pathname + search }, { door, timeoutMs: timeoutOf(mark), ...asked(mark) })
    const { status, text, location, lets_in, rest, trial } = told
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
      ...(rest !== undefined && { rest }),
    }
  } catch (error) {
    if (!(error instanceof SiteError)) throw error
    if (error.reason !== 'error:failed') return undefined
    return { ...sightOf(page, { ...reached, status: 500, text: '' }), fatal: true, live: true }
  }
}

type Probe = Result<'updates.probe'>
type Within = Pick<Probe, 'version' | 'active' | 'clone' | 'events' | 'fatals'> & Partial<Pick<Probe, 'phase' | 'changed'>>

const asked = (mark: Mark) => (mark.trial ? { query: questionOf(mark).query } : {})

export async function ask(site: SiteClient, mark: Mark): Promise<Probe | SiteError> {
  try {
    return await site.once('updates.probe', {}, { timeoutMs: timeoutOf(mark), ...asked(mark) })
  } catch (error) {
    if (error instanceof SiteError) return error
    throw error
  }
}

function wrongWithin(probe: Within | SiteError, { version, active, events }: Standard): Why | null {
  if (probe instanceof SiteError) return notStarting(probe)
  if (probe.phase === 'rolled_back' && probe.version !== version) return tookItselfBack
  if (version !== null && probe.version !== version) {
    const runs = plainWord(probe.version) ?? 'an unknown version'
    return { message: `The site runs ${runs}, not ${plainWord(version) ?? 'the one that is meant'}.` }
  }
  if (active && !probe.active) return { message: 'It is no longer active.' }
  if (probe.clone) return isCopy
  if (events > 0 && probe.events === 0) return { message: `WP-Cron has no events any more; before it had ${events}.` }
  const fatal = probe.fatals.find(counts)
  return fatal ? { message: metErrors, siteSaid: siteSaid(inWords(fatal)) } : null
}

const metErrors = 'PHP met errors.'
const tookItselfBack: Why = { message: 'The site did not answer any more, and took the update back by itself.' }

const inWords = ({ message, file, line }: Probe['fatals'][number]) => `${message} in ${file}:${line}`

/** Anybody can make a site fail with odd input: only what a look of ours met, or what lies in the item, is the update’s doing. */
const counts = ({ by }: Probe['fatals'][number]) => by !== 'other'

function meanwhile({ fatals }: Within): Health['errors_meanwhile'] {
  const others = fatals.filter((fatal) => !counts(fatal))
  const said = siteSaid(others.map(inWords).join('; '))
  return said && { site_said: said }
}
