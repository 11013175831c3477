// A new version before it is installed: as our own requests meet it, and nobody else.

import { setTimeout as sleep } from 'node:timers/promises'
import { SiteError } from '../connector/site-error.ts'
import type { SiteClient } from '../sites/client.ts'
import type { Here } from '../world.ts'
import { ask, lookOnce, type Standard } from './judge.ts'
import type { Health } from './schema.ts'

/** A health: so it breaks the site. */
export type Tried = 'passed' | 'unknown' | Health

const lookAgainMs = 1_200
const mostLooks = 5
/** Looks in a row with the same failure, while the version that is installed answers. */
const sureAfter = 2

/** What the trial itself may have caused, by what it holds back, says nothing: then the version is installed and judged. */
export async function tryOut(here: Here, site: SiteClient, standard: Standard, signal: AbortSignal): Promise<Tried> {
  const mark = { echo: standard.echo, trial: true }
  for (let [looks, bad, last]: [number, number, string | null] = [0, 0, null]; looks < mostLooks; looks++) {
    const told = await ask(site, mark)
    if (!(told instanceof SiteError) && !told.trial) return 'unknown'
    const seen = told instanceof SiteError ? { ...standard, watched: [] } : standard
    const { health } = await lookOnce(here, site, seen, { told, wide: !(told instanceof SiteError), trial: true })
    if (health.ok) return 'passed'
    const live = await ask(site, { ...mark, trial: false })
    if (!(live instanceof SiteError)) {
      if (live.held.length > 0) return 'unknown'
      bad = health.problem === last ? bad + 1 : 1
      last = health.problem
      if (bad >= sureAfter) return health
    }
    await sleep(lookAgainMs, undefined, { signal })
  }
  return 'unknown'
}
