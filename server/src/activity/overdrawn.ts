import { type Budget, budgets } from '../kernel/budget.ts'
import type { Caller } from '../kernel/context.ts'
import { isToBeTold } from '../kernel/spend.ts'
import type { World } from '../world.ts'
import { logEvent } from './service.ts'

/** Tells in the activity, once an hour, that a budget is used up, and by whom. */
export async function logOverdrawn(world: Pick<World, 'db' | 'now' | 'log'>, caller: Caller, budget: Budget): Promise<void> {
  const { workspaceId, type, id, name } = caller
  await world.db.transaction().execute(async (db) => {
    if (!(await isToBeTold({ db, now: world.now, workspaceId }, budget))) return
    const summary = `Refused because a budget is used up: ${budgets[budget].words}`
    const notes = `Asked for by the ${type} ${id}. If nobody meant that, revoke it; otherwise ${budgets[budget].setting} raises the budget.`
    await logEvent(
      { ...world, db, workspaceId },
      { siteId: null, category: 'security', summary, notes, by: { type, id, name }, internal: true },
    )
    world.log.warn({ workspace_id: workspaceId, caller_id: id, budget }, 'a budget is used up')
  })
}
