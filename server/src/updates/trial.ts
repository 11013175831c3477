// A new version before it is installed: as our own requests meet it, and nobody else.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { compared } from '../sites/sight.ts'
import type { Here } from '../world.ts'
import { ask, lookOnce, reasonOf, type Wrong } from './judge.ts'
import { type Mark, questionOf, type Sight, type Standard, visitWatched, widerOf } from './look.ts'
import { isCutOff, lookAlone } from './looks.ts'
import type { Health } from './schema.ts'
import { isAsInstalled } from './wavering.ts'

/** A health: so it breaks the site. */
export type Tried = 'passed' | 'unknown' | Health

const lookAgainMs = 1_200
const mostLooks = 5
/** Looks in a row with the same failure, while the version that is installed answers. */
const sureAfter = 2

/**
 * What the trial itself may have caused says nothing: what a request that failed had to go without, and that it forgets what a version does once.
 * Then the version is installed and judged, and so is one of which a page could not be seen.
 */
export async function tryOut(here: Here, site: SiteClient, standard: Standard, signal: AbortSignal): Promise<Tried> {
  const mark: Mark = { echo: standard.echo, trial: true }
  const live = () => ask(site, { ...mark, trial: false })
  for (let [looks, bad, last]: [number, number, string | null] = [0, 0, null]; looks < mostLooks; looks++) {
    const question = questionOf(mark)
    const answer = await ask(site, mark, question)
    if (!(answer instanceof SiteError) && !answer.trial) return 'unknown'
    const seen = answer instanceof SiteError ? { ...standard, watched: [] } : standard
    const look = await lookOnce(here, site, seen, { answer, wide: !(answer instanceof SiteError), trial: question })
    const { health, sights, slow, wrong, wavering } = look
    if (hasUnseen(seen, sights) && health.ok) return 'unknown'
    if (health.ok) return slow ? 'unknown' : 'passed'
    const late = answer instanceof SiteError ? answer.reason === 'timeout' : sights.some(isUnanswered)
    const installed = await live()
    if (!(installed instanceof SiteError)) {
      const why = reasonOf(wrong.filter(isItsOwn(installed)))
      if (why === null) return 'unknown'
      const broken = { ...health, problem: why.message, site_said: why.siteSaid ?? null }
      if (late) {
        if (await answersLater(site, standard, mark, sights)) return 'unknown'
        const still = await live()
        if (!(still instanceof SiteError)) return wrong.some(isItsOwn(still)) ? broken : 'unknown'
      }
      bad = why.message === last ? bad + 1 : 1
      last = why.message
      if (bad >= sureAfter) {
        if (!(await isAsInstalled(site, standard, wavering))) return (await isInstalledAway(site, standard, sights)) ? 'unknown' : broken
        bad = 0
      }
    }
    await sleep(lookAgainMs, undefined, { signal })
  }
  return 'unknown'
}

/** Whether what was wrong is the version's doing: its requests had to go without nothing. An older connector does not say which did. */
const isItsOwn =
  ({ held, without }: Pick<Result<'updates.probe'>, 'held' | 'without'>) =>
  ({ nonces }: Wrong) =>
    without === undefined ? held.length === 0 : !nonces.some((nonce) => without.includes(nonce))

/** A page that the site itself showed before, and does not in its trial. */
const hasUnseen = ({ watched, before }: Standard, sights: readonly Sight[]) =>
  before !== null &&
  watched.some(({ page }) => before.some((was) => was.live && was.page === page) && !sights.some((sight) => sight.page === page))

/** Where the web server answered for a process that died: whether it does so without a trial as well. */
async function isInstalledAway(site: SiteClient, standard: Standard, sights: readonly Sight[]): Promise<boolean> {
  const cut = sights.find((sight) => isCutOff(sight) && !isUnanswered(sight))
  const now = cut && (await lookAlone(site, standard, { echo: standard.echo, trial: false }, cut.page))
  return now !== undefined && compared([now], standard.before).some(({ problem }) => problem !== null)
}

const isUnanswered = ({ status }: Sight) => status === 0

/** What did not answer in time is asked once more: it may have had something to do first, which ends. */
async function answersLater(site: SiteClient, { watched, before }: Standard, mark: Mark, sights: readonly Sight[]): Promise<boolean> {
  const patient: Mark = { ...mark, patient: true }
  const silent = sights.find(isUnanswered)
  const page = [...watched, ...widerOf(site.connection)].find((each) => each.page === silent?.page)
  if (!page) return !((await ask(site, patient)) instanceof SiteError)
  return compared(await visitWatched(site.pages, [page], patient), before).every(({ problem, slow }) => problem === null || slow)
}
