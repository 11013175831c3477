// A check of one site by name of those who ask for it, told in the activity.
import type { RequestedBy } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Here } from '../world.ts'
import { type CheckOptions, runCheck, type SourceResult } from './check.ts'
import { findSiteToCheck } from './check-store.ts'
import { logChanges } from './log-changes.ts'

export interface CheckedBy {
  by: RequestedBy
  jobId: string
  signal: AbortSignal
}

type Again = Pick<CheckOptions, 'sources' | 'inventory'>

/** Looks at a site again after something was done to it; within the job that did it. Which sources, the caller knows best. */
export async function lookAgain(here: Here, siteId: string, again: Again, who: CheckedBy): Promise<SourceResult[]> {
  const quiet = async () => undefined
  const options = { ...again, refresh: false, signal: who.signal, phase: quiet, files: quiet, before: quiet, save: quiet }
  return checkSite(here, siteId, options, who)
}

/** A whole check, told in the activity when it changed something. */
export async function checkSite(here: Here, siteId: string | null, options: CheckOptions, who: CheckedBy): Promise<SourceResult[]> {
  const site = await findSiteToCheck(here, siteId)
  if (!site) throw new Problem('not_found', 'The site was removed.')
  const results = await runCheck(here, site, options)
  await here.db.transaction().execute((db) => logChanges({ ...here, db }, site.id, results, who))
  return results
}
