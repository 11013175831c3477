// One item: looked at, copied, replaced, judged, and kept or taken back. From wherever an earlier attempt left it.

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { siteSaid } from '../connector/clean.ts'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Running } from '../kernel/job.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import type { Here } from '../world.ts'
import { judge, lookOnce, type Standard } from './judge.ts'
import { watchedOf } from './look.ts'
import { noPictures, pictureAfter, pictureBefore, type Taken } from './pictures.ts'
import type { Health, ItemResult, Updatable } from './schema.ts'
import { briefMs, canWait, type UpdateSite } from './site.ts'
import { tryOut } from './trial.ts'
import { asClause, inWords, nameOf } from './words.ts'

/** What an attempt leaves for the next one. */
export interface Begun {
  standard: Standard
  before: Health
  startedMs: number
  alone: string
  pictures?: Taken
  /** It was tried before it was installed, and all was well. */
  passed?: boolean
  /** The site could note the options without which it is another one. */
  noted?: boolean
  /** Set before the site is told to take it back. */
  back?: Back
  /** Set before the site is told to keep or forget: from here on it is only told. */
  ended?: Ended
}
/** Why it is taken back; `unjudged`: for something else than what the version did. */
interface Back {
  why: Why
  status: 'failed' | 'rolled_back'
  unjudged: boolean
}
/** `cause`: why it was taken back, where that did not heal the site. */
export type Ended = Pick<ItemResult, 'status' | 'reason' | 'site_said'> & { after: Health | null; cause?: string; unjudged?: boolean }
type Applied = Result<'updates.apply'>
type Guarded = Result<'updates.guard'>

/** What the steps of one item share. */
export interface Item {
  here: Here
  site: UpdateSite
  job: Pick<Running, 'id' | 'fence' | 'signal'>
  item: Updatable
  /** The version on offer. */
  version: string
  begun: Begun | undefined
  /** Writes `begun` down. */
  save(begun: Begun): Promise<void>
  phase(name: string): Promise<void>
}

const applyPatienceMs = 5 * 60_000
const askAgainMs = 1_000
const budgetMs = 4_000
const gone: Why = {
  message: 'The service was interrupted and the site heard nothing for five minutes, so it took the update back by itself.',
}
const interrupted = 'The site was interrupted in the middle of the update.'
const hungThere: Why = { message: 'The site let nobody through any more, and took the update back by itself.' }

/** The reason of an item; null where there is nothing to tell. */
const told = (why: Why | null) => ({ reason: why?.message ?? null, site_said: why?.siteSaid ?? null })

/** Ends with the site in exactly the new state or exactly the old one. Nothing was replaced before `begun` was written down. */
export async function updateItem(of: Item): Promise<Ended> {
  const { begun, site } = of
  site.connection.alone = begun?.alone
  if (begun?.ended) return release(of, begun.ended)
  if (!begun) return begin(of)
  const { phase, job, hung } = await site.settled(() => pause(of))
  if (job !== of.job.id) return begin(of)
  if (begun.back) return takeBack(of, begun, begun.back)
  if (phase === 'rolled_back' || phase === 'rolling_back') return takeBack(of, begun, byItself(hung))
  if (phase === 'swapping') return takeBack(of, begun, because({ message: interrupted }, { unjudged: true }))
  if (phase === 'swapped') return conclude(of, begun, undefined)
  return begin(of)
}

/** Until the way back is open; then from outside, as it is before. */
async function begin(of: Item): Promise<Ended> {
  const { here, site, item } = of
  await of.phase(`checking ${nameOf(item)}`)
  const startedMs = here.now().getTime()
  const guarded = await guard(of)
  if (guarded.verdict !== 'ready') {
    await site.ask('updates.release', { ...claimOf(of), keep: false, budget_ms: budgetMs })
    const status = guarded.verdict === 'already_current' ? 'already_current' : guarded.reason === 'connector_itself' ? 'skipped' : 'failed'
    const why = 'why' in guarded ? guarded.why : inWords(guarded.reason)
    return { status, ...told(status === 'already_current' ? null : why), after: null }
  }
  const watched = watchedOf(site.connection, guarded.pages)
  const { echo, post, events } = guarded
  const standard: Standard = { watched, echo, post, events, before: null, version: null, active: false }
  const { health: before, sights } = await lookOnce(here, site, standard, { told: { ...guarded, clone: false, fatals: [] }, wide: true })
  const version = item.type === 'translations' ? null : of.version
  const begun: Begun = {
    standard: { ...standard, before: sights, version, active: guarded.active },
    before,
    startedMs,
    alone: guarded.alone,
    noted: guarded.noted,
  }
  site.connection.alone = guarded.alone
  of.begun = begun
  await of.save(begun)
  begun.pictures = await photographed(of, begun)
  await of.save(begun)
  if (guarded.trial) {
    await of.phase(`trying ${nameOf(item)}`)
    const tried = await tryOut(here, site, begun.standard, of.job.signal)
    if (typeof tried === 'object') return leave(of, begun, tried)
    begun.passed = tried === 'passed'
    await of.save(begun)
  }
  await of.phase(`updating ${nameOf(item)}`)
  const applied = await apply(of)
  return conclude(of, begun, applied)
}

/** What the site cannot copy it cannot update. A request of an attempt that died may be at work there still. */
async function guard(of: Item): Promise<Guarded | { verdict: 'not_possible'; reason: ''; why: Why }> {
  const params = { ...wanted(of), budget_ms: budgetMs }
  for (let waited = false; ; ) {
    try {
      const told = await of.site.ask('updates.guard', params)
      if (told.verdict !== 'copying') return told
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      if (error.reason === 'error:failed') return { verdict: 'not_possible', reason: '', why: error }
      if (error.reason !== 'error:busy' || waited) throw error
      await of.site.settled(() => pause(of))
      waited = true
    }
  }
}

const claimOf = ({ job }: Item) => ({ job: job.id, fence: job.fence })

function wanted(of: Item) {
  const { type, file } = of.item
  const expect_version = of.version === '' ? {} : { expect_version: of.version }
  return { ...claimOf(of), type, file, ...expect_version }
}

/** Asks under one request id until there is an answer: the site does it once and repeats what it said. A run that died says nothing; the site's journal does. */
async function apply(of: Item): Promise<Applied | SiteError> {
  const { job, item, version, site } = of
  const requestId = `req_${hash('sha256', `${job.id} ${job.fence} ${item.type} ${item.file} ${version}`, 'hex').slice(0, 32)}`
  const deadline = performance.now() + applyPatienceMs
  let lost = 0
  for (;;) {
    try {
      return await site.ask(
        'updates.apply',
        { ...wanted(of), passed: of.begun?.passed === true },
        { requestId, timeoutMs: 60_000, retries: 0 },
      )
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      if (!error.retryable || error.reason === 'error:busy' || performance.now() > deadline) return error
      const { phase } = await site.settled(() => pause(of))
      if (phase !== 'armed' && (phase !== 'swapped' || ++lost > 1)) return error
      await pause(of)
    }
  }
}

/** Whatever was heard: what the site says it did, asked again where no answer told, and what is seen from outside, decide. */
async function conclude(of: Item, begun: Begun, applied: Applied | SiteError | undefined): Promise<Ended> {
  const { here, site, item, job } = of
  const said = applied === undefined || applied instanceof SiteError ? undefined : applied
  const { phase, hung = false } = said ? { phase: said.phase } : await site.settled(() => pause(of))
  const why = applied instanceof SiteError ? applied : inWords(said?.reason ?? '')
  if (phase === 'none') throw new Error('The site has forgotten an update that is at work.')
  if (phase === 'armed')
    return end(of, begun, { status: said?.status === 'already_current' ? said.status : 'failed', ...told(why), after: null })
  if (phase === 'swapping') return takeBack(of, begun, because({ ...why, message: `${interrupted} ${why.message}` }, { unjudged: true }))
  if (phase !== 'swapped') return takeBack(of, begun, byItself(hung))
  if (said?.status === 'failed')
    return takeBack(of, begun, because(why, { status: said.to_version === said.from_version ? 'failed' : 'rolled_back' }))
  if (said?.status === 'updated' && said.to_version !== of.version) {
    const runs = plainWord(said.to_version) ?? 'an unknown version'
    return takeBack(of, begun, because({ message: `The site says it updated, but runs ${runs}.` }))
  }
  await of.phase(`judging ${nameOf(item)}`)
  const tried = begun.passed === true && said?.held.length === 0
  const health = await judge(here, site, begun.standard, { signal: job.signal, tried })
  if (!health.ok) {
    const message = health.problem ?? 'The site is not as healthy as before.'
    return takeBack(of, begun, because({ message, siteSaid: health.site_said }))
  }
  const hidden = await seenHidden(of, begun)
  return hidden ? takeBack(of, begun, because(hidden)) : end(of, begun, { status: 'updated', ...told(null), after: health })
}

/** What an update of it could show. */
async function photographed(of: Item, begun: Begun): Promise<Taken> {
  if (of.here.config.chromium === undefined) return noPictures('No browser is set (SERVICE_CHROMIUM).')
  if (of.item.type === 'plugin' && !of.item.active) return noPictures('It is not active, so no page shows it.')
  await of.phase(`photographing before ${nameOf(of.item)}`)
  return pictureBefore(sitterOf(of, begun))
}

/** What a browser shows now, where it was photographed before. */
async function seenHidden(of: Item, begun: Begun): Promise<Why | null> {
  if (begun.pictures?.id === undefined) return null
  const { taken, wrong } = await pictureAfter(sitterOf(of, begun), begun.pictures)
  begun.pictures = taken
  await of.save(begun)
  return wrong
}

const sitterOf = ({ here, site, job }: Item, { standard, startedMs }: Begun) => ({
  ...{ here, site, echo: standard.echo, startedMs, signal: job.signal },
})

/** What broke in its trial was never installed; should the site mind all the same, or its options be others, it is taken back like one that was. */
async function leave(of: Item, begun: Begun, { problem, site_said }: Health): Promise<Ended> {
  const why: Why = { message: `In its trial, which no visitor met, ${asClause(problem)}.`, siteSaid: site_said }
  const standard = { ...begun.standard, version: of.item.version }
  const { health } = await lookOnce(of.here, of.site, standard, { wide: false })
  const isAsBefore = health.ok && (await of.site.insist('updates.status', {})).changed.length === 0
  return isAsBefore ? end(of, begun, { status: 'rolled_back', ...told(why), after: health }) : takeBack(of, begun, because(why))
}

/** As what it counts, where nothing else is said: the version has harmed the site. */
const because = ({ message, siteSaid = null }: Why, { status = 'rolled_back', unjudged = false }: Partial<Back> = {}): Back => ({
  ...{ why: { message, siteSaid }, status, unjudged },
})

const byItself = (hung: boolean): Back => (hung ? because(hungThere) : because(gone, { unjudged: true }))

/** Through the rescue door, whatever state WordPress is in; then looks whether the site is as it was. */
async function takeBack(of: Item, begun: Begun, back: Back): Promise<Ended> {
  const { here, site, item, job } = of
  const { why, status, unjudged } = back
  of.begun = { ...begun, back }
  await of.save(of.begun)
  await of.phase(`taking ${nameOf(item)} back`)
  const first = await rolledBack(of)
  const { unmended } = (await site.mend(claimOf(of))) ?? { unmended: first }
  const standard = { ...begun.standard, version: item.type === 'translations' ? null : item.version }
  const seen = await judge(here, site, standard, { signal: job.signal })
  // Whatever a page shows of that.
  const lacks = { ok: false, problem: 'Its settings could not be put back.', site_said: siteSaid(unmended) }
  const after = seen.ok && unmended !== '' ? { ...seen, ...lacks } : seen
  if (after.ok) return end(of, begun, { status, ...told(why), after, unjudged })
  const still = {
    message: `${why.message} It was taken back, and still: ${after.problem}`,
    siteSaid: why.siteSaid ?? after.site_said,
  }
  return end(of, begun, { status: 'failed', ...told(still), after, cause: why.message, unjudged })
}

/** What the site could not put back beside the files, in its words. */
async function rolledBack(of: Item): Promise<string> {
  for (;;) {
    const { done, unmended } = await of.site.insist('updates.rollback', claimOf(of))
    if (done) return unmended
  }
}

/** Decided; what follows only cleans up. */
async function end(of: Item, begun: Begun, ended: Ended): Promise<Ended> {
  of.begun = { ...begun, ended }
  await of.save(of.begun)
  return release(of, ended)
}

/**
 * A site that heard nothing for too long before this has taken it back meanwhile; then it keeps what it has for another word. One that is not as it
 * was may let nobody in: it is not at work on anything any more, and the next update clears up.
 */
export async function release(of: Item, ended: Ended): Promise<Ended> {
  const params = { ...claimOf(of), keep: ended.status === 'updated', budget_ms: budgetMs }
  const isIll = ended.after?.ok === false
  try {
    for (;;) {
      const { done, kept } = await of.site.insist('updates.release', params, isIll ? { patienceMs: briefMs } : {})
      if (params.keep && !kept && of.begun) return takeBack(of, of.begun, because(gone, { unjudged: true }))
      if (done) return ended
    }
  } catch (error) {
    if (isIll && canWait(error)) return ended
    throw error
  }
}

const pause = ({ job }: Item) => sleep(askAgainMs, undefined, { signal: job.signal })
