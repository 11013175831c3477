// The next wave of an update that an agent asked for and somebody let go: it is asked for again, as any call of that agent is.
import { getApproval } from '../approvals/decide.ts'
import { lastInventories } from '../inventory/service.ts'
import type { Known } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { systemCall } from '../kernel/system-call.ts'
import { findToken } from '../tokens/store.ts'
import type { Context, World } from '../world.ts'
import { beginWave, stop, whyNotAllowed } from './advance.ts'
import { planFor, plannerOf, selectionOf } from './plan.ts'
import type { NextWave } from './schema.ts'
import { findRollout, type HeldRollout, holdOpen, listSitesOf, writeAsked } from './store.ts'

/** What would be begun, of this wave and of those behind it, as far as the inventories tell. */
export async function planNextWave(context: Context, id: string, wave: number): Promise<NextWave> {
  const { waves, input } = await waiting(context, id, wave)
  const rows = (await listSitesOf(context, id)).filter((site) => site.status === 'waiting' && (site.wave ?? 0) >= wave)
  const known = await lastInventories(
    context,
    rows.map(({ site_id }) => site_id),
  )
  const { planItem } = await plannerOf(context, known)
  const sites = await Promise.all(
    rows.map(async ({ site_id, wave }) => {
      const site = await context.fleet.one(context.workspaceId, site_id)
      return site ? [{ ...planFor(site, known.get(site_id), selectionOf(input), planItem), wave }] : []
    }),
  )
  return { status: 'planned', dry_run: true, rollout_id: id, job_id: null, wave, waves, sites: sites.flat() }
}

/** Begins the wave for which the rollout waits; with all waves let go the others follow by themselves. */
export async function beginNextWave(context: Context, id: string, wave: number): Promise<NextWave> {
  const { waves } = await waiting(context, id, wave)
  const held = await holdOpen(context, id)
  if (held?.asks_wave !== wave) throw new Problem('conflict', 'That rollout does not wait for this wave any more.', { retryable: false })
  const { approved } = context.caller
  await writeAsked(context, id, { asks_wave: null, waits_for: null, approved })
  await beginWave(context, held, wave)
  return { status: 'running', dry_run: false, rollout_id: id, job_id: id, wave, waves, sites: null }
}

/** Only who may decide lets it go: a call that was approved, or a person who may. */
export const ownersPart = async ({ caller }: Context) => (caller.approved ? undefined : 'this wave waits for an approval.')

async function waiting(context: Context, id: string, wave: number) {
  const rollout = await findRollout(context, id)
  if (!rollout) throw new Problem('not_found', 'There is no such rollout in this workspace. GET /rollouts shows the recent ones.')
  if (rollout.status !== 'running' || rollout.asks_wave !== wave)
    throw new Problem('conflict', `That rollout does not wait for wave ${wave}.`, { retryable: false })
  return rollout
}

/** Asks for the wave in the name of the agent, once; a request that nobody let go ends the rollout. Outside of any transaction. */
export async function askForWave(world: World, workspaceId: string, rollout: HeldRollout): Promise<void> {
  const { id, asks_wave: wave, waits_for, requested_by } = rollout
  if (wave === null) return
  const here = systemCall({ ...world, workspaceId }, requested_by)
  // Approved for a token that is over, a request is void, and so would be every further one.
  const ended = (await whyNotAllowed(here, rollout)) ?? (waits_for === null ? undefined : await whyEnded(here, waits_for))
  if (ended !== undefined) return endIt(here, id, wave, ended)
  if (waits_for !== null && (await isOpen(here, waits_for))) return
  const operation = world.operations.get('rollouts.continue')
  const token = await findToken(here, requested_by.id)
  if (!operation || !token) return
  const sees = token.sees ? { sees: token.sees } : {}
  const call: Known = {
    caller: { ...here.caller, name: token.name, approvalOnly: true, ...sees },
    face: 'system',
    requestId: newId('req', world.now()),
    reason: `Wave ${wave} of an update that was begun.`,
  }
  const entry = {
    ...{ workspace_id: workspaceId, caller_type: 'token' as const, caller_id: requested_by.id, operation: operation.name },
    ...{ face: 'system' as const, outcome: 'awaiting_approval', request_id: call.requestId, site_id: null },
  }
  try {
    const answer = await world.ask({ operation, call, given: { rollout_id: id, wave }, record: (db) => world.audit(entry, db) })
    if (answer?.awaiting) await writeAsked(here, id, { asks_wave: wave, waits_for: (answer.output as { approval_id: string }).approval_id })
  } catch (error) {
    // Too much waits already, or the site is busy: it is asked for again with the next look.
    if (!(error instanceof Problem) || error.retryable) throw error
    await endIt(here, id, wave, error.message)
  }
}

/** Why no wave comes of a request; undefined: it may yet, or it is to be asked for anew. */
async function whyEnded(context: Context, approvalId: string): Promise<string | undefined> {
  const { status, decided_by } = await getApproval(context, approvalId)
  if (status === 'rejected') return `${decided_by?.name ?? 'Somebody'} declined it.`
  if (status === 'expired') return 'Nobody approved it in time.'
  if (status === 'canceled') return 'The one who asked took it back.'
  return undefined
}

async function isOpen(context: Context, approvalId: string): Promise<boolean> {
  const { status } = await getApproval(context, approvalId)
  return status === 'pending' || status === 'approved'
}

async function endIt(context: Context, id: string, wave: number, why: string): Promise<void> {
  await context.db.transaction().execute(async (db) => {
    const here = { ...context, db }
    const held = await holdOpen(here, id)
    if (held?.asks_wave === wave) await stop(here, held, 'stopped', `Wave ${wave} was not begun. ${why}`)
  })
}
