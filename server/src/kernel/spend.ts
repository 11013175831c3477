import { sql } from 'kysely'
import { type Budget, budgets } from './budget.ts'
import type { Caller, Kernel } from './context.ts'
import type { AnyOperation } from './operation.ts'
import { Problem } from './problem.ts'

const hourMs = 3_600_000

/** A call asked for more than is left. */
export class Overdrawn extends Problem {
  readonly budget: Budget

  constructor(budget: Budget, why: string, retryAfter?: number) {
    super('rate_limited', why, retryAfter === undefined ? { retryable: false } : { retryAfter })
    this.budget = budget
  }
}

type Spending = Pick<Kernel, 'db' | 'now' | 'budgets'> & { caller: Caller; workspaceId: string }

/**
 * Takes what a call costs; throws `Overdrawn` when that is not left. One statement over one row, so calls at the same time on any node
 * cannot pass together what they may not pass one by one. What is rolled back with its call costs nothing; what was begun counts.
 * People are not limited.
 */
export async function spend(context: Spending, { cost }: AnyOperation, input: Record<string, unknown>): Promise<void> {
  if (!cost || context.caller.scopes.has('manage')) return
  const takes = await cost.takes(context, input)
  if (takes === 0) return
  const { budget } = cost
  const most = context.budgets[budget]
  const { words, setting } = budgets[budget]
  const what = `the budget of ${most} ${words} an hour, for all tokens of this workspace together (${setting})`
  if (takes > most) throw new Overdrawn(budget, `This asks at once for ${takes} of ${what}. Ask for less at a time.`)
  const waitMs = await take(context, budget, takes, most)
  if (waitMs === undefined) return
  const free = new Date(context.now().getTime() + waitMs).toISOString()
  throw new Overdrawn(budget, `Used up: ${what}. There is room for this again at ${free}.`, Math.max(1, Math.ceil(waitMs / 1000)))
}

/** Undefined once it is taken; otherwise after how many milliseconds it could be. */
async function take({ db, now, workspaceId }: Spending, budget: Budget, takes: number, most: number): Promise<number | undefined> {
  const since = new Date(now().getTime() - hourMs)
  const recent = sql`(SELECT coalesce(array_agg(at), '{}') FROM unnest(b.uses) AS at WHERE at > ${since})`
  const { numAffectedRows } = await sql`INSERT INTO budgets AS b (workspace_id, name, uses)
    VALUES (${workspaceId}, ${budget}, array_fill(${now()}::timestamptz, ARRAY[${takes}::integer]))
    ON CONFLICT (workspace_id, name) DO UPDATE SET uses = ${recent} || excluded.uses
    WHERE cardinality(${recent}) + ${takes}::integer <= ${most}::integer`.execute(db)
  if (numAffectedRows === 1n) return undefined
  const { rows } = await sql<{ at: Date }>`SELECT at FROM budgets AS b, unnest(b.uses) AS at
    WHERE (workspace_id, name) = (${workspaceId}, ${budget}) AND at > ${since} ORDER BY at`.execute(db)
  const lastToGo = rows[rows.length + takes - most - 1]?.at ?? since
  return lastToGo.getTime() - since.getTime()
}

/** Whether nobody was told within the hour that this budget is used up; then it counts as told. */
export async function isToBeTold({ db, now, workspaceId }: Omit<Spending, 'budgets' | 'caller'>, budget: Budget): Promise<boolean> {
  const { rows } = await sql`INSERT INTO budgets AS b (workspace_id, name, uses, told_at) VALUES (${workspaceId}, ${budget}, '{}', ${now()})
    ON CONFLICT (workspace_id, name) DO UPDATE SET told_at = excluded.told_at
    WHERE b.told_at IS NULL OR b.told_at <= ${new Date(now().getTime() - hourMs)} RETURNING 1`.execute(db)
  return rows.length > 0
}
