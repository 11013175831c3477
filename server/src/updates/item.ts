// One item: looked at, copied, replaced, judged, and kept or taken back. From wherever an earlier attempt left it.

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Running } from '../kernel/job.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import type { Here } from '../world.ts'
import { judge, lookOnce } from './judge.ts'
import { type Standard, watchedOf } from './look.ts'
import { noPictures, pictureAfter, pictureBefore, type Taken } from './pictures.ts'
import type { Health, ItemResult, Updatable } from './schema.ts'
import type { UpdateSite } from './site.ts'
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
  /** Set before the site is told to keep or forget: from here on it is only told. */
  ended?: Ended
}
/** `cause`: why it was taken back, where that did not heal the site. */
export type Ended = Pick<ItemResult, 'status' | 'reason' | 'site_said'> & { after: Health | null; cause?: string }
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

/** The reason of an item; null where there is nothing to tell. */
const told = (why: Why | null) => ({ reason: why?.message ?? null, site_said: why?.siteSaid ?? null })

/** Ends with the site in exactly the new state or exactly the old one. Nothing was replaced before `begun` was written down. */
export async function updateItem(of: Item): Promise<Ended> {
  const { begun, site } = of
  site.connection.alone = begun?.alone
  if (begun?.ended) return release(of, begun.ended)
  if (!begun) return begin(of)
  const { phase, job } = await site.settled(() => pause(of))
  if (job !== of.job.id) return begin(of)
  if (phase === 'rolled_back' || phase === 'rolling_back') return takeBack(of, begun, gone)
  if (phase === 'swapping') return takeBack(of, begun, { message: interrupted })
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
  const { health: before, sights } = await lookOnce(here, site, standard, {
    told: { ...guarded, clone: false, fatals: [] },
    wide: true,
    twice: true,
  })
  const version = item.type === 'translations' ? null : of.version
  const begun: Begun = {
    standard: { ...standard, before: sights, version, active: guarded.active },
    before,
    startedMs,
    alone: guarded.alone,
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
  const { phase } = said ?? (await site.settled(() => pause(of)))
  const why = applied instanceof SiteError ? applied : inWords(said?.reason ?? '')
  if (phase === 'none') throw new Error('The site has forgotten an update that is at work.')
  if (phase === 'armed')
    return end(of, begun, { status: said?.status === 'already_current' ? said.status : 'failed', ...told(why), after: null })
  if (phase !== 'swapped') return takeBack(of, begun, phase === 'swapping' ? { ...why, message: `${interrupted} ${why.message}` } : gone)
  if (said?.status === 'failed') return takeBack(of, begun, why, said.to_version === said.from_version ? 'failed' : 'rolled_back')
  if (said?.status === 'updated' && said.to_version !== of.version)
    return takeBack(of, begun, { message: `The site says it updated, but runs ${plainWord(said.to_version) ?? 'an unknown version'}.` })
  await of.phase(`judging ${nameOf(item)}`)
  // Each request of a trial began without what those before it wrote.
  const tried = begun.passed === true && said?.held.length === 0 && !said.wrote
  const health = await judge(here, site, begun.standard, { signal: job.signal, tried })
  if (!health.ok)
    return takeBack(of, begun, { message: health.problem ?? 'The site is not as healthy as before.', siteSaid: health.site_said })
  const hidden = await seenHidden(of, begun)
  return hidden ? takeBack(of, begun, hidden) : end(of, begun, { status: 'updated', ...told(null), after: health })
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

/** What broke in its trial was never installed; should the site mind all the same, it is taken back like one that was. */
async function leave(of: Item, begun: Begun, { problem, site_said }: Health): Promise<Ended> {
  const why: Why = { message: `In its trial, which no visitor met, ${asClause(problem)}.`, siteSaid: site_said }
  const standard = { ...begun.standard, version: of.item.version }
  const { health } = await lookOnce(of.here, of.site, standard, { wide: false })
  return health.ok ? end(of, begun, { status: 'rolled_back', ...told(why), after: health }) : takeBack(of, begun, why)
}

/** Through the rescue door, whatever state WordPress is in; then looks whether the site is as it was. */
async function takeBack(of: Item, begun: Begun, why: Why, status: 'failed' | 'rolled_back' = 'rolled_back'): Promise<Ended> {
  const { here, site, item, job } = of
  await of.phase(`taking ${nameOf(item)} back`)
  while (!(await site.insist('updates.rollback', claimOf(of))).done);
  await site.mend(claimOf(of))
  const standard = { ...begun.standard, version: item.type === 'translations' ? null : item.version }
  const after = await judge(here, site, standard, { signal: job.signal })
  if (after.ok) return end(of, begun, { status, ...told(why), after })
  const still = { message: `${why.message} It was taken back, and still: ${after.problem}`, siteSaid: why.siteSaid ?? after.site_said }
  return end(of, begun, { status: 'failed', ...told(still), after, cause: why.message })
}

/** Decided; what follows only cleans up. */
async function end(of: Item, begun: Begun, ended: Ended): Promise<Ended> {
  of.begun = { ...begun, ended }
  await of.save(of.begun)
  return release(of, ended)
}

/** A site that heard nothing for too long before this has taken it back meanwhile; then it keeps what it has for another word. */
async function release(of: Item, ended: Ended): Promise<Ended> {
  const params = { ...claimOf(of), keep: ended.status === 'updated', budget_ms: budgetMs }
  for (;;) {
    const { done, kept } = await of.site.insist('updates.release', params)
    if (params.keep && !kept && of.begun) return takeBack(of, of.begun, gone)
    if (done) return ended
  }
}

const pause = ({ job }: Item) => sleep(askAgainMs, undefined, { signal: job.signal })
