import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { logEvent } from '../activity/service.ts'
import { endBackup } from '../backups/store.ts'
import { type Called, call } from '../connector/call.ts'
import type { Result } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { collectInventory } from '../inventory/service.ts'
import type { Ended, JobKind, Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { backUpBeforeUpdate } from '../schedules/pre-update.ts'
import { connectionOf, type Target, talk, targetOf } from '../sites/talk.ts'
import type { World } from '../world.ts'
import type { ItemResult } from './schema.ts'
import { chosen, mustBeInstalled, obstacle, type Updatable } from './service.ts'

interface Input {
  plugins?: string[]
}
type Here = World & { workspaceId: string }

/** An attempt that was killed is continued: what is done stays done, what was under way is asked for again by the same request id. */
export const update: JobKind<World, Input> = { type: 'update', retries: 3, work: updateSite, ended: recordEnd }

const itemDeadlineMs = 5 * 60_000
const askAgainMs = 2000

async function updateSite(world: World, job: Running, input: Input) {
  const here = { ...world, workspaceId: job.workspaceId }
  const site = await targetOf(here, job.siteId)
  const items = await planned(here, job, site, input)
  const willRun = items.some((item) => obstacle(item) === null)
  const backup = willRun ? await backUpBeforeUpdate(here, job, site.id) : { backup_id: null, reused: false }
  const results: ItemResult[] = []
  for (const [index, item] of items.entries()) {
    await job.progress({ percent: Math.floor((100 * index) / items.length), done: index, total: items.length, unit: 'items' })
    results.push(await settle(here, job, site, item, results))
  }
  await job.progress({ percent: 100, done: items.length, total: items.length, unit: 'items' })
  await job.phase('inventory')
  await collectInventory(here, site, false).catch((error: unknown) =>
    world.log.warn({ err: error, job_id: job.id }, 'the inventory after an update could not be read'),
  )
  return { backup_id: backup.backup_id, backup_reused: backup.reused, items: results }
}

/** The backup before it ends with the job. */
async function recordEnd(world: World, job: Ended): Promise<void> {
  await endBackup({ ...world, workspaceId: job.workspaceId }, job.id, job.status, job.error)
}

/** What this job updates, decided once: a later attempt goes on with the same list. */
async function planned(here: Here, job: Running, site: Target, { plugins }: Input): Promise<Updatable[]> {
  const before = (await job.stateOf('plan')) as { items: Updatable[] } | undefined
  if (before) return before.items
  await job.phase('inventory')
  const inventory = await collectInventory(here, site, true)
  mustBeInstalled(inventory, plugins)
  const items = chosen(inventory, plugins)
  await job.saveState('plan', { items })
  await job.finishStep('plan')
  return items
}

async function settle(here: Here, job: Running, site: Target, item: Updatable, earlier: ItemResult[]): Promise<ItemResult> {
  const step = `${item.type} ${item.file}`
  const before = (await job.stateOf(step)) as ItemResult | undefined
  if (before) return before
  const result = await resultOf(here, job, site, item, earlier)
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    await job.saveState(step, result, db)
    if (result.status === 'updated' || result.status === 'failed') await tell(within, job, site, result)
  })
  await job.finishStep(step)
  return result
}

async function resultOf(here: Here, job: Running, site: Target, item: Updatable, earlier: ItemResult[]): Promise<ItemResult> {
  const { type, slug, file, name, version: from_version, update: offered } = item
  const base = { type, slug, file, name, from_version, to_version: offered?.version ?? from_version, health: null }
  if (!offered) return { ...base, status: 'already_current', reason: null }
  const why = obstacle(item)
  if (why !== null) return { ...base, status: 'skipped', reason: why }
  if (earlier.some((result) => result.health?.connector_answers === false))
    return { ...base, status: 'skipped', reason: 'The site stopped answering after an item before this one.' }
  await job.phase(`updating ${type} ${slug}`)
  return { ...base, ...(await applyAndCheck(here, job, site, item, offered.version)) }
}

/** `updated` needs three witnesses: core's upgrader, the version on disk, and a site that still answers. */
async function applyAndCheck(
  here: Here,
  job: Running,
  site: Target,
  item: Updatable,
  version: string,
): Promise<Partial<ItemResult> & Pick<ItemResult, 'status' | 'reason'>> {
  const applied = await apply(here, job, site, item, version).catch((error: unknown) => {
    if (error instanceof SiteError) return { status: 'failed' as const, to_version: item.version, reason: error.message }
    throw error
  })
  const connector_answers = await answers(here, site, job.signal)
  const health = { connector_answers, checked_at: here.now().toISOString() }
  const reason = 'reason' in applied ? (applied.reason ?? null) : null
  if (!connector_answers) return { status: 'failed', reason: 'The site does not answer since this update. Look at it now.', health }
  if (applied.status === 'updated' && applied.to_version !== version)
    return { status: 'failed', reason: `The site says it updated, but runs ${applied.to_version || 'an unknown version'}.`, health }
  if (applied.status === 'failed') return { status: 'failed', reason: reason ?? 'The site gave no reason.', health, to_version: version }
  return { status: applied.status, reason, health, to_version: applied.to_version }
}

/** Asks under one request id until there is an answer: the site does it once and repeats what it said. */
async function apply(here: Here, job: Running, site: Target, item: Updatable, version: string): Promise<Result<'updates.apply'>> {
  const connection = await connectionOf(here, site)
  const requestId = `req_${hash('sha256', `${job.id} ${item.type} ${item.file} ${version}`, 'hex').slice(0, 32)}`
  const params = { job: job.id, fence: job.fence, type: item.type, file: item.file, expect_version: version }
  const deadline = performance.now() + itemDeadlineMs
  for (;;) {
    job.signal.throwIfAborted()
    try {
      const { result }: Called<Result<'updates.apply'>> = await call(here.wire, connection, 'updates.apply', params, {
        requestId,
        timeoutMs: 60_000,
      })
      return result
    } catch (error) {
      if (!(error instanceof SiteError) || !error.retryable || performance.now() > deadline) throw error
      await sleep(askAgainMs, undefined, { signal: job.signal })
    }
  }
}

/** A site may need a moment after an update, so it is asked three times. */
async function answers(here: Here, site: Target, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (attempt > 0) await sleep(askAgainMs, undefined, { signal })
    const alive = await talk(here, site, (deps, connection, options) => call(deps, connection, 'ping', {}, options)).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Problem) return false
        throw error
      },
    )
    if (alive) return true
  }
  return false
}

async function tell(
  here: Here,
  job: Running,
  site: Target,
  { name, type, status, from_version, to_version, reason }: ItemResult,
): Promise<void> {
  const what = type === 'core' ? 'WordPress' : name
  const summary =
    status === 'updated' ? `Updated ${what} from ${from_version} to ${to_version}` : `Update of ${what} to ${to_version} failed`
  const event = {
    siteId: site.id,
    category: 'update' as const,
    summary,
    jobId: job.id,
    by: job.requestedBy,
    internal: status !== 'updated',
  }
  await logEvent(here, { ...event, ...(reason !== null && { notes: reason }) })
}
