import { waitUntil } from '../jobs/service.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { advance, stop } from './advance.ts'
import { planRollout, selectionOf } from './plan.ts'
import type { Rollout, RolloutInput } from './schema.ts'
import { countRollouts, findRollout, holdOpen, insertRollout, listRollouts, listSitesOf } from './store.ts'

/** Records the rollout and starts its first wave, all in the caller's transaction. */
export async function startRollout(context: Context, input: RolloutInput) {
  const { sites, waves, waveSize } = await planRollout(context, input)
  const skipped = sites.filter(({ wave }) => wave === null).length
  const answer = { waves, total: sites.length - skipped, skipped }
  if (input.dry_run) return { ...answer, status: 'planned' as const, rollout_id: null, dry_run: true, sites }
  const id = newId('rollout', context.now())
  const { type, id: callerId, name } = context.caller
  const { first_wave, stop_above_percent } = input
  const wanted = { ...selectionOf(input), first_wave, wave_size: waveSize, stop_above_percent }
  await insertRollout(context, { id, input: wanted, waves, requestedBy: { type, id: callerId, name } }, sites)
  const held = await holdOpen(context, id)
  if (held) await advance(context, held)
  const status = waves === 0 ? ('completed' as const) : ('running' as const)
  return { ...answer, status, rollout_id: id, dry_run: false, sites: null }
}

async function getRollout(context: Context, id: string): Promise<Rollout> {
  const rollout = await findRollout(context, id)
  if (!rollout) throw new Problem('not_found', 'There is no such rollout in this workspace. GET /rollouts shows the recent ones.')
  return { ...rollout, sites: await listSitesOf(context, id) }
}

const isOver = ({ status }: Rollout) => status !== 'running' && status !== 'stopping'

/** The rollout, after it ended or `seconds` have passed, whichever is first. */
export const waitForRollout = (context: Context, id: string, seconds: number): Promise<Rollout> =>
  waitUntil(context, { seconds, look: () => getRollout(context, id), over: isOver })

export async function pageOfRollouts(context: Context, wanted: Wanted) {
  const listing = { list: 'rollouts', workspaceId: context.workspaceId, filter: {} }
  const { items: rollouts, ...page } = await pageOf(listing, wanted, {
    items: (part) => listRollouts(context, part),
    total: () => countRollouts(context),
    at: ({ id }) => [id],
  })
  return { rollouts, ...page }
}

/** No further site begins; those that are being updated are brought to their end. Asking twice changes nothing. */
export async function cancelRollout(context: Context, id: string): Promise<Rollout> {
  const rollout = await getRollout(context, id)
  if (rollout.status === 'canceled') return rollout
  const held = await holdOpen(context, id)
  if (!held) throw new Problem('conflict', `That rollout is already ${rollout.status}.`, { retryable: false })
  if (held.ending !== 'canceled') {
    await stop(context, held, 'canceled', `Canceled by ${context.caller.name}.`)
    await advance(context, held)
  }
  return getRollout(context, id)
}
