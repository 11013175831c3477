import { logEvent } from '../activity/service.ts'
import { tellUnlike } from '../approvals/held.ts'
import { endBackup } from '../backups/store.ts'
import type { Change } from '../inventory/changes.ts'
import { unheard } from '../inventory/heard.ts'
import type { Inventory } from '../inventory/schema.ts'
import { collectInventory } from '../inventory/service.ts'
import { CanceledJob, type Ended as EndedJob, type JobKind, type Running, uncanceled } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { backUpBeforeUpdate } from '../schedules/pre-update.ts'
import { lookAgain } from '../security/check-site.ts'
import { type Target, targetOf, unreached } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { asApproved, type Refuse } from './approved.ts'
import type { Begun, Ended } from './begun.ts'
import { briefOf } from './brief.ts'
import { remember } from './harmful.ts'
import { heal } from './heal.ts'
import { updateItem } from './item.ts'
import { type Ruling, rulesOn } from './rules.ts'
import { type ItemResult, Selection, shownAfter, type Updatable, type UpdateResult } from './schema.ts'
import { chosen, mustBeInstalled, obstacle } from './selection.ts'
import { UpdateSite } from './site.ts'
import { stepsAfter } from './steps-after.ts'
import { happeningOf, summaryOf, toldOf } from './words.ts'

type Step = { begun?: Begun; done?: ItemResult }

/** An attempt that was killed is continued from what the site says; what is done stays done. */
export const update: JobKind<World, Record<string, unknown>, UpdateResult> = {
  type: 'update',
  retries: 3,
  changesSite: true,
  changesOnly: ['version', 'on', 'off'] satisfies Change['kind'][],
  work: updateSite,
  summarize: toldOf,
  happening: happeningOf,
  brief: briefOf,
  next: stepsAfter,
  ended: recordEnd,
}

async function updateSite(world: World, job: Running, input: Record<string, unknown>): Promise<UpdateResult> {
  const here = { ...world, workspaceId: job.workspaceId }
  const target = await targetOf(here, job.siteId)
  const { items, ...offers } = await planned(here, job, target, Selection.parse(input))
  const held = await heldBack(here, job, target.id, Selection.parse(input))
  const approved = await asApproved(here, job)
  if (items.some((item) => obstacle(item) === null && held(item).reason === null && approved(item) !== null)) await tellUnlike(here, job)
  const refuse = (item: Updatable) => held(item).reason ?? approved(item)
  const note = (item: Updatable) => held(item).note
  const willRun = items.some((item) => obstacle(item) === null && refuse(item) === null)
  const backup = willRun ? await backUpBeforeUpdate(here, job, target.id) : { backup_id: null, reused: false }
  const results: ItemResult[] = []
  for (const [index, item] of items.entries()) {
    await job.progress({ percent: Math.floor((100 * index) / items.length), done: index, total: items.length, unit: 'items' })
    results.push(await settle(here, { job, target, refuse, note, earlier: results, backup_id: backup.backup_id }, item))
  }
  await uncanceled(job.progress({ percent: 100, done: items.length, total: items.length, unit: 'items' }))
  await uncanceled(job.phase('inventory'))
  // What was taken back is on offer still, unless it was withdrawn or mended meanwhile.
  const refresh = results.some(({ status, health }) => status !== 'updated' && health?.after)
  const inventory = await collectInventory(here, target, { refresh, ours: 'code' }).catch(
    (error: unknown) => void world.log.warn({ err: error, job_id: job.id }, 'the inventory after an update could not be read'),
  )
  if (results.some(({ status }) => status === 'updated')) await lookAtFindings(here, job, target, inventory)
  return { backup_id: backup.backup_id, backup_reused: backup.reused, items: results, ...offers }
}

/** What the rules say now, whatever they said when it was asked for. */
async function heldBack(here: Here, { requestedBy }: Running, siteId: string, wanted: Selection): Promise<(item: Updatable) => Ruling> {
  const judge = await rulesOn(here, [siteId])
  const site = (await here.fleet.one(here.workspaceId, siteId)) ?? { id: siteId, tags: [] }
  return (item) => judge(site, item, { wanted, byPerson: requestedBy.type === 'user' })
}

/** What was outdated or vulnerable may not be any more. */
async function lookAtFindings(here: Here, job: Running, target: Target, inventory: Inventory | undefined): Promise<void> {
  const look = { sources: ['facts', 'inventory'], inventory } as const
  try {
    await lookAgain(here, target.id, look, { by: job.requestedBy, jobId: job.id, signal: job.signal })
  } catch (error) {
    if (!(error instanceof Problem || error instanceof CanceledJob)) throw error
    here.log.warn({ err: error, job_id: job.id }, 'the findings of a site could not be looked at after an update')
  }
}

/** The backup before it ends with the job; a job that failed is told, because a site may have been left to itself. */
async function recordEnd(world: World, job: EndedJob): Promise<void> {
  const context = { ...world, workspaceId: job.workspaceId }
  await endBackup(context, job.id, job.status, job.error)
  if (job.status === 'canceled' || job.siteId === null) return
  const by = { type: 'system', id: 'updates', name: 'Updates' } as const
  const event = {
    siteId: job.siteId,
    category: 'update' as const,
    summary: 'An update could not be finished',
    jobId: job.id,
    by,
    internal: true,
  }
  await logEvent(context, { ...event, notes: job.error?.message ?? '' })
}

type Planned = { items: Updatable[] } & Pick<UpdateResult, 'offers_heard_at'>

/** What this job updates, decided once: a later attempt goes on with the same list. */
async function planned(here: Here, job: Running, target: Target, wanted: Selection): Promise<Planned> {
  const before = (await job.stateOf('plan')) as Planned | undefined
  if (before) return before
  await job.phase('inventory')
  const inventory = await collectInventory(here, target, { refresh: true })
  mustBeInstalled(inventory, wanted)
  const plan = {
    items: chosen(inventory, wanted),
    ...(unheard(inventory) === null ? {} : { offers_heard_at: inventory.updates_checked_at }),
  }
  await job.saveState('plan', plan)
  await job.finishStep('plan')
  return plan
}

/** What goes for every item of a job. */
interface Batch {
  job: Running
  target: Target
  refuse: Refuse
  /** What was passed over because somebody named it. */
  note(item: Updatable): string | null
  earlier: ItemResult[]
  /** The backup before it, if there is one. */
  backup_id: string | null
}

async function settle(here: Here, batch: Batch, item: Updatable): Promise<ItemResult> {
  const { job, target } = batch
  const step = `${item.type} ${item.file}`
  const state = ((await job.stateOf(step)) ?? {}) as Step
  if (state.done) return state.done
  const done = await resultOf(here, batch, item, { step, begun: state.begun })
  await here.db.transaction().execute(async (db) => {
    await job.saveState(step, { done }, db)
    if (done.status === 'already_current' || done.status === 'skipped') return
    await logResult({ ...here, db }, job, target, done)
    if (!done.unjudged) await remember({ ...here, db }, target.id, done)
  })
  await job.finishStep(step)
  return done
}

interface Known {
  step: string
  begun: Begun | undefined
}

async function resultOf(
  here: Here,
  { job, target, refuse, note, earlier, backup_id }: Batch,
  item: Updatable,
  { step, begun }: Known,
): Promise<ItemResult> {
  const { type, slug, file, name, version: from_version, update: offered } = item
  const versions = { from_version, to_version: offered?.version ?? from_version }
  const base = { type, slug, file, name, ...versions, site_said: null, health: null, pictures: null, seconds: null }
  if (!offered) return { ...base, status: 'already_current', reason: null }
  const why = obstacle(item) ?? refuse(item)
  if (why !== null) return { ...base, status: 'skipped', reason: why }
  if (earlier.some(({ health }) => health?.after?.ok === false))
    return { ...base, status: 'skipped', reason: 'The site is not healthy after an item before this one.' }
  const held = withoutCancel(job.signal)
  try {
    const of = {
      ...{ here, item, begun, version: offered.version, job: { id: job.id, fence: job.fence, signal: held.signal } },
      site: await UpdateSite.open(here, target, held.signal),
      save: (next: Begun) => job.saveState(step, { begun: next }),
      phase: (phase: string) => uncanceled(job.phase(phase)),
    }
    const ended = await heal(of, { ...job, signal: held.signal }, await updateItem(of), { backup_id, earlier })
    const result = { ...base, ...outcome(ended, of.begun, here.now()) }
    const reason = [result.reason, result.status === 'updated' && result.reason === null ? note(item) : null, unnoted(of.begun)]
    return { ...result, reason: reason.filter((text) => text !== null).join(' ') || null, ...(ended.unjudged && { unjudged: true }) }
  } catch (error) {
    throw await unreached(here, target, error)
  } finally {
    held.release()
  }
}

const unnoted = (begun: Begun | undefined) =>
  begun?.noted === false
    ? 'The site could not note its most important settings before it, because its database lets in nobody but WordPress: had they been changed, they would not have come back by themselves.'
    : null

function outcome(
  { status, reason, site_said, after, to_version }: Ended,
  begun: Begun | undefined,
  now: Date,
): Pick<ItemResult, 'status' | 'reason' | 'site_said' | 'health' | 'pictures' | 'seconds'> & Partial<Pick<ItemResult, 'to_version'>> {
  if (!begun) return { status, reason, site_said, health: null, pictures: null, seconds: null }
  return {
    status,
    reason,
    site_said,
    ...(to_version !== undefined && { to_version }),
    health: { before: begun.before, after_shows: shownAfter(status), after },
    pictures: begun.pictures?.told ?? null,
    seconds: Math.round((now.getTime() - begun.startedMs) / 100) / 10,
  }
}

/** A cancel is heeded between items; whatever else stops the job stops an item too. */
function withoutCancel(signal: AbortSignal): { signal: AbortSignal; release(): void } {
  const held = new AbortController()
  const pass = () => {
    if (!(signal.reason instanceof CanceledJob)) held.abort(signal.reason)
  }
  if (signal.aborted) pass()
  else signal.addEventListener('abort', pass, { once: true })
  return { signal: held.signal, release: () => signal.removeEventListener('abort', pass) }
}

async function logResult(here: Here, job: Running, target: Target, result: ItemResult): Promise<void> {
  const { status, reason } = result
  const internal = status !== 'updated'
  const event = { siteId: target.id, category: 'update' as const, summary: summaryOf(result), jobId: job.id, by: job.requestedBy, internal }
  await logEvent(here, { ...event, ...(reason !== null && { notes: reason }) })
}
