// A new version before it is installed: as our own requests meet it, and nobody else.

import { setTimeout as sleep } from 'node:timers/promises'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import { compared } from '../sites/sight.ts'
import type { Here } from '../world.ts'
import { ask, lookOnce, type Standard } from './judge.ts'
import { lookAt, type Mark, type Sight, widerOf } from './look.ts'
import type { Health } from './schema.ts'

/** A health: so it breaks the site. */
export type Tried = 'passed' | 'unknown' | Health

const lookAgainMs = 1_200
const mostLooks = 5
/** Looks in a row with the same failure, while the version that is installed answers. */
const sureAfter = 2

/**
 * What the trial itself may have caused says nothing: what it holds back, and that it forgets what a version does once. Then the version is
 * installed and judged.
 */
export async function tryOut(here: Here, site: SiteClient, standard: Standard, signal: AbortSignal): Promise<Tried> {
  const mark: Mark = { echo: standard.echo, trial: true }
  const live = () => ask(site, { ...mark, trial: false })
  for (let [looks, bad, last]: [number, number, string | null] = [0, 0, null]; looks < mostLooks; looks++) {
    const told = await ask(site, mark)
    if (!(told instanceof SiteError) && !told.trial) return 'unknown'
    const seen = told instanceof SiteError ? { ...standard, watched: [] } : standard
    const { health, sights, slow } = await lookOnce(here, site, seen, { told, wide: !(told instanceof SiteError), trial: true })
    if (health.ok) return slow ? 'unknown' : 'passed'
    const late = told instanceof SiteError ? told.reason === 'timeout' : sights.some(isUnanswered)
    const installed = await live()
    if (!(installed instanceof SiteError)) {
      if (installed.held.length > 0) return 'unknown'
      if (late) {
        if (await answersLater(site, standard, mark, sights)) return 'unknown'
        const still = await live()
        if (!(still instanceof SiteError)) return still.held.length > 0 ? 'unknown' : health
      }
      bad = health.problem === last ? bad + 1 : 1
      last = health.problem
      if (bad >= sureAfter) return health
    }
    await sleep(lookAgainMs, undefined, { signal })
  }
  return 'unknown'
}

const isUnanswered = ({ status }: Sight) => status === 0

/** What did not answer in time is asked once more: it may have had something to do first, which ends. */
async function answersLater(site: SiteClient, { watched, before }: Standard, mark: Mark, sights: readonly Sight[]): Promise<boolean> {
  const patient: Mark = { ...mark, patient: true }
  const silent = sights.find(isUnanswered)
  const page = [...watched, ...widerOf(site.connection)].find((each) => each.page === silent?.page)
  if (!page) return !((await ask(site, patient)) instanceof SiteError)
  return compared(await lookAt(site.pages, [page], patient), before).every(({ problem, slow }) => problem === null || slow)
}
