import { logEvent } from '../activity/service.ts'
import { mustBeAsApproved } from '../approvals/held.ts'
import { SiteError } from '../connector/site-error.ts'
import { counted, type DoneJob, type JobKind, type JobSummary, type NextStep, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { Check } from '../security/check-entry.ts'
import { lookAgain } from '../security/check-site.ts'
import { checks } from '../security/checks.ts'
import { type Target, targetOf } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { applyTweak, revertTweak } from './change.ts'
import { boundFix, whatOf } from './plan.ts'
import type { Planned, TweakId, TweakResult } from './schema.ts'
import { see } from './see.ts'
import { type TweakSite, tweakSite } from './site.ts'
import { writeApplied, writeSeen } from './store.ts'
import { known } from './table.ts'

export interface Input {
  tweak_ids: TweakId[]
  action: 'apply' | 'revert'
  again: boolean
}

/** An attempt that was killed is continued; a tweak it had begun is looked at anew and counts as this job's. */
export const tweak: JobKind<World, Input, Result> = { type: 'tweak', retries: 3, changesSite: true, work, summarize, next }

interface Result {
  action: Input['action']
  items: TweakResult[]
}

function summarize({ action, items }: Result): JobSummary {
  const [done, other] = [items.filter(isDone), items.filter((item) => !isDone(item))]
  const word = action === 'apply' ? 'applied' : 'reverted'
  const summary = [
    ...(done.length > 0 || other.length === 0 ? [`${word} ${counted(done.length, 'tweak')}`] : []),
    ...other.slice(0, 3).map(({ tweak_id, reason }) => `${tweak_id} was not ${word}: ${(reason ?? 'it was refused').replace(/\.$/, '')}`),
    ...(other.length > 3 ? [`${other.length - 3} more were not ${word}`] : []),
  ].join('; ')
  const outcome = other.length === 0 ? 'done' : done.length > 0 ? 'partly' : 'failed'
  return { outcome, summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.` }
}

function next(_: unknown, { siteId, result: { action, items } }: DoneJob<Result>): NextStep[] {
  const ours = items.filter(({ tweak_id, status }) => status === 'applied' && known(tweak_id).reversible).map(({ tweak_id }) => tweak_id)
  if (action !== 'apply' || ours.length === 0) return []
  return [{ why: 'Take it back.', tool: 'apply_security_fix', input: { site_id: siteId, tweak_ids: ours, action: 'revert' } }]
}

const isDone = ({ status }: TweakResult) => status === 'applied' || status === 'already' || status === 'reverted'

async function work(world: World, job: Running, input: Input): Promise<Result> {
  const here = { ...world, workspaceId: job.workspaceId }
  const target = await targetOf(here, job.siteId)
  const site = await tweakSite(here, job, target)
  await compare(here, job, target, input)
  const items: TweakResult[] = []
  for (const [index, id] of input.tweak_ids.entries()) {
    await job.progress({
      percent: Math.floor((100 * index) / input.tweak_ids.length),
      done: index,
      total: input.tweak_ids.length,
      unit: 'tweaks',
    })
    items.push(await settle(site, id, input))
  }
  await job.phase('looking')
  await remember(here, target)
  await lookAtFindings(here, job, target, items)
  return { action: input.action, items }
}

/** With what was approved, before the first of them is begun: all of them are done on this site as they were shown, or none. */
async function compare(here: Here, job: Running, target: Target, { tweak_ids, action, again }: Input): Promise<void> {
  if (job.approvalId === null) return
  for (const id of tweak_ids) if ((await job.stateOf(`${action} ${id}`)) !== undefined) return
  const { all } = await see(here, target)
  // What is asked for next is planned with what was seen.
  await writeSeen(here, target.id, here.now(), [...all.values()])
  const now = tweak_ids.map((tweak_id) => ({
    ...{ site_id: target.id, tweak_id },
    ...whatOf(tweak_id, { action, again }, all.get(tweak_id)),
  }))
  await mustBeAsApproved(here, job, {
    now: boundFix(now),
    of: (bound) => ((bound ?? []) as typeof now).filter(({ site_id }) => site_id === target.id),
    unlike: `By now: ${now.map(({ tweak_id, will }) => `${tweak_id}, ${wills[will]}`).join('; ')}.`,
  })
}

const wills: Record<Planned['will'], string> = { apply: 'to be applied', revert: 'to be taken back', nothing: 'nothing to do' }

async function settle(site: TweakSite, id: TweakId, input: Input): Promise<TweakResult> {
  const { job, here } = site
  const step = `${input.action} ${id}`
  const before = (await job.stateOf(step)) as { begun: true } | TweakResult | undefined
  if (before && 'status' in before) return before
  await job.phase(`${input.action === 'apply' ? 'applying' : 'reverting'} ${id}`)
  await job.saveState(step, { begun: true })
  const result = { tweak_id: id, ...(await attempt(site, id, input, before !== undefined)) }
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    await job.saveState(step, result, db)
    if (result.status === 'applied' || result.status === 'reverted') {
      const seen = { tweak_id: id, reason: null, site_said: null, already_by: null, evidence: result.evidence }
      const on = result.status === 'applied'
      await writeSeen(within, site.site.id, here.now(), [{ ...seen, state: on ? 'applied' : 'not_applied', verified: on }])
      await writeApplied(within, site.site.id, id, on ? { at: here.now(), by: job.requestedBy } : null)
    }
    await logResult(within, job, site.site, result)
  })
  await job.finishStep(step)
  return result
}

/** What the site itself refuses or breaks is this tweak's result; the others go on. */
async function attempt(site: TweakSite, id: TweakId, { action, again }: Input, mine: boolean): Promise<Omit<TweakResult, 'tweak_id'>> {
  try {
    return await (action === 'apply' ? applyTweak(site, id, { again, mine }) : revertTweak(site, id, { mine }))
  } catch (error) {
    if (error instanceof SiteError || (error instanceof Problem && error.code.startsWith('site_')))
      return { status: 'failed', reason: error.message, site_said: error.siteSaid, evidence: [] }
    throw error
  }
}

/** How all of them are now; a site that cannot be asked keeps what was seen. */
async function remember(here: Here, target: Target): Promise<void> {
  try {
    const { all } = await see(here, target)
    await writeSeen(here, target.id, here.now(), [...all.values()])
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    here.log.warn({ err: error, site_id: target.id }, 'the tweaks of a site could not be looked at after a change')
  }
}

/** Findings that were fixed, or are there again, are told by those who look for them; reading all files again is for the daily check. */
async function lookAtFindings(here: Here, job: Running, { id }: Target, items: TweakResult[]): Promise<void> {
  const changed = items.filter(({ status }) => status !== 'already' && status !== 'refused').map(({ tweak_id }) => tweak_id)
  const sources = (['facts', 'outside'] as const).filter((source) =>
    checks.some(({ source: looks, fix }) => looks === source && isTweak(fix) && changed.some((tweak) => tweak === fix.tweak_id)),
  )
  if (sources.length === 0) return
  try {
    await lookAgain(here, id, { sources }, { by: job.requestedBy, jobId: job.id, signal: job.signal })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    here.log.warn({ err: error, site_id: id }, 'the findings of a site could not be looked at after a change')
  }
}

const isTweak = (fix: Check['fix']): fix is { tweak_id: string } => typeof fix === 'object' && fix !== null

async function logResult(here: Here, job: Running, site: Target, { tweak_id, status, reason }: TweakResult): Promise<void> {
  const { name, done, undone } = known(tweak_id)
  const by = { siteId: site.id, jobId: job.id, by: job.requestedBy, ...(reason !== null && { notes: reason }) }
  if (status === 'applied') await logEvent(here, { ...by, category: 'security', summary: done, internal: false })
  if (status === 'reverted') await logEvent(here, { ...by, category: 'fix', summary: undone, internal: false })
  if (status === 'failed') await logEvent(here, { ...by, category: 'security', summary: `${name} could not be changed`, internal: true })
}
