// One item: looked at, copied, replaced, judged, and kept or taken back. From wherever an earlier attempt left it.

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Params, Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Running } from '../kernel/job.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import type { Here } from '../world.ts'
import { judge, lookOnce, type Standard } from './judge.ts'
import { watchedOf } from './look.ts'
import type { Health, ItemResult, Updatable } from './schema.ts'
import type { UpdateSite } from './site.ts'
import { inWords, nameOf } from './words.ts'

/** What an attempt leaves for the next one. */
export interface Begun {
  standard: Standard
  before: Health
  startedMs: number
  alone: string
  /** Set before the site is told to keep or forget: from here on it is only told. */
  ended?: Ended
}
export type Ended = Pick<ItemResult, 'status' | 'reason' | 'site_said'> & { after: Health | null }
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

/** Ends with the site in exactly the new state or exactly the old one. */
export async function updateItem(of: Item): Promise<Ended> {
  of.site.connection.alone = of.begun?.alone
  if (of.begun?.ended) return release(of, of.begun.ended)
  const { phase, job } = await of.site.settled(() => pause(of))
  const ours = job === of.job.id && of.begun !== undefined
  if (ours && (phase === 'rolled_back' || phase === 'rolling_back')) return takeBack(of, of.begun as Begun, gone)
  if (ours && phase === 'swapping') return takeBack(of, of.begun as Begun, { message: interrupted })
  if (ours && phase === 'swapped') return conclude(of, of.begun as Begun, undefined)
  return begin(of)
}

/** Until the way back is open; then from outside, as it is before. */
async function begin(of: Item): Promise<Ended> {
  const { here, site, item } = of
  await of.phase(`checking ${nameOf(item)}`)
  const startedMs = here.now().getTime()
  const guarded = await guard(of)
  if (guarded.verdict !== 'ready') {
    await of.site.ask('updates.release', { job: of.job.id, fence: of.job.fence, budget_ms: budgetMs })
    const status = guarded.verdict === 'already_current' ? 'already_current' : guarded.reason === 'connector_itself' ? 'skipped' : 'failed'
    const why = 'why' in guarded ? guarded.why : inWords(guarded.reason)
    return { status, ...told(status === 'already_current' ? null : why), after: null }
  }
  const watched = watchedOf(site.connection, guarded.pages)
  const standard: Standard = { watched, echo: guarded.echo, before: null, version: null, active: false }
  const { health: before, sights } = await lookOnce(here, site, standard)
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
  await of.phase(`updating ${nameOf(item)}`)
  const applied = await apply(of)
  return conclude(of, begun, applied)
}

/** What the site cannot copy it cannot update. */
async function guard({ site, job, item, version }: Item): Promise<Guarded | { verdict: 'not_possible'; reason: ''; why: Why }> {
  const params = { ...wanted({ job, item, version }), budget_ms: budgetMs }
  try {
    for (;;) {
      const told = await site.ask('updates.guard', params)
      if (told.verdict !== 'copying') return told
    }
  } catch (error) {
    if (!(error instanceof SiteError) || error.reason !== 'error:failed') throw error
    return { verdict: 'not_possible', reason: '', why: error }
  }
}

function wanted({ job, item, version }: Pick<Item, 'job' | 'item' | 'version'>): Params<'updates.apply'> {
  const expect_version = version === '' ? {} : { expect_version: version }
  return { job: job.id, fence: job.fence, type: item.type, file: item.file, ...expect_version }
}

/** Asks under one request id until there is an answer: the site does it once and repeats what it said. A run that died says nothing; the site's journal does. */
async function apply(of: Item): Promise<Applied | SiteError> {
  const { job, item, version, site } = of
  const requestId = `req_${hash('sha256', `${job.id} ${job.fence} ${item.type} ${item.file} ${version}`, 'hex').slice(0, 32)}`
  const deadline = performance.now() + applyPatienceMs
  let lost = 0
  for (;;) {
    try {
      return await site.ask('updates.apply', wanted(of), { requestId, timeoutMs: 60_000, retries: 0 })
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      if (!error.retryable || error.reason === 'error:busy' || performance.now() > deadline) return error
      const { phase } = await site.settled(() => pause(of))
      if (phase !== 'armed' && (phase !== 'swapped' || ++lost > 1)) return error
      await pause(of)
    }
  }
}

/** Whatever was heard: what the site says it did, and what is seen from outside, decide. */
async function conclude(of: Item, begun: Begun, applied: Applied | SiteError | undefined): Promise<Ended> {
  const { here, site, item, job } = of
  const said = applied === undefined || applied instanceof SiteError ? undefined : applied
  const { phase } = await site.settled(() => pause(of))
  const why = applied instanceof SiteError ? applied : inWords(said?.reason ?? '')
  if (phase === 'none') throw new Error('The site has forgotten an update that is at work.')
  if (phase === 'armed')
    return end(of, begun, { status: said?.status === 'already_current' ? said.status : 'failed', ...told(why), after: null })
  if (phase !== 'swapped') return takeBack(of, begun, phase === 'swapping' ? { ...why, message: `${interrupted} ${why.message}` } : gone)
  if (said?.status === 'failed') return takeBack(of, begun, why, said.to_version === said.from_version ? 'failed' : 'rolled_back')
  if (said?.status === 'updated' && said.to_version !== of.version)
    return takeBack(of, begun, { message: `The site says it updated, but runs ${plainWord(said.to_version) ?? 'an unknown version'}.` })
  await of.phase(`judging ${nameOf(item)}`)
  const health = await judge(here, site, begun.standard, job.signal)
  return health.ok
    ? end(of, begun, { status: 'updated', ...told(null), after: health })
    : takeBack(of, begun, { message: health.problem ?? 'The site is not as healthy as before.', siteSaid: health.site_said })
}

/** Through the rescue door, whatever state WordPress is in; then looks whether the site is as it was. */
async function takeBack(of: Item, begun: Begun, why: Why, status: 'failed' | 'rolled_back' = 'rolled_back'): Promise<Ended> {
  const { here, site, item, job } = of
  await of.phase(`taking ${nameOf(item)} back`)
  const claim = { job: job.id, fence: job.fence }
  while (!(await site.insist('updates.rollback', claim)).done);
  await site.mend(claim)
  const standard = { ...begun.standard, version: item.type === 'translations' ? null : item.version }
  const after = await judge(here, site, standard, job.signal)
  if (after.ok) return end(of, begun, { status, ...told(why), after })
  const still = { message: `${why.message} It was taken back, and still: ${after.problem}`, siteSaid: why.siteSaid ?? after.site_said }
  return end(of, begun, { status: 'failed', ...told(still), after })
}

/** Decided; what follows only cleans up. */
async function end(of: Item, begun: Begun, ended: Ended): Promise<Ended> {
  of.begun = { ...begun, ended }
  await of.save(of.begun)
  return release(of, ended)
}

/** A site that heard nothing for too long before this has taken it back meanwhile. */
async function release(of: Item, ended: Ended): Promise<Ended> {
  const { site, job, begun } = of
  if (ended.status === 'updated' && begun) {
    const status = await site.settled(() => pause(of))
    if (status.job === job.id && status.phase.startsWith('roll')) return takeBack(of, begun, gone)
  }
  const params = { job: job.id, fence: job.fence, budget_ms: budgetMs }
  while (!(await site.insist('updates.release', params)).done);
  return ended
}

const pause = ({ job }: Item) => sleep(askAgainMs, undefined, { signal: job.signal })
