// One item: looked at, copied, replaced, judged, and kept or taken back. From wherever an earlier attempt left it.

import { hash } from 'node:crypto'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import { compareVersions, parseVersion } from '../kernel/version.ts'
import { because, byItself, end, release, takeBack } from './back.ts'
import { asReason, type Begun, budgetMs, claimOf, type Ended, type Item, pause } from './begun.ts'
import { judge, lookOnce } from './judge.ts'
import { type Standard, watchedOf } from './look.ts'
import { noPictures, pictureAfter, pictureBefore, type Taken } from './pictures.ts'
import type { Health } from './schema.ts'
import { tryOut } from './trial.ts'
import { asClause, inWords, nameOf } from './words.ts'

type Applied = Result<'updates.apply'>
type Guarded = Result<'updates.guard'>

/** What cannot be updated like this is left as it is. */
const LEFT: ReadonlySet<string> = new Set(['connector_itself', 'folder_for_a_file'])
const applyPatienceMs = 5 * 60_000
const tooBusy: Why = { message: 'The site is so busy that nobody can tell whether its pages take longer now.' }
const interrupted = 'The site was interrupted in the middle of the update.'

/**
 * Ends with the site in exactly the new state or exactly the old one. Nothing was replaced before `begun` was written down. A site that was too busy
 * to tell is updated once more, and how long its answers take says nothing then.
 */
export async function updateItem(of: Item): Promise<Ended> {
  const ended = await goOn(of)
  return ended.busy && !of.begun?.standard.isBusy ? begin(of) : ended
}

async function goOn(of: Item): Promise<Ended> {
  const { begun, site } = of
  site.connection.alone = begun?.alone
  if (begun?.ended) return release(of, begun.ended)
  if (!begun) return begin(of)
  const { phase, job, hung, shut } = await site.settled(() => pause(of))
  if (job !== of.job.id) return begin(of)
  if (begun.back) return takeBack(of, begun, begun.back)
  if (phase === 'rolled_back' || phase === 'rolling_back') return takeBack(of, begun, byItself({ hung, shut }))
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
    const status = guarded.verdict === 'already_current' ? 'already_current' : LEFT.has(guarded.reason) ? 'skipped' : 'failed'
    const why = 'why' in guarded ? guarded.why : inWords(guarded.reason)
    return { status, ...asReason(status === 'already_current' ? null : why), after: null }
  }
  const watched = watchedOf(site.connection, guarded.pages)
  const { echo, post, events } = guarded
  const again: Partial<Standard> = of.begun?.ended?.busy ? { isBusy: true } : {}
  const standard: Standard = { watched, echo, post, events, before: null, version: null, active: false, ...again }
  const { health: before, sights } = await lookOnce(here, site, standard, {
    answer: { ...guarded, clone: false, fatals: [] },
    wide: true,
    twice: true,
  })
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
      const answer = await of.site.ask('updates.guard', params)
      if (answer.verdict !== 'copying') return answer
    } catch (error) {
      if (!(error instanceof SiteError)) throw error
      if (error.reason === 'error:failed') return { verdict: 'not_possible', reason: '', why: error }
      if (error.reason !== 'error:busy' || waited) throw error
      await of.site.settled(() => pause(of))
      waited = true
    }
  }
}

function wanted(of: Item) {
  const { type, file } = of.item
  const expect_version = of.version === '' ? {} : { expect_version: of.version }
  return { ...claimOf(of), type, file, ...expect_version }
}

/** Asks under one request id until there is an answer: the site does it once and repeats what it said. A run that died says nothing; the site's journal does. */
async function apply(of: Item): Promise<Applied | SiteError> {
  const { job, item, version, site } = of
  const again = of.begun?.standard.isBusy ? ' again' : ''
  const requestId = `req_${hash('sha256', `${job.id} ${job.fence} ${item.type} ${item.file} ${version}${again}`, 'hex').slice(0, 32)}`
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
  const { phase, hung = false, shut = false } = said ? { phase: said.phase } : await site.settled(() => pause(of))
  const why = applied instanceof SiteError ? applied : inWords(said?.reason ?? '')
  if (phase === 'none') throw new Error('The site has forgotten an update that is at work.')
  if (phase === 'armed')
    return end(of, begun, { status: said?.status === 'already_current' ? said.status : 'failed', ...asReason(why), after: null })
  if (phase === 'swapping') return takeBack(of, begun, because({ ...why, message: `${interrupted} ${why.message}` }, { unjudged: true }))
  if (phase !== 'swapped') return takeBack(of, begun, byItself({ hung, shut }))
  if (said?.status === 'failed') {
    const asItWas = LEFT.has(said.reason ?? '') ? 'skipped' : 'failed'
    return takeBack(of, begun, because(why, { status: said.to_version === said.from_version ? asItWas : 'rolled_back' }))
  }
  if (said?.status === 'updated' && said.to_version !== of.version) {
    const runs = plainWord(said.to_version) ?? 'an unknown version'
    return takeBack(of, begun, because({ message: `The site says it updated, but runs ${runs}.` }))
  }
  await of.phase(`judging ${nameOf(item)}`)
  // Each request of a trial began without what those before it wrote.
  const tried = begun.passed === true && said?.held.length === 0 && !said.wrote
  const { health, late, runs } = await judge(here, site, begun.standard, { signal: job.signal, tried })
  if (!health.ok && runs !== null) return withAnother(of, begun, runs, { message: health.problem ?? '' })
  if (!health.ok) {
    const message = health.problem ?? 'The site is not as healthy as before.'
    return takeBack(of, begun, because({ message, siteSaid: health.site_said }, { late }))
  }
  const hidden = await seenHidden(of, begun)
  if (hidden) return takeBack(of, begun, because(hidden))
  return end(of, begun, {
    status: 'updated',
    ...asReason(withoutAdmin(begun, health) ?? (begun.standard.isBusy ? tooBusy : null)),
    after: health,
  })
}

/** A database that WordPress has to bring to its new version first leads every screen there. */
function withoutAdmin({ before, passed }: Begun, after: Health): Why | null {
  const shown = ({ pages }: Health) => pages.some(({ page, status }) => page.startsWith('wp-admin/') && status < 400)
  return !passed && shown(before) && !shown(after) ? unshown : null
}
const unshown: Why = {
  message:
    'wp-admin was looked at before and could not be after: WordPress may have to bring its database to the new version first, which it offers to whoever signs in there (wp-admin/upgrade.php).',
}

/** Somebody else has put another version there, which tells nothing of this one. A newer one stays where the site is well with it. */
async function withAnother(of: Item, begun: Begun, runs: string, why: Why): Promise<Ended> {
  const { here, site, job, version } = of
  const isNewer = compareVersions(parseVersion(runs), parseVersion(version)) > 0
  const { health } = isNewer ? await judge(here, site, { ...begun.standard, version: runs }, { signal: job.signal }) : { health: null }
  if (!health?.ok) return takeBack(of, begun, because(why, { unjudged: true }))
  const reason = asReason({ message: 'Somebody else put a newer version there meanwhile; the site is well with that one, so it stays.' })
  return end(of, begun, { status: 'updated', to_version: runs, ...reason, after: health, unjudged: true })
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
  const standard: Standard = { ...begun.standard, version: of.item.version, isBack: true }
  const { health } = await lookOnce(of.here, of.site, standard, { wide: false })
  const isAsBefore = health.ok && (await of.site.insist('updates.status', {})).changed.length === 0
  return isAsBefore ? end(of, begun, { status: 'rolled_back', ...asReason(why), after: health }) : takeBack(of, begun, because(why))
}
