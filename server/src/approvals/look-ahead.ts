// What would be done as things stand: the plan of an operation that has one; of another the sites it is about, and what of its answer is bound, by doing it and taking it back.
import type { Known } from '../kernel/context.ts'
import { digestOf } from '../kernel/digest.ts'
import { handle, strip } from '../kernel/handle.ts'
import { type AnyOperation, plans, rowsOf } from '../kernel/operation.ts'
import { findSite } from '../sites/site-operation.ts'
import type { Here } from '../world.ts'

type Input = Record<string, unknown>

/** What is shown, and what of it must still be so when it is done. */
export interface Ahead {
  plan: Record<string, unknown> | null
  siteIds: string[]
  bound: unknown
  digest: string
}

/** Nothing is done. In a transaction of the caller's, where it has one; throws what doing it would throw. */
export async function lookAhead(here: Here, operation: AnyOperation, call: Known, input: Input): Promise<Ahead> {
  if (!plans(operation)) {
    const { touched, what } = await rehearse(here, operation, call, input)
    return aheadOf(null, touched, what)
  }
  const { answer, touched } = await handle(here, operation, call, { ...input, dry_run: true })
  const plan = strip(operation, answer) as Record<string, unknown>
  const rows = (plan[rowsOf(operation) ?? ''] ?? []) as { site_id?: string }[]
  const named = rows.flatMap(({ site_id }) => site_id ?? [])
  return aheadOf(plan, [...touched, ...named], operation.binds ? operation.binds(plan) : plan)
}

/** Whether its plan asks a site, and so holds no transaction. */
export function planWaits({ waits }: AnyOperation, input: Input): boolean {
  return typeof waits === 'function' ? waits({ ...input, dry_run: true }) : waits === true
}

export function aheadOf(plan: Ahead['plan'], sites: Iterable<string>, what: unknown): Ahead {
  const siteIds = [...new Set(sites)].sort()
  const bound = { sites: siteIds, what: what ?? null }
  return { plan, siteIds, bound, digest: digestOf(bound) }
}

/** What of the answer of an operation without a plan an approval is given for. */
export const boundBy = (operation: AnyOperation, answer: unknown): unknown =>
  operation.binds ? operation.binds(strip(operation, answer) as Input) : null

interface Tried {
  touched: Iterable<string>
  what: unknown
}

async function rehearse(here: Here, operation: AnyOperation, call: Known, input: Input): Promise<Tried> {
  if (operation.waits)
    return { touched: typeof input.site_id === 'string' ? [(await findSite(here, input.site_id, operation.effect)).id] : [], what: null }
  if (here.db.isTransaction) throw new Error('A rehearsal has a transaction of its own.')
  return here.db
    .transaction()
    .execute(async (db) => {
      const { touched, answer } = await handle({ ...here, db }, operation, call, input)
      throw new Rehearsed({ touched, what: boundBy(operation, answer) })
    })
    .catch((error: unknown) => {
      if (error instanceof Rehearsed) return error.tried
      throw error
    })
}

/** Ends the transaction in which something was tried, so that nothing of it stays. */
class Rehearsed extends Error {
  readonly tried: Tried
  constructor(tried: Tried) {
    super('tried')
    this.tried = tried
  }
}
