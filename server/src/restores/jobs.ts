import { hash, randomBytes } from 'node:crypto'
import { logEvent } from '../activity/service.ts'
import { mustBeAsApproved, tellUnlike } from '../approvals/held.ts'
import { PackDamage } from '../backups/engine/pack-format.ts'
import { damageOf, lossOf } from '../backups/loss.ts'
import { endBackup } from '../backups/store.ts'
import { backUpWithin, backupWithin } from '../backups/within.ts'
import { siteSaid } from '../connector/clean.ts'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { collectWithChanges } from '../inventory/service.ts'
import { CanceledJob, type Ended, type JobKind, LostJob, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import type { SiteClient } from '../sites/client.ts'
import { type Target, targetOf, unreached } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { boundPlan, describe, shortOfSpace } from './describe.ts'
import { finish, takeBack } from './finish.ts'
import { andWhat, keptOf, type Restored } from './outcome.ts'
import { type Armed, lookBefore } from './probe.ts'
import { blobsIn, blobsOf, bytesOf, fewBytes, readThrough } from './read-through.ts'
import { RestoreInput, UndoInput } from './schema.ts'
import { placesOf, scopeOf } from './scope.ts'
import { stage } from './stage.ts'
import { stepsAfter } from './steps-after.ts'
import { left } from './table-words.ts'
import { enter, nothingToUndo, RestoreSite, type WayIn, warningsOf } from './way-in.ts'
import { planOf, sourceOf, type WholePlan } from './whole-plan.ts'

/** The site knows how far it is, so a killed attempt is continued from what the site says. Up to `most` bytes a backup is read wholly first. */
export const restoring = (most: number): JobKind<World, Record<string, unknown>, Restored> => ({
  type: 'restore',
  retries: 10,
  tidies: true,
  changesSite: true,
  backupNeeded: (input) => String(input['backup_id']),
  work: (world, job, input) => restoreSite(world, job, input, most),
  summarize: (result) => ({ outcome: 'done', summary: `Restored a backup${andWhat(result)}.` }),
  next: stepsAfter,
  ended: recordEnd,
})

export const restore = restoring(fewBytes)

/** Back to how it was before the last restore, within a day. */
export const undo: JobKind<World, Record<string, unknown>, Omit<Restored, 'kept'>> = {
  type: 'undo_restore',
  retries: 10,
  tidies: true,
  changesSite: true,
  work: undoRestore,
  summarize: (result) => ({ outcome: 'done', summary: `Undid a restore${andWhat({ ...result, kept: [] })}.` }),
  ended: recordEnd,
}

async function restoreSite(world: World, job: Running, raw: Record<string, unknown>, most: number) {
  const here = { ...world, workspaceId: job.workspaceId }
  const input = RestoreInput.parse(raw)
  const target = await targetOf(here, job.siteId)
  const wasArmed = (await job.stateOf('armed')) !== undefined
  const site = await RestoreSite.open(here, target, job.signal)
  let hasBegun = job.fence > 1
  try {
    // What was armed may be between two states, so it is asked until it answers; what was not is found within seconds, or not at all.
    const way = wasArmed ? null : await enter(here, target, site)
    const { phase, job: whose } = await site.insist('restore.status', {})
    const ours = whose === job.id && phase !== 'none' && phase !== 'staging'
    // While it is staging it was never armed: the attempt before ended on the way there.
    if (!ours && !(whose === job.id && phase === 'staging') && wasArmed)
      throw new Problem('site_failed', 'The site heard nothing for ten minutes and took itself back. It is as it was.', {
        retryable: false,
        takenBack: true,
      })
    hasBegun = whose === job.id
    const begun = () => {
      hasBegun = true
    }
    if (!ours) await prepare(here, job, { target, site, way: way ?? (await enter(here, target, site)), input, most, begun })
    const { kept_until, ...after } = await finish(job, site)
    await job.phase('inventory').catch(passed)
    const changes = await changesBy(here, job, target)
    await logRestore(here, job, target, {
      summary: `Restored ${input.include ? 'parts of ' : ''}a backup`,
      notes: [`${input.backup_id} (${input.type})`, ...(changes ?? [])].join('; '),
    })
    return {
      kept_until: new Date(kept_until * 1000).toISOString(),
      changes,
      backup_id: input.backup_id,
      type: input.type,
      safety_backup_id: await backupWithin(job, 'safety'),
      ...keptOf(await job.stateOf('plan'), await job.stateOf('staged'), await job.stateOf('judged'), {
        warnings: left(after),
      }),
    }
  } catch (error) {
    const found = await damageOf(here, input.backup_id, error)
    if (hasBegun) await cleanUp(world, job, site, found)
    throw await unreached(here, target, found)
  }
}

/** What is installed now and was not before, or in another version; null: the site could not be asked. */
async function changesBy(here: Here, job: Running, target: Target): Promise<string[] | null> {
  try {
    return (await collectWithChanges(here, target, { refresh: false, ours: 'everything' })).changes
  } catch (error) {
    here.log.warn({ err: error, job_id: job.id }, 'the inventory after a restore could not be read')
    return null
  }
}

/** A cancel is heeded until the swap; then it comes too late. */
const passed = (error: unknown): void => {
  if (!(error instanceof CanceledJob)) throw error
}

/** `begun` is called before anything is put onto the site. */
type Beginning = { target: Target; site: SiteClient; way: WayIn; input: RestoreInput; most: number; begun: () => void }

/** Everything up to the moment at which the live site is touched. */
async function prepare(here: Here, job: Running, { target, site, way, input, most, begun }: Beginning): Promise<void> {
  const { hello, starts } = way
  await job.phase('preflight')
  const source = await sourceOf(here, target.id, input)
  const first = await site.ask('restore.survey', { files: input.type !== 'db', tables: [], bytes: 0 })
  if (first.obstacle) throw refused(first)
  const scope = scopeOf(input.type, input.include, hello.db, placesOf(source.manifest, hello))
  if (await lossOf(here, source.id, scope)) throw new PackDamage('a part of what is wanted is lost')
  const isRead = bytesOf(source.manifest) <= most
  if (isRead) await readThrough(job, source, blobsIn(source, scope))
  if (input.safety_backup)
    await backUpWithin(here, job, {
      site_id: target.id,
      type: input.type,
      trigger: 'pre_restore',
      step: 'safety',
      phase: 'safety backup',
      ...(starts ? {} : { way: site.connection }),
    })
  await job.phase('plan')
  const plan = await planOf(site, hello, source, input)
  if (plan.survey.obstacle) throw refused(plan.survey)
  const short = job.fence === 1 ? shortOfSpace(plan) : '' // A later attempt finds there what it sent itself.
  if (short) throw new Problem('site_refused', `This site cannot take a restore: ${short}.`, { retryable: false })
  await mustBeAsApproved(here, job, {
    now: boundPlan(describe(plan, { hello, source, input, loss: null, foreseen: null })),
    unlike: 'The site has other tables, other events or another WordPress than when this was shown.',
  })
  await job.saveState('plan', {
    kept: plan.kept,
    warnings: [...plan.warnings, ...warningsOf(way)],
    wordpress: versionAfter(plan, source.manifest.facts['wp_version']),
  })
  if (!isRead) await readThrough(job, source, blobsOf(plan))
  begun()
  await job.saveState('staged', { warnings: await stage(job, site, source, plan) })
  await job.phase('arm')
  const secret = randomBytes(24).toString('base64url')
  const armed: Armed = { secret, sights: await lookBefore(site, secret) }
  await job.saveState('armed', armed)
  const opens = scope.whole && input.type !== 'db'
  await site.ask('restore.arm', { job: job.id, fence: job.fence, probe: hash('sha256', secret), opens })
}

const refused = ({ obstacle, passes = false }: Result<'restore.survey'>) =>
  new Problem('site_refused', `This site cannot take a restore${passes ? ' now' : ''}. What it said tells what stands in the way.`, {
    retryable: passes,
    siteSaid: siteSaid(obstacle),
  })

/** The version of WordPress afterwards; null when its files stay as they are. */
function versionAfter({ files }: WholePlan, version: unknown): string | null {
  return files?.ops.some(({ p }) => p === 'wp-includes/version.php') && typeof version === 'string' ? version : null
}

/** Leaves no debris when the job ends here; another attempt finds what was staged. */
async function cleanUp(world: World, job: Running, site: SiteClient, error: unknown): Promise<void> {
  const canceled = error instanceof CanceledJob || job.signal.reason instanceof CanceledJob
  if (!canceled && (job.signal.aborted || error instanceof LostJob)) return
  if (!canceled && mayPass(error) && job.fence <= restore.retries) return
  const last = site.lasting()
  try {
    for (let slice = 0; slice < 100; slice++)
      if ((await last.ask('restore.purge', { job: job.id, fence: job.fence, budget_ms: 5_000 })).done) return
  } catch (failure) {
    if (!(failure instanceof SiteError)) throw failure
    world.log.warn({ err: failure, job_id: job.id }, 'what a restore had staged could not be thrown away; the site does it later')
  }
}

const mayPass = (error: unknown): boolean => (error instanceof Problem || error instanceof SiteError ? error.retryable : true)

async function undoRestore(world: World, job: Running, raw: Record<string, unknown>) {
  const here = { ...world, workspaceId: job.workspaceId }
  const { undoes } = UndoInput.parse(raw)
  const target = await targetOf(here, job.siteId)
  try {
    const before = ((await job.stateOf('restore')) as { job: string } | undefined)?.job
    if (before === undefined) await job.phase('preflight')
    const site = await RestoreSite.open(here, target, job.signal)
    if (before === undefined) await enter(here, target, site)
    const { phase, job: whose, kept_until } = await site.insist('restore.status', {})
    if (before === undefined && (phase !== 'committed' || kept_until < here.now().getTime() / 1000)) throw nothingToUndo()
    // Ids sort by creation.
    if (before === undefined && undoes !== undefined && whose > undoes) {
      await tellUnlike(here, job)
      throw new Problem('conflict', 'Nothing was undone: the site was restored once more since this was asked for.', { retryable: false })
    }
    const claim = { job: before ?? whose, fence: 1_000_000 + job.fence }
    if (before === undefined) await job.phase('rollback') // The last moment at which a cancel is heeded.
    await job.saveState('restore', { job: claim.job })
    if (phase === 'committed') await site.lasting().ask('restore.arm', { ...claim, probe: hash('sha256', randomBytes(24)) })
    const after = phase === 'none' ? { lacks: [] } : await takeBack(site, claim)
    const changes = await changesBy(here, job, target)
    await logRestore(here, job, target, {
      summary: 'Undid a restore',
      notes: [
        after.lacks.length > 0
          ? 'The site is as it was before it, but for what could not be made again.'
          : 'The site is as it was before it.',
        ...(changes ?? []),
      ].join('; '),
    })
    return { undone: true, changes, warnings: left(after) }
  } catch (error) {
    throw await unreached(here, target, error)
  }
}

async function logRestore(here: Here, job: Running, target: Target, words: { summary: string; notes: string }): Promise<void> {
  await logEvent(here, { siteId: target.id, category: 'backup', ...words, jobId: job.id, by: job.requestedBy, internal: false })
}

async function recordEnd(world: World, job: Ended): Promise<void> {
  const context = { ...world, workspaceId: job.workspaceId }
  await endBackup(context, job.id, job.status, job.error)
  if (job.status === 'canceled' || job.siteId === null) return
  const by = { type: 'system', id: 'restores', name: 'Restores' } as const
  await logEvent(context, {
    siteId: job.siteId,
    category: 'backup',
    summary: 'A restore failed',
    notes: job.error?.message ?? '',
    jobId: job.id,
    by,
    internal: true,
  })
}
