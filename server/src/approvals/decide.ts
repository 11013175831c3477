import type { Known } from '../kernel/context.ts'
import { handle, strip } from '../kernel/handle.ts'
import { asker } from '../kernel/job.ts'
import { type AnyOperation, isCalledAgain, plans } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { Overdrawn } from '../kernel/spend.ts'
import type { Context } from '../world.ts'
import { logDecision } from './log-decision.ts'
import { type Ahead, aheadOf, boundBy, lookAhead, planWaits } from './look-ahead.ts'
import { callOf, mustBeApprover, Void } from './rights.ts'
import { openInput } from './sealing.ts'
import { findApproval, holdApproval, onlySite, type Row, writeDecision, writeEnd } from './store.ts'
import { whatBecame } from './words.ts'

interface Said {
  note?: string | undefined
  /** Of what the person looked at. */
  plan_digest?: string | undefined
  /** Of an update in waves: none of them is asked for again. */
  allow_all_waves?: boolean
}

/** An approved request with what doing it takes. */
interface Work {
  row: Row
  operation: AnyOperation
  input: Record<string, unknown>
  call: Known
}

/** Approves it and has it done, both or neither: exactly what was asked for, if all is as it was shown. Approving it twice does it once. */
export async function approve(context: Context, id: string, { note, plan_digest, allow_all_waves = false }: Said): Promise<Row> {
  const seen = await getApproval(context, id)
  await mustBeApprover(context, seen)
  if (plan_digest !== undefined && plan_digest !== seen.plan_digest)
    throw new Problem('conflict', 'Nothing was approved: this is not what you looked at. Look at it again.', { retryable: false })
  if (seen.status !== 'pending') return over(seen, ['approved', 'dispatched'])
  try {
    const { operation, input } = await understood(context, seen)
    // A look at a site holds no transaction, so it comes before; what may move afterwards is held fast by the work itself.
    const looked = planWaits(operation, input) ? await lookNow(context, { row: seen, operation, input }) : undefined
    await context.db.transaction().execute(async (db) => {
      const here = { ...context, db }
      const by = asker(context)
      await mustBeApprover(here, seen)
      // The token before the approval, as whoever revokes it takes them.
      const call = await callOf(here, seen, { id, by, allWaves: allow_all_waves })
      const row = await holdApproval(here, id)
      if (row?.status !== 'pending') return
      const work = { row, operation, input, call }
      const done = isCalledAgain(operation) ? allow(work, looked) : await perform({ ...here, ...here.seenBy(call.caller) }, work, looked)
      await writeDecision(here, id, { ...done, by, note: note ?? null, all_waves: allow_all_waves })
      await logDecision(here, row, { summary: `Approved for ${row.requested_by.name}: ${operation.title}`, by: asker(here) })
    })
  } catch (error) {
    if (error instanceof Void) await writeEnd(context, id, { status: 'void', reason: [...error.reason].slice(0, 500).join('') })
    throw error
  }
  return over(await getApproval(context, id), ['approved', 'dispatched'])
}

/** Declines it; nothing is done. */
export async function deny(context: Context, id: string, { note }: Said): Promise<Row> {
  await mustBeApprover(context, await getApproval(context, id))
  const row = await holdApproval(context, id)
  if (row?.status !== 'pending') return over(row, ['rejected'])
  await writeDecision(context, id, { status: 'rejected', by: asker(context), note: note ?? null })
  await logDecision(context, row, { summary: `Declined for ${row.requested_by.name}: ${row.title}`, by: asker(context) })
  return getApproval(context, id)
}

/** Whoever asked takes it back. */
export async function cancel(context: Context, id: string): Promise<Row> {
  const row = await getApproval(context, id)
  if (row.requested_by.id !== context.caller.id)
    throw new Problem('insufficient_scope', 'Nothing was taken back: only the one who asked for it does that. A person may decline it.')
  const held = await holdApproval(context, id)
  if (held?.status === 'approved') await writeEnd(context, id, { status: 'void', reason: 'The one who asked took it back.' })
  else if (held?.status === 'pending') await writeEnd(context, id, { status: 'canceled', reason: 'The one who asked took it back.' })
  else return over(held, ['canceled', 'void'])
  return getApproval(context, id)
}

export async function getApproval(context: Pick<Context, 'db' | 'workspaceId' | 'now' | 'caller'>, id: string): Promise<Row> {
  const row = await findApproval(context, id)
  // Who does not see all sites sees his own requests.
  if (!row || (context.caller.sees && row.requested_by.id !== context.caller.id))
    throw new Problem('not_found', 'There is no such approval in this workspace. GET /approvals shows the recent ones.')
  return row
}

/** What was decided so already is fine; what was decided otherwise is not changed. */
function over(row: Row | undefined, wanted: Row['status'][]): Row {
  if (row && wanted.includes(row.status)) return row
  throw new Problem('conflict', `Nothing was changed. ${row ? whatBecame(row) : ''}`.trim(), { retryable: false })
}

async function understood(context: Context, row: Row): Promise<Pick<Work, 'operation' | 'input'>> {
  const operation = context.operations.get(row.operation)
  const given = await openInput(context, row)
  const parsed = operation?.input.safeParse(given)
  if (!operation || !parsed?.success) throw new Void('This version of the service does not know it any more.')
  return { operation, input: parsed.data }
}

/** As the one who asked would be shown it now. */
async function lookNow(context: Context, { row, operation, input }: Omit<Work, 'call'>): Promise<Ahead> {
  const call = await callOf(context, row, { id: row.id, by: asker(context) })
  return orVoid(lookAhead({ ...context, ...context.seenBy(call.caller) }, operation, call, input))
}

const mustBeSame = (row: Row, { digest }: Ahead) => {
  if (digest !== row.plan_digest) throw new Void('What it would do is not what was shown any more.')
}

/** Its caller comes again for it. */
function allow({ row }: Work, looked: Ahead | undefined) {
  if (looked) mustBeSame(row, looked)
  return { status: 'approved' as const }
}

async function perform(here: Context, { row, operation, call, input }: Work, looked: Ahead | undefined) {
  if (plans(operation)) mustBeSame(row, looked ?? (await orVoid(lookAhead(here, operation, call, input))))
  const { answer, touched } = await orVoid(handle(here, operation, call, input))
  if (!plans(operation)) mustBeSame(row, aheadOf(null, touched, boundBy(operation, answer)))
  for (const id of touched) here.touched.add(id)
  const output = strip(operation, answer) as Record<string, unknown>
  const { caller, face, requestId } = call
  await here.audit(
    {
      ...{ workspace_id: here.workspaceId, caller_type: caller.type, caller_id: caller.id, operation: operation.name, face },
      ...{ outcome: 'ok', request_id: requestId, site_id: onlySite(row) },
    },
    here.db,
  )
  const { job_id = null } = output as { job_id?: string | null }
  return { status: 'dispatched' as const, job_id, answer: output }
}

/** What fails for good will never be done as it was shown; what may pass leaves it waiting. */
async function orVoid<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Overdrawn) throw new Problem('rate_limited', error.message, { retryAfter: error.retryAfter ?? 60 })
    if (error instanceof Problem && !error.retryable) throw new Void(error.message)
    throw error
  }
}
