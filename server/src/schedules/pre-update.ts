import { type FreshBackup, findFreshBackup, keepUntil } from '../backups/keep-store.ts'
import { backUpWithin } from '../backups/within.ts'
import { harmless, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { dateOf } from '../kernel/recurrence.ts'
import type { Db, Here } from '../world.ts'
import { setAsideMs } from './retention.ts'
import { type UpdatePolicy, usualUpdatePolicy } from './schema.ts'
import { findUpdatePolicy } from './store.ts'

/** What the policy demands before an update; `reused`: a backup that is recent enough, so none has to be made. */
export interface PreUpdateBackup {
  type: UpdatePolicy['pre_update']
  reused: FreshBackup | null
}

const hourMs = 3_600_000
/** Always counts: the tables of a site come back by themselves from a backup of a quarter of an hour (updates/heal.ts), and an update takes its time. */
const justMadeMs = 5 * 60_000
const step = 'pre-update backup'
const serving = { db: ['db', 'full'], files: ['files', 'full'], full: ['full'] }

/** What holds for a site: its own policy, or the workspace's, or the usual one. */
export async function updatePolicyOf(here: Db, siteId: string): Promise<{ policy: UpdatePolicy; inherited: boolean }> {
  const own = await findUpdatePolicy(here, siteId)
  return { policy: own ?? (await findUpdatePolicy(here, null)) ?? usualUpdatePolicy, inherited: own === undefined }
}

/** Which backup an update of this site needs first. Changes nothing. `jobId`: the job that asks, when one does. */
export async function preUpdateBackup(
  here: Pick<Here, 'db' | 'now' | 'workspaceId' | 'jobKinds'>,
  siteId: string,
  jobId: string | null = null,
): Promise<PreUpdateBackup> {
  const { pre_update: type, reuse_hours } = (await updatePolicyOf(here, siteId)).policy
  if (type === 'none') return { type, reused: null }
  const since = dateOf(here.now().getTime() - Math.max(reuse_hours * hourMs, justMadeMs))
  return {
    type,
    reused: (await findFreshBackup(here, siteId, { types: serving[type], since }, { jobId, types: harmless(here.jobKinds) })) ?? null,
  }
}

/** What a job tells of the backup before it. */
export interface MadePreUpdateBackup {
  type: UpdatePolicy['pre_update']
  backup_id: string | null
  reused: boolean
}

/** A step of a job that updates: takes a backup that is recent enough or makes one. When that fails, nothing may be updated. */
export async function backUpBeforeUpdate(here: Here, job: Running, siteId: string): Promise<MadePreUpdateBackup> {
  const decided = ((await job.stateOf('pre-update')) as MadePreUpdateBackup | undefined) ?? (await decide(here, job, siteId))
  const { type } = decided
  if (type === 'none' || decided.backup_id !== null) return decided
  const { backup_id } = await backUpWithin(here, job, { site_id: siteId, type, trigger: 'pre_update', step, phase: 'backup' }).catch(
    (cause: unknown) => {
      if (!(cause instanceof Problem)) throw cause
      const { code, message, retryable, siteSaid } = cause
      const words = `Nothing was updated, because the backup that comes first failed: ${message}`
      throw new Problem(code, words, { retryable, siteSaid, cause })
    },
  )
  const made = { type, backup_id, reused: false }
  await job.saveState('pre-update', made)
  await job.finishStep('pre-update')
  return made
}

/** Decided once: a later attempt must not take what this job changed meanwhile for the state before it. */
function decide(here: Here, job: Running, siteId: string): Promise<MadePreUpdateBackup> {
  return here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    const { type, reused } = await preUpdateBackup(within, siteId, job.id)
    const until = dateOf(here.now().getTime() + setAsideMs)
    const kept = reused !== null && (await keepUntil(within, reused.id, until))
    const decided = { type, backup_id: kept ? reused.id : null, reused: kept }
    await job.saveState('pre-update', decided, db)
    return decided
  })
}
