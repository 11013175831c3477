// Is the site as healthy as before? Asked until the answer is sure.

import { setTimeout as sleep } from 'node:timers/promises'
import { siteSaid } from '../connector/clean.ts'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { plainWord, quoted, type Why } from '../kernel/site-said.ts'
import type { SiteClient } from '../sites/client.ts'
import { isCopy, notStarting } from '../sites/health.ts'
import { ANY_PACE, compared, isOutage, SLOW_IN_TRIAL, whyOf } from '../sites/sight.ts'
import type { Here } from '../world.ts'
import { asked, type Mark, type Question, questionOf, type Sight, type Standard, timeoutOf } from './look.ts'
import { isCutOff, look, lookedAgain, lookWider } from './looks.ts'
import type { Health } from './schema.ts'
import { comesAndGoes } from './wavering.ts'

/**
 * `mayPass`: all that is wrong may be a short outage; `late`: the pages that take long, where that is all that is wrong; `shaken`: vital options
 * are others than they were; `slow`: a page of a trial takes long, which is nothing wrong there; `wrong`: each thing.
 */
type Verdict = { health: Health; sights: Sight[]; mayPass: boolean; shaken: boolean; slow: boolean; wrong: Wrong[] } & Beside
/**
 * `away`: all that is wrong is that nobody is there behind the web server; `runs`: the version, where it is another one than is meant;
 * `wavering`: pages that may show another thing each time, where nothing else is wrong.
 */
type Beside = { away: boolean; late: readonly Sight[] | null; runs: string | null; wavering: Sight[] }
/** `nonces`: of the requests of a trial that met it. */
export interface Wrong {
  why: Why
  nonces: readonly string[]
}

/** PHP may hold old code for two seconds after the files have changed. */
const confirmMs = 2_200
const lookAgainMs = 1_200
const patienceMs = 30_000
/** Looks in a row with the same clear failure, or without one where others met errors. */
const sureAfter = 3
/** How often it is asked whether a page shows another thing each time. */
const mostAsked = 3

/**
 * `answer`: what the site itself says, where it has just said it; null: it is not asked. `wide`: also at what costs more to look at.
 * `trial`: at the version that is not installed yet, and by which nonce the site was asked what it told. `twice`: what is wrong is looked at once more.
 * `quickest`: the least that each page has taken so far, in milliseconds.
 */
type LookOptions = {
  answer?: Within | SiteError | null
  wide: boolean
  trial?: { nonce: string }
  twice?: boolean
  quickest?: Map<string, number>
}

/** One look, without waiting for anything. */
export async function lookOnce(
  here: Here,
  site: SiteClient,
  standard: Standard,
  { answer, wide, trial, twice, quickest }: LookOptions,
): Promise<Verdict> {
  const mark: Mark = { echo: standard.echo, trial: trial !== undefined, ...(standard.isBusy && { patient: true }) }
  // What decides has its turn before the pages: of a site that hangs they take all the turns there are.
  const [probe, first] = await Promise.all([answer === undefined ? ask(site, mark) : answer, look(site, standard, mark)])
  if (wide && !(trial && first.some(isCutOff))) first.push(...(await lookWider(site, standard, mark)))
  const looked = twice ? await lookedAgain(site, standard, mark, first) : first
  const sights = quickest ? looked.map((sight) => atBest(sight, quickest)) : looked
  const bar = standard.isBack || standard.isBusy ? ANY_PACE : trial ? SLOW_IN_TRIAL : undefined
  const seen = compared(sights, standard.before, 'as before', bar)
  // What a version does once, with its first request, it does in each request of a trial.
  const slow = mark.trial && seen.some((page) => page.slow)
  const pages = slow ? seen.map((page) => (page.slow ? { ...page, problem: null } : page)) : seen
  const said = probe instanceof SiteError ? null : probe
  const within = probe && wrongWithin(probe, standard)
  const amiss = pages.filter(({ problem }) => problem !== null)
  // What takes long is told where nothing else is wrong: it may be the host.
  const clear = amiss.filter(({ slow }) => !slow)
  const counted = clear.length > 0 ? clear : amiss
  const wrong: Wrong[] = counted.map((page) => ({ why: whyOf(page), nonces: page.nonces ?? [] }))
  // Errors that counted were met by requests that had to go without nothing.
  if (within) wrong.unshift({ why: within, nonces: trial && within.message !== metErrors ? [trial.nonce] : [] })
  const why = reasonOf(wrong)
  const health: Health = {
    ok: why === null,
    connector_answers: !(probe instanceof SiteError),
    checked_at: here.now().toISOString(),
    pages: pages.map(({ page, status, bytes, live, problem }) => ({ page, status, bytes, live, problem })),
    problem: why?.message ?? null,
    site_said: why?.siteSaid ?? null,
    errors_meanwhile: said && meanwhile(said),
  }
  const died = amiss.some(({ fatal, outage }) => fatal && !outage)
  const away = within === null ? counted.some(({ outage }) => outage) : probe instanceof SiteError && isAway(probe)
  const isLateAlone = wrong.length > 0 && amiss.every((page) => page.slow || page.late) && (within === null || isLate(probe))
  const late = isLateAlone ? sights.filter(({ page }) => amiss.some((each) => each.page === page)) : null
  const shaken = (said?.changed?.length ?? 0) > 0
  const verdict = { health, sights, mayPass: away && !died, late, shaken, slow, wrong }
  const mayWaver = within === null && amiss.every(({ wavers }) => wavers)
  const wavering = mayWaver ? sights.filter(({ page }) => amiss.some((each) => each.page === page)) : []
  return { ...verdict, away: isGone(probe, within, amiss), runs: said && anotherThan(standard.version, said), wavering }
}

/** What WordPress itself answers with such a status is its own; of its database it says as much where some of its tables are lost. */
const isGone = (probe: unknown, within: Why | null, amiss: readonly Sight[]) =>
  (within === null || (probe instanceof SiteError && isAway(probe) && !isOutage(200, probe.message))) &&
  amiss.every(({ live, status, slow }) => slow || (!live && isOutage(status, ''))) &&
  (within !== null || amiss.length > 0)

const anotherThan = (meant: string | null, { version, phase }: Within) =>
  meant === null || phase === 'rolled_back' || version === '' || version === meant ? null : version

/** The one that is told. Which page met an error of PHP says more than that there was one; what PHP said of it stands beside. */
export function reasonOf(wrong: readonly Wrong[]): Why | null {
  const [first, second] = wrong.map(({ why }) => why)
  if (first?.message === metErrors && second) return { ...second, siteSaid: first.siteSaid ?? null }
  return first ?? null
}

/** A busy host takes long now and then and for one page or another, a slow version each time. */
function atBest(sight: Sight, quickest: Map<string, number>): Sight {
  const { page, status, ms } = sight
  if (ms === undefined || status === 0) return sight
  const least = Math.min(ms, quickest.get(page) ?? ms)
  quickest.set(page, least)
  return { ...sight, ms: least }
}

const isLate = (probe: unknown) => probe instanceof SiteError && probe.reason === 'timeout'

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
export async function judge(here: Here, site: SiteClient, standard: Standard, judging: Judging): Promise<Verdict> {
  const began = performance.now()
  const quickest = new Map<string, number>()
  let { tried = false } = judging
  let [good, bad, last, wide, asked] = [0, 0, '', false, 0]
  for (;;) {
    // With the look that decides, and again while what it saw was wrong.
    wide = !tried && (good > 0 || (wide && bad > 0))
    const isNew = performance.now() - began > confirmMs
    const verdict = await lookOnce(here, site, standard, {
      wide,
      ...(tried && good + bad === 0 && { answer: null }),
      ...(isNew && { quickest }),
    })
    const { health, mayPass, shaken, wavering } = verdict
    // What a request changed for those after it, no trial has met.
    if (tried && shaken) [tried, good] = [false, 0]
    good = health.ok ? good + 1 : 0
    const wrong = `${health.problem} ${health.site_said?.text}`
    bad = health.ok ? 0 : wrong === last ? bad + 1 : 1
    last = wrong
    if (good >= (health.errors_meanwhile === null ? 2 : sureAfter)) return verdict
    if ((bad >= sureAfter && !mayPass) || (bad > 0 && performance.now() - began > patienceMs)) {
      if (asked++ >= mostAsked || !(await comesAndGoes(site, standard, wavering))) return verdict
      bad = 0
    }
    await sleep(health.ok ? confirmMs : lookAgainMs, undefined, { signal: judging.signal })
  }
}

type Probe = Result<'updates.probe'>
type Within = Pick<Probe, 'version' | 'active' | 'clone' | 'events' | 'fatals'> &
  Partial<Pick<Probe, 'phase' | 'changed' | 'lost' | 'lost_events'>>

export async function ask(site: SiteClient, mark: Mark, question: Question = questionOf(mark)): Promise<Probe | SiteError> {
  try {
    return await site.once('updates.probe', {}, { timeoutMs: timeoutOf(mark), ...asked(mark, question) })
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
  const [off] = probe.lost ?? []
  if (off !== undefined) {
    const which = quoted(off.split('/')[0] ?? off, 'another plugin')
    return { message: `It switches ${which} off; where that is meant, ${which} is to be switched off before it is updated.` }
  }
  const lost = probe.lost_events ?? []
  if (lost.length >= fewEvents) return { message: `WP-Cron has lost ${lost.length} events of others.`, siteSaid: siteSaid(lost.join(', ')) }
  const fatal = probe.fatals.find(counts)
  return fatal ? { message: metErrors, siteSaid: siteSaid(inWords(fatal)) } : null
}

/** One may come and go by itself. */
const fewEvents = 2

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
