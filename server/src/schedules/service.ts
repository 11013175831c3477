import { logEvent } from '../activity/service.ts'
import { listKept, writeExpiry } from '../backups/keep-store.ts'
import { isBackingUp, startBackup } from '../backups/service.ts'
import { dropBackup } from '../backups/store.ts'
import { asker } from '../kernel/job.ts'
import { dateOf, nextRun } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import { findTurn, forgetTurns } from '../platform/clock-store.ts'
import type { Site } from '../sites/schema.ts'
import { holdSite } from '../sites/store.ts'
import type { Context, Db, Here } from '../world.ts'
import { completed, everything, isLower, keepNow, keptBefore, lower } from './keeping.ts'
import { updatePolicyOf } from './pre-update.ts'
import { decide, isFrozen } from './retention.ts'
import { type Policy, type UpdatePolicy, usualPolicy, usualUpdatePolicy } from './schema.ts'
import { deletePolicy, findPolicy, findUpdatePolicy, holdSchedules, writePolicy, writeUpdatePolicy } from './store.ts'

type Some<Whole> = { [Field in keyof Whole]?: Whole[Field] | undefined }
type Change = Some<Policy> & Some<UpdatePolicy>
type SiteChange = Change & { inherit?: boolean | undefined }

const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const
const hourMs = 3_600_000
const busyAgainMs = hourMs / 6
const retainEveryMs = 6 * hourMs
/** A schedule that is off is looked at again, should anything have been missed. */
const offAgainMs = 24 * hourMs

export async function readWorkspaceSchedule(context: Context) {
  const policy = await findPolicy(context, null)
  const update = (await findUpdatePolicy(context, null)) ?? usualUpdatePolicy
  return { ...(policy ?? usualPolicy), ...update, kept_before: await keptBefore(context, null), set: policy !== undefined }
}

/** What of a change only an owner may do: what would delete backups sooner. */
export async function ownersPart(context: Context, site: Site | null, change: SiteChange): Promise<string | undefined> {
  await holdSchedules(context)
  const { before, after } = await planned(context, site?.id ?? null, change)
  if (!isLower(before ?? everything, after ?? everything)) return undefined
  return 'it would keep fewer backups than are kept now, or begin to delete them. Leave keep_daily, keep_weekly and keep_monthly out, or raise them.'
}

/** The policy that holds before and after a change; undefined: none. */
async function planned(
  context: Context,
  siteId: string | null,
  { inherit, ...change }: SiteChange,
): Promise<{ before?: Policy; after?: Policy }> {
  const before = siteId === null ? await findPolicy(context, null) : (await policyOf(context, siteId)).policy
  const { schedule } = parted(change)
  const after = inherit ? await findPolicy(context, null) : schedule ? completed(changed(before ?? usualPolicy, schedule)) : before
  return { ...(before && { before }), ...(after && { after }) }
}

/** Writes down what is kept for another day, and tells what an owner should not miss. */
async function noteChange(context: Context, siteId: string | null, before: Policy | undefined, after: Policy | undefined): Promise<void> {
  const log = (summary: string, notes: string) =>
    logEvent(context, { siteId, category: 'backup', summary, notes, by: asker(context), internal: true })
  if (isLower(before ?? everything, after ?? everything)) {
    await lower(context, siteId, before ?? everything)
    await log('Fewer backups are kept from tomorrow on', 'Set the numbers back within a day, and nothing is deleted.')
  }
  if (before?.enabled && !after?.enabled)
    await log('Scheduled backups were switched off', 'No site under this schedule is backed up by itself any more.')
}

export async function setWorkspaceSchedule(context: Context, change: Change) {
  const { schedule, update } = parted(change)
  await holdSchedules(context)
  const { before, after } = await planned(context, null, change)
  if (schedule && after) await writePolicy(context, null, after)
  await noteChange(context, null, before, after)
  if (update) await writeUpdatePolicy(context, null, changed((await findUpdatePolicy(context, null)) ?? usualUpdatePolicy, update))
  if (schedule) await forgetTurns(context, 'backup', null)
  return readWorkspaceSchedule(context)
}

export async function readSiteSchedule(context: Context, site: Site) {
  const { policy = usualPolicy, inherited } = await policyOf(context, site.id)
  const update = await updatePolicyOf(context, site.id)
  const due = await findTurn(context, 'backup', site.id)
  const next = due ?? nextRun(policy, site.id, context.now())
  return {
    ...policy,
    ...update.policy,
    site_id: site.id,
    inherited,
    pre_update_inherited: update.inherited,
    kept_before: await keptBefore(context, site.id),
    next_run_at: policy.enabled ? next : null,
    retention_frozen: isFrozen(await listKept(context, site.id)),
  }
}

export async function setSiteSchedule(context: Context, site: Site, { inherit, ...change }: SiteChange) {
  const { schedule, update } = parted(change)
  await holdSchedules(context)
  const { before, after } = await planned(context, site.id, { inherit, ...change })
  if (inherit) await deletePolicy(context, site.id)
  else {
    if (schedule && after) await writePolicy(context, site.id, after)
    if (update) await writeUpdatePolicy(context, site.id, changed((await updatePolicyOf(context, site.id)).policy, update))
  }
  await noteChange(context, site.id, before, after)
  if (inherit || schedule) await forgetTurns(context, 'backup', site.id)
  return readSiteSchedule(context, site)
}

/** Setting what comes before an update must not begin to delete old backups, as setting a schedule does. */
function parted({ pre_update, reuse_hours, ...schedule }: Change): { schedule?: Some<Policy>; update?: Some<UpdatePolicy> } {
  const said = (part: object) => Object.values(part).some((value) => value !== undefined)
  const update = { pre_update, reuse_hours }
  return { ...((said(schedule) || !said(update)) && { schedule }), ...(said(update) && { update }) }
}

function changed<Whole extends object>(policy: Whole, change: Some<Whole>): Whole {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return { ...policy, ...Object.fromEntries(given) }
}

/** What holds for a site: its own policy, or the workspace's, or none. */
async function policyOf(context: Db, siteId: string): Promise<{ policy?: Policy; inherited: boolean }> {
  const own = await findPolicy(context, siteId)
  const policy = own ?? (await findPolicy(context, null))
  return { ...(policy && { policy }), inherited: own === undefined }
}

/** Starts the backup of a site whose turn it is, unless one is under way; answers when its next turn is. */
export async function runBackupTurn(here: Here, siteId: string): Promise<Date> {
  const { policy } = await policyOf(here, siteId)
  const now = here.now()
  const site = await holdSite(here, siteId)
  if (!policy?.enabled || !site) return dateOf(now.getTime() + offAgainMs)
  if (await isBackingUp(here, siteId)) return dateOf(now.getTime() + busyAgainMs)
  if (site.status === 'connected' || site.status === 'unreachable') await startBackup(systemCall(here, by), site, policy.type, 'schedule')
  return nextRun(policy, siteId, now)
}

export async function firstBackupTurn(here: Here, siteId: string): Promise<Date> {
  const { policy } = await policyOf(here, siteId)
  const now = here.now()
  return policy?.enabled ? nextRun(policy, siteId, now) : dateOf(now.getTime() + offAgainMs)
}

/** Deletes what the policy no longer keeps, and says of the rest until when it is kept. */
export async function runRetainTurn(here: Here, siteId: string): Promise<Date> {
  const { policy } = await policyOf(here, siteId)
  const now = here.now()
  const keep = keepNow(policy, await keptBefore(here, siteId))
  const { drop, expires } = decide(await listKept(here, siteId), keep, now)
  const gone: string[] = []
  for (const id of drop) if (await dropBackup(here, siteId, id)) gone.push(id)
  await writeExpiry(here, expires)
  if (gone.length > 0) here.log.info({ site_id: siteId, backup_ids: gone }, 'backups whose time was over were deleted')
  return dateOf(now.getTime() + retainEveryMs)
}
