import type { Asked, Outcome } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { isCalledAgain } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { scrub } from '../platform/log.ts'
import { holdPolicies } from '../policies/store.ts'
import type { Here, World } from '../world.ts'
import { type Done, doNow, nameOf, policyFor } from './automatic.ts'
import { collect } from './collect.ts'
import { lookAhead } from './look-ahead.ts'
import { digestOfRequest, sealInput } from './sealing.ts'
import { countWaiting, endOverdueOf, findApproval, findByKey, findWaiting, insertApproval, type Row } from './store.ts'
import { awaitingOf } from './words.ts'

/** How much may wait: more than a person reads is not asked, it is pushed through. */
const most = { waiting: 20, waitingInAll: 200, anHour: 60, automatic: 300 }
/** Bytes of a plan that is kept to be shown. */
const longestPlan = 1024 * 1024

type Answer = Pick<Outcome, 'output' | 'replayed' | 'awaiting'>

/** Keeps what an approval-only caller asks for until a person decides, or does it where a policy says so; the same asked again is the same request. Undefined: it may be done now. */
export async function ask(world: World, asked: Asked): Promise<Answer | undefined> {
  const { operation, call, given } = asked
  const { caller } = call
  const here = { ...world, ...world.shareOf(caller.workspaceId, 'write'), ...world.seenBy(caller), workspaceId: caller.workspaceId }
  const digest = await digestOfRequest(here, operation, given)
  const earlier = await findEarlier(here, asked, digest)
  if (earlier) return answer(here, asked, earlier)

  const parsed = operation.input.parse(given) as Record<string, unknown>
  const ahead = await lookAhead(here, operation, call, parsed)
  if (JSON.stringify(ahead.plan)?.length > longestPlan)
    throw new Problem('payload_too_large', 'The plan of this is more than a person can be shown. Ask for fewer sites at a time.')
  const id = newId('apr', world.now())
  const sealed_input = await sealInput(here, id, given)
  const { row, done } = await here.db.transaction().execute(async (db): Promise<{ row?: Row | undefined; done?: Done }> => {
    const now = { ...here, db }
    await holdPolicies(now)
    const meanwhile = await findEarlier(now, asked, digest)
    if (meanwhile) return { row: meanwhile }
    const policy = await policyFor(now, operation, parsed, ahead)
    const isAllowed = policy.decision === 'auto'
    const again = isCalledAgain(operation)
    await endOverdueOf(now, caller.id, digest)
    await mayAsk(now, caller.id, isAllowed)
    await insertApproval(now, {
      id,
      operation: operation.name,
      title: operation.title,
      face: call.face,
      requested_by: asker(call),
      request_id: call.requestId,
      // What its caller comes for is kept by the key of that call.
      key: (isAllowed && again ? undefined : keyOf(asked)) ?? null,
      reason: call.reason === undefined ? null : scrub(String(call.reason)),
      sealed_input,
      input_digest: digest,
      shown_input: shown(given, operation.hides),
      plan: ahead.plan,
      plan_digest: ahead.digest,
      bound: ahead.bound,
      site_ids: ahead.siteIds,
      policy,
      allowed: isAllowed ? { by: nameOf(policy), status: again ? 'approved' : 'dispatched' } : undefined,
    })
    const row = await findApproval(now, id)
    if (row && isAllowed && !again) return { row, done: await doNow(now, asked, { row, policy, ahead, input: parsed }) }
    if (!isAllowed) await asked.record(db)
    return { row }
  })
  if (!row) throw new Problem('internal', 'The request was not kept.')
  if (done) {
    world.changed(caller.workspaceId, done.touched.size > 0 ? done.touched : undefined)
    return { output: done.output, replayed: false }
  }
  return row.id === id && row.status === 'pending'
    ? { output: awaitingOf(here, operation, row), replayed: false, awaiting: true }
    : answer(here, asked, row)
}

const keyOf = ({ call: { idempotencyKey } }: Asked) => (idempotencyKey === undefined ? undefined : String(idempotencyKey))

/** What was asked for with the same key, or the same thing that still waits. */
async function findEarlier(here: Here, asked: Asked, digest: string): Promise<Row | undefined> {
  const { operation, call } = asked
  const key = keyOf(asked)
  const same = key === undefined ? undefined : await findByKey(here, call.caller.id, operation.name, key)
  if (same && same.input_digest !== digest)
    throw new Problem('idempotency_mismatch', 'This Idempotency-Key was used for a request with another payload. Send a new key.')
  return same ?? (await findWaiting(here, call.caller.id, digest))
}

async function answer(here: Here, asked: Asked, row: Row): Promise<Answer | undefined> {
  if (row.status === 'approved' && isCalledAgain(asked.operation)) {
    await collect(here, asked, row.id)
    return undefined
  }
  // What a policy let be done has an answer of its own.
  if (row.status === 'dispatched' && row.policy?.decision === 'auto' && row.answer) return { output: row.answer, replayed: true }
  return { output: awaitingOf(here, asked.operation, row), replayed: true, awaiting: true }
}

/** The input without what may not be shown, and without whatever looks like a secret of ours. */
function shown(input: Record<string, unknown>, hides: readonly string[] = []): Record<string, unknown> {
  const visible = Object.entries(input).map(([name, value]) => [name, hides.includes(name) ? '[secret]' : value])
  return JSON.parse(scrub(JSON.stringify(Object.fromEntries(visible))))
}

async function mayAsk(here: Here, callerId: string, isAllowed: boolean): Promise<void> {
  const { waiting, waiting_in_all, lately, automatic } = await countWaiting(here, callerId)
  if (isAllowed && automatic >= most.automatic)
    throw new Problem(
      'rate_limited',
      `Nothing was done: policies let this token do ${automatic} things within the last hour, and no more than ${most.automatic}.`,
      { retryAfter: 300 },
    )
  if (isAllowed) return
  const wait = 'Wait until a person has decided, or take some back.'
  const refusal =
    waiting >= most.waiting
      ? `${waiting} requests of this token wait already, and more than ${most.waiting} may not. ${wait}`
      : waiting_in_all >= most.waitingInAll
        ? `${waiting_in_all} requests wait in this workspace already, and more than ${most.waitingInAll} may not. ${wait}`
        : lately >= most.anHour
          ? `This token asked for ${lately} approvals within the last hour, and more than ${most.anHour} it may not.`
          : undefined
  if (refusal !== undefined) throw new Problem('rate_limited', `Nothing was asked for. ${refusal}`, { retryAfter: 300 })
}
