import { sql } from 'kysely'
import { type Budget, budgets } from '../kernel/budget.ts'
import type { Caller } from '../kernel/context.ts'
import type { World } from '../world.ts'
import { logEvent } from './service.ts'

const hourMs = 3_600_000

/** Tells in the activity, once an hour, that a budget is used up, and by whom. */
export async function logOverdrawn(world: Pick<World, 'db' | 'now' | 'log'>, caller: Caller, budget: Budget): Promise<void> {
  const { workspaceId, type, id, name } = caller
  const now = world.now()
  await world.db.transaction().execute(async (db) => {
    const { rows } = await sql`INSERT INTO budgets AS b (workspace_id, name, uses, told_at) VALUES (${workspaceId}, ${budget}, '{}', ${now})
      ON CONFLICT (workspace_id, name) DO UPDATE SET told_at = excluded.told_at
      WHERE b.told_at IS NULL OR b.told_at <= ${new Date(now.getTime() - hourMs)} RETURNING 1`.execute(db)
    if (rows.length === 0) return
    const summary = `Refused because a budget is used up: ${budgets[budget].words}`
    const notes = `Asked for by the ${type} ${id}. If nobody meant that, revoke it; otherwise ${budgets[budget].setting} raises the budget.`
    await logEvent(
      { ...world, db, workspaceId },
      { siteId: null, category: 'security', summary, notes, by: { type, id, name }, internal: true },
    )
    world.log.warn({ workspace_id: workspaceId, caller_id: id, budget }, 'a budget is used up')
  })
}
