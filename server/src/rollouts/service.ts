import type { BackupType } from '../backups/schema.ts'
import { startBackup } from '../backups/service.ts'
import type { JobStatus } from '../jobs/schema.ts'
import { nothingToCancel, waitUntil } from '../jobs/service.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { oneMeant, severalMeant } from '../sites/chosen.ts'
import type { Site, Which } from '../sites/schema.ts'
import { makesNewSalts, planFix, startFix } from '../tweaks/service.ts'
import type { Harms } from '../updates/harmful.ts'
import { planUpdate, startUpdate } from '../updates/service.ts'
import type { Context } from '../world.ts'
import { advance, stop } from './advance.ts'
import { planFixes } from './fix-plan.ts'
import { knowledgeOf, planRollout, selectionOf, whyLeftOut } from './plan.ts'
import type { FixInput, Wanted as Input, Kind, PlannedSite, Rollout, RolloutInput } from './schema.ts'
import { countRollouts, findRollout, holdOpen, insertRollout, listRollouts, listSitesOf, type NewSite } from './store.ts'

/** The update of one site, or that of many in waves. */
export async function startUpdates(context: Context, input: RolloutInput) {
  const site = await oneMeant(context, input, 'destroy')
  if (!site) return updateMany(context, input)
  context.touched.add(site.id)
  const result = await (input.dry_run ? planUpdate : startUpdate)(context, site, selectionOf(input))
  return { ...result, rollout_id: null, waves: null, total: null, skipped: null, would: null, ...noKnowledge, sites: null }
}

/** One site tells in its plan whether it answered; what has begun is no plan. */
const noKnowledge = { unreachable: null, never_read: null, oldest_inventory_at: null }

async function updateMany(context: Context, input: RolloutInput) {
  const { sites, waves, waveSize, harms } = await planRollout(context, input)
  const { first_wave, stop_above_percent } = input
  const wanted = { ...selectionOf(input), first_wave, wave_size: waveSize, stop_above_percent }
  const base = { dry_run: input.dry_run, live: null, live_error: null, site_said: null, items: null, backup: null, estimated_s: null }
  const counts = countsOf(sites)
  if (!input.dry_run)
    return {
      ...base,
      ...(await begin(context, 'update', wanted, { sites, waves })),
      waves,
      ...counts,
      would: null,
      ...noKnowledge,
      sites: null,
    }
  const planned = { status: 'planned', job_id: null, rollout_id: null, poll_after_s: null, next: null }
  return { ...base, ...planned, waves, ...counts, would: wouldOf(sites, harms), ...knowledgeOf(sites), sites }
}

/** A backup of one site, or of each of many. */
export async function startBackups(context: Context, { type, ...which }: Which & { type: BackupType }) {
  const site = await oneMeant(context, which, 'create')
  if (site) {
    context.touched.add(site.id)
    return { ...(await startBackup(context, site, type)), total: null, skipped: null }
  }
  const sites = atOnce(await severalMeant(context, which, 'create'))
  return { ...(await begin(context, 'backup', { type, ...carefree }, { sites, waves: 1 })), backup_id: null, type, ...countsOf(sites) }
}

/** Tweaks switched on or taken back on one site, or on each of many; with `dry_run` what that would do, as far as was seen last. */
export async function startFixes(context: Context, { tweak_ids, action, again, dry_run, ...which }: FixInput) {
  const site = await oneMeant(context, which, 'change')
  const fix = { tweak_ids, action, again }
  const base = { dry_run, rollout_id: null, jobs: null, total: null, skipped: null, would: null, plan: null }
  const planned = { ...base, status: 'planned', job_id: null, poll_after_s: null, next: null }
  if (site && dry_run) return { ...planned, jobs: [], plan: await planFix(context, site, fix, false) }
  if (site) {
    const started = await startFix(context, site, fix)
    return { ...base, ...started, jobs: [{ site_id: site.id, job_id: started.job_id }] }
  }
  const meant = await severalMeant(context, which, 'change')
  const sites = atOnce(meant)
  const counts = countsOf(sites)
  if (dry_run) return { ...planned, ...counts, ...(await planFixes(context, meant, fix)) }
  return { ...base, ...(await begin(context, 'tweak', { ...fix, ...carefree }, { sites, waves: 1 })), ...counts }
}

/** Of how many sites every session would end. */
export async function sitesWithNewSalts(context: Context, input: FixInput): Promise<number> {
  if (input.dry_run || !makesNewSalts(input)) return 0
  return input.site_id === undefined ? (await severalMeant(context, input, 'change')).length : 1
}

/** All at once, and whatever becomes of one, the others go on. */
const carefree = { first_wave: 1, wave_size: 1, stop_above_percent: 100 }
const atOnce = (sites: Site[]) =>
  sites.map(({ id, status }) => ({ site_id: id, reason: whyLeftOut(status), wave: whyLeftOut(status) === null ? 1 : null }))

function countsOf(sites: readonly { wave: number | null }[]) {
  const skipped = sites.filter(({ wave }) => wave === null).length
  return { total: sites.length - skipped, skipped }
}

/** Records the rollout and starts its first wave, all in the caller's transaction. */
async function begin(context: Context, kind: Kind, input: Input, { sites, waves }: { sites: NewSite[]; waves: number }) {
  const id = newId('rollout', context.now())
  await insertRollout(
    context,
    { id, kind, input, waves: countsOf(sites).total === 0 ? 0 : waves, requestedBy: asker(context), approved: context.caller.approved },
    sites,
  )
  const held = await holdOpen(context, id)
  if (held) await advance(context, held)
  const status: JobStatus = countsOf(sites).total === 0 ? 'completed' : 'running'
  return { job_id: id, rollout_id: id, status, poll_after_s: 5, next: 'get_job' as const }
}

const mostWould = 50

function wouldOf(sites: readonly PlannedSite[], harms: Harms) {
  const items = sites.flatMap(({ wave, items }) => (wave === null ? [] : (items ?? []).filter(({ reason }) => reason === null)))
  const kinds = Map.groupBy(items, ({ type, slug, to_version }) => JSON.stringify([type, slug, to_version]))
  const counted = [...kinds.values()].map((same) => ({ ...(same[0] as (typeof items)[number]), sites: same.length }))
  const most = counted.sort((a, b) => b.sites - a.sites || (a.slug < b.slug ? -1 : 1)).slice(0, mostWould)
  return most.map(({ risks: _, ...item }) => {
    const risks = harms({ ...item, version: item.to_version })
    return { ...item, ...(risks.length > 0 && { risks }) }
  })
}

async function getRollout(context: Context, id: string): Promise<Rollout> {
  const rollout = await findRollout(context, id)
  if (!rollout) throw new Problem('not_found', 'There is no such rollout in this workspace. GET /rollouts shows the recent ones.')
  return { ...rollout, sites: await listSitesOf(context, id) }
}

const isOver = ({ status }: Rollout) => status !== 'running' && status !== 'stopping'

/** The rollout, after it ended or `seconds` have passed, whichever is first. */
export const waitForRollout = (context: Context, id: string, seconds: number): Promise<Rollout> =>
  waitUntil(context, { seconds, read: () => getRollout(context, id), over: isOver })

export async function pageOfRollouts(context: Context, wanted: Wanted) {
  const listing = { list: 'rollouts', workspaceId: context.workspaceId, filter: {} }
  const { items: rollouts, ...page } = await pageOf(listing, wanted, {
    items: (part) => listRollouts(context, {}, part),
    total: () => countRollouts(context, {}),
    at: ({ id }) => [id],
  })
  return { rollouts, ...page }
}

/** No further site begins; those that are being updated are brought to their end. Asking twice changes nothing. */
export async function cancelRollout(context: Context, id: string): Promise<Rollout> {
  const rollout = await getRollout(context, id)
  if (rollout.status === 'canceled') return rollout
  const held = await holdOpen(context, id)
  if (!held) throw nothingToCancel(`That rollout is already ${rollout.status}.`)
  if (held.ending !== 'canceled') {
    await stop(context, held, 'canceled', `Canceled by ${context.caller.name}.`)
    await advance(context, held)
  }
  return getRollout(context, id)
}
