// The way back of one item, and the end of either way.
import { siteSaid } from '../connector/clean.ts'
import type { Why } from '../kernel/site-said.ts'
import { isSlower } from '../sites/sight.ts'
import { asReason, type Back, type Begun, budgetMs, claimOf, type Ended, type Item, pause } from './begun.ts'
import { judge, lookOnce } from './judge.ts'
import type { Sight, Standard } from './look.ts'
import { briefMs, canWait } from './site.ts'
import { nameOf } from './words.ts'

const gone: Why = {
  message: 'The service was interrupted and the site heard nothing for five minutes, so it took the update back by itself.',
}
const hungThere: Why = { message: 'The site let nobody through any more, and took the update back by itself.' }
const shutThere: Why = {
  message:
    'After a change of .htaccess, .user.ini or wp-config.php no request got through to the site for a minute, so it took the update back by itself.',
}

/** As what it counts, where nothing else is said: the version has harmed the site. */
export const because = (
  { message, siteSaid = null }: Why,
  { status = 'rolled_back', unjudged = false, late = null }: Partial<Back> = {},
): Back => ({ why: { message, siteSaid }, status, unjudged, late })

/** That nobody came for a while is no proof: what a version hung is. */
export const byItself = ({ hung, shut }: { hung: boolean; shut: boolean }): Back =>
  hung ? because(hungThere) : because(shut ? shutThere : gone, { unjudged: true })

/** Through the rescue door, whatever state WordPress is in; then looks whether the site is as it was. */
export async function takeBack(of: Item, begun: Begun, back: Back): Promise<Ended> {
  const { here, site, item, job } = of
  const { why, status, unjudged, late } = back
  of.begun = { ...begun, back }
  await of.save(of.begun)
  await of.phase(`taking ${nameOf(item)} back`)
  const first = await rolledBack(of)
  const unmended = await mended(of, first)
  const standard: Standard = { ...begun.standard, version: item.type === 'translations' ? null : item.version, isBack: true }
  // Where the site itself says that it is not as it was, no page says more.
  const { health: seen } =
    unmended === '' ? await judge(here, site, standard, { signal: job.signal }) : await lookOnce(here, site, standard, { wide: false })
  const lacks = { ok: false, problem: 'Its settings could not be put back.', site_said: siteSaid(unmended) }
  const after = seen.ok && unmended !== '' ? { ...seen, ...lacks } : seen
  if (after.ok && late && (await isAsLate(of, standard, late)))
    return end(of, begun, { status: 'failed', ...asReason(busy(why)), after, unjudged: true, busy: true })
  if (after.ok) return end(of, begun, { status, ...asReason(why), after, unjudged })
  const still = {
    message: `${why.message} It was taken back, and still: ${after.problem}`,
    siteSaid: why.siteSaid ?? after.site_said,
  }
  return end(of, begun, { status: 'failed', ...asReason(still), after, cause: why.message, unjudged, unmended })
}

/** Looks at the version before, until one shows that answers take long. */
const mostLooks = 3

/** Whether answers take as long as with the version that was taken back: then the host is busy, and the version is not known to be slow. */
async function isAsLate(of: Item, { isBack: _, ...standard }: Standard, late: readonly Sight[]): Promise<boolean> {
  const seen: Sight[] = []
  for (let looks = 0; looks < mostLooks; looks++) {
    if (looks > 0) await pause(of)
    const now = await lookOnce(of.here, of.site, standard, { wide: true })
    seen.push(...now.sights)
    if (late.length === 0 ? now.late : late.every((page) => !isSlower(page, seen))) return true
  }
  return false
}

const busy = ({ message, siteSaid = null }: Why): Why => ({
  message: `${message} It was taken back, and takes as long with the version before: the site is too busy to tell whose doing that is.`,
  siteSaid,
})

/** For how long a database that starts anew is waited for. */
const databaseMs = 60_000
export const isDatabaseAway = (unmended: string) => /database does not answer/.test(unmended)

/** What is left to mend once WordPress answers; what lacks the database alone is asked for again. */
async function mended(of: Item, first: string): Promise<string> {
  const deadline = performance.now() + databaseMs
  for (let lacks = first; ; await pause(of)) {
    lacks = (await of.site.mend(claimOf(of), lacks === ''))?.unmended ?? lacks
    if (!isDatabaseAway(lacks) || performance.now() > deadline) return lacks
  }
}

/** What the site could not put back beside the files, in its words. */
async function rolledBack(of: Item): Promise<string> {
  for (;;) {
    const { done, unmended } = await of.site.insist('updates.rollback', claimOf(of))
    if (done) return unmended
  }
}

/** Decided; what follows only cleans up. */
export async function end(of: Item, begun: Begun, ended: Ended): Promise<Ended> {
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
