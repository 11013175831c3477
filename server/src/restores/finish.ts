// The part of a restore that is never left half done: swap, look, keep or take back.

import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { type Running, uncanceled } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Why } from '../kernel/site-said.ts'
import type { SiteClient } from '../sites/client.ts'
import { type Armed, judge } from './probe.ts'
import { lostOnes } from './table-words.ts'
import type { Claim } from './upload.ts'

type Committed = Result<'restore.commit'>
type TakenBack = { [Field in 'lacks' | 'orphans' | 'unlooked']: NonNullable<Committed[Field]> }

/** Goes on from wherever the site is, to exactly the new state or exactly the old one. */
export async function finish(job: Running, site: SiteClient): Promise<Committed> {
  const claim = { job: job.id, fence: job.fence }
  const { phase, id } = await site.insist('restore.status', {})
  if (phase === 'rolling_back' || phase === 'rolled_back')
    return giveUp(site, claim, { message: 'An earlier attempt did not hear from the site.' })
  const armed = (await job.stateOf('armed')) as Armed | undefined
  if (!armed?.sights) return giveUp(site, claim, { message: 'It is not known any more how the site was looked at.' })
  if (phase !== 'committed') {
    if (phase === 'armed') await job.phase('swap') // The last moment at which a cancel is heeded.
    const swapped = await swap(site, claim)
    if (swapped !== null) return giveUp(site, claim, swapped)
    await uncanceled(job.phase('probe'))
    const { wordpress = null } = ((await job.stateOf('plan')) ?? {}) as { wordpress?: string | null }
    const { wrong, warnings } = await judge(site, armed, { wordpress, marker: id })
    if (wrong !== null) return giveUp(site, claim, wrong)
    await job.saveState('judged', { warnings })
    await uncanceled(job.phase('commit'))
  }
  return commit(site, claim)
}

/** Null when everything is swapped, otherwise why not. */
async function swap(site: SiteClient, claim: Claim): Promise<Why | null> {
  try {
    while (!(await site.insist('restore.swap', claim)).done);
    return null
  } catch (error) {
    if (error instanceof SiteError && error.reason !== 'error:fence') return error
    throw error
  }
}

async function commit(site: SiteClient, claim: Claim): Promise<Committed> {
  try {
    return await site.insist('restore.commit', claim)
  } catch (error) {
    if (!(error instanceof SiteError) || error.reason === 'error:fence') throw error
    return giveUp(site, claim, error)
  }
}

async function giveUp(site: SiteClient, claim: Claim, { message, siteSaid = null }: Why): Promise<never> {
  const { lacks } = await takeBack(site, claim)
  const taken = ['The restore was taken back, the site is as it was', ...(lacks.length > 0 ? [' but for what follows'] : []), '.'].join('')
  throw new Problem('site_failed', [taken, ...lostOnes(lacks), message].join(' '), {
    retryable: false,
    siteSaid,
    takenBack: true,
  })
}

/** Back to the old state, and nothing left of the new one. Tells what of the database could not be made again, and what refers to nothing. */
export async function takeBack(site: SiteClient, claim: Claim): Promise<TakenBack> {
  const { phase } = await site.insist('restore.status', {})
  if (phase !== 'rolled_back' && phase !== 'none') while (!(await site.insist('restore.rollback', claim)).done);
  const lasting = site.lasting()
  const { lacks = [], orphans = [], unlooked = 0 } = await lasting.ask('restore.status', {})
  while (!(await lasting.ask('restore.purge', { ...claim, budget_ms: 5_000 })).done);
  return { lacks, orphans, unlooked }
}
