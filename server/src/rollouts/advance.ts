import { logEvent } from '../activity/service.ts'
import { withdrawJob } from '../jobs/service.ts'
import { counted, type Outcome } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { whySpent } from '../tokens/service.ts'
import { findToken } from '../tokens/store.ts'
import { findPause } from '../workspaces/store.ts'
import type { Context, Db } from '../world.ts'
import type { Kind, SiteOutcome } from './schema.ts'
import { type Start, startsOf } from './starts.ts'
import { type HeldRollout, listWave, type WaveSite, writeAsked, writeEnd, writeSite, writeStopping, writeWave } from './store.ts'
import { isBroken, outcomeOf } from './waves.ts'

const running = (sites: WaveSite[]) => sites.some(({ status }) => status === 'running')

/** One look at a rollout that is held: what has ended is written down; then it stops, waits, goes on to the next wave, or ends. */
export async function advance(context: Context, rollout: HeldRollout): Promise<void> {
  const wave = await settle(context, rollout)
  const more = running(wave) || rollout.wave < rollout.waves
  if (rollout.status === 'running' && more) await mayStop(context, rollout, wave)
  if (running(wave)) return
  if (rollout.status === 'running' && rollout.wave < rollout.waves) {
    if (rollout.asks_wave !== null || (await isPaused(context, rollout))) return
    const next = rollout.wave + 1
    if (rollout.wave > 0 && rollout.approval_id !== null && !rollout.all_waves)
      return writeAsked(context, rollout.id, { asks_wave: next, waits_for: null })
    return beginWave(context, rollout, next)
  }
  await writeEnd(context, rollout.id)
}

/** Of a rollout that is held: no further wave begins, and of the one under way no further site. */
export async function stop(context: Context, rollout: HeldRollout, ending: 'stopped' | 'canceled', reason: string): Promise<void> {
  await writeStopping(context, rollout.id, ending, reason)
  Object.assign(rollout, { status: 'stopping', ending })
  for (const { status, job_id } of await listWave(context, rollout.id, rollout.wave))
    if (status === 'running' && job_id !== null) await withdrawJob(context, context.jobKinds, job_id)
}

/** The wave under way with what became of its sites since the last look. */
async function settle(context: Context, rollout: HeldRollout): Promise<WaveSite[]> {
  const sites = await listWave(context, rollout.id, rollout.wave)
  for (const site of sites) {
    if (site.status !== 'running') continue
    const outcome = whatBecame(rollout.kind, site)
    if (!outcome) continue
    site.status = outcome.status
    await writeSite(context, rollout.id, { site_id: site.site_id, ...outcome })
  }
  return sites
}

/** Undefined while its job runs. */
function whatBecame(
  kind: Kind,
  { job_status, items, outcome, summary, error }: WaveSite,
): { status: SiteOutcome; reason: string | null } | undefined {
  if (job_status === 'canceled') return { status: 'not_started', reason: `Its ${nouns[kind]} was canceled.` }
  if (job_status === 'failed' || job_status === null) return { status: 'failed', reason: error ?? `Its ${nouns[kind]} is no longer known.` }
  if (job_status !== 'completed') return undefined
  if (kind !== 'update') return { status: outcomes[outcome ?? 'done'], reason: outcome === 'done' ? null : summary }
  const status = outcomeOf(items ?? [])
  const telling = status === 'partly' ? 'rolled_back' : status
  return { status, reason: items?.find((item) => item.status === telling)?.reason ?? null }
}

const nouns: Record<Kind, string> = { update: 'update', backup: 'backup', tweak: 'change' }
const outcomes: Record<Outcome, SiteOutcome> = { done: 'done', partly: 'partly', taken_back: 'rolled_back', failed: 'failed' }

async function mayStop(context: Context, rollout: HeldRollout, wave: WaveSite[]): Promise<void> {
  const { stop_above_percent } = rollout.input
  const judged = wave.filter(({ unjudged }) => !unjudged).map(({ status }) => status)
  const why = isBroken(judged, stop_above_percent) ? brokenWave(rollout, wave) : await whyNotAllowed(context, rollout)
  if (why === undefined) return
  await stop(context, rollout, 'stopped', why)
  const summary = `Stopped updating sites in wave ${rollout.wave} of ${rollout.waves}`
  await logEvent(context, { siteId: null, category: 'update', summary, notes: why, by: rollout.requested_by, internal: true })
  context.log.warn({ rollout_id: rollout.id, reason: why }, 'a rollout stopped by itself')
}

function brokenWave({ wave: number, input }: HeldRollout, wave: WaveSite[]): string {
  const count = (status: SiteOutcome) => wave.filter((site) => site.status === status && !site.unjudged).length
  const apart = wave.filter(({ unjudged }) => unjudged).length
  const others = [
    ...(count('partly') > 0 ? [`${count('partly')} done in part`] : []),
    ...(apart > 0 ? [`${apart} for reasons that tell nothing of the update`] : []),
  ]
  const went = [`${count('failed')} failed`, `${count('rolled_back')} rolled back`, ...others].join(', ')
  return `Of ${counted(wave.length, 'site')} in wave ${number}: ${went}. That is more than ${input.stop_above_percent} %.`
}

/** Who asked for it may have lost the right since. */
export async function whyNotAllowed(context: Context, { requested_by }: HeldRollout): Promise<string | undefined> {
  if (requested_by.type !== 'token') return undefined
  const why = whySpent(await findToken(context, requested_by.id), context.now())
  return why && `The token that started it ${why}.`
}

/** An agent's next wave waits for as long as all agents are paused. */
export const isPaused = async (context: Db, { requested_by }: HeldRollout) =>
  requested_by.type === 'token' && (await findPause(context)).paused_at !== null

/** The sites of the wave, each as by a call for it alone. */
export async function beginWave(context: Context, rollout: HeldRollout, number: number): Promise<void> {
  await writeWave(context, rollout.id, number)
  const sites = await listWave(context, rollout.id, number)
  const ids = sites.filter(({ status }) => status === 'waiting').map(({ site_id }) => site_id)
  const start = await startsOf(context, rollout.kind, rollout.input, ids)
  for (const id of ids) await writeSite(context, rollout.id, { site_id: id, ...(await begin(context, id, start)) })
}

/** Starts the work of one site as that of a call for it alone; a site that would be refused there is skipped here. */
async function begin(context: Context, siteId: string, start: Start): Promise<{ status: SiteOutcome; job_id?: string; reason?: string }> {
  const site = await context.fleet.one(context.workspaceId, siteId)
  if (!site) return { status: 'skipped', reason: 'The site is gone.' }
  try {
    const { job_id } = await start(site)
    context.touched.add(site.id)
    return { status: 'running', job_id }
  } catch (error) {
    if (error instanceof Problem) return { status: 'skipped', reason: error.message }
    throw error
  }
}
