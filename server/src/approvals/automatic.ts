// What a policy lets an agent have done without asking: in the transaction that writes down which policy it was.
import type { Asked } from '../kernel/context.ts'
import { handle, strip } from '../kernel/handle.ts'
import type { RequestedBy } from '../kernel/job.ts'
import { type AnyOperation, plans } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { decide } from '../policies/decide.ts'
import type { DecidedBy } from '../policies/schema.ts'
import { findPolicies } from '../policies/store.ts'
import type { Here } from '../world.ts'
import { logDecision } from './log-decision.ts'
import { type Ahead, aheadOf, boundBy } from './look-ahead.ts'
import { callOf } from './rights.ts'
import { onlySite, type Row, writeDone } from './store.ts'

/** What the policies say to a call. Throws where they refuse it. */
export async function policyFor(here: Here, operation: AnyOperation, input: Record<string, unknown>, ahead: Ahead): Promise<DecidedBy> {
  const { policy } = operation
  const effected =
    typeof policy === 'function' ? policy(input, (ahead.bound as { what?: unknown }).what) : policy ? [{ effect: policy }] : []
  const sites = await Promise.all(ahead.siteIds.map(async (id) => (await here.fleet.one(here.workspaceId, id)) ?? { id, tags: [] }))
  const decided = decide(await findPolicies(here), effected, sites)
  if (decided.decision === 'never') throw new Problem('insufficient_scope', refusal(decided))
  return decided
}

const refusal = ({ rule, version, set_by }: DecidedBy) =>
  `Nothing was done, and nobody was asked: the approval policies refuse it. ${rule} (version ${version}, set by ${set_by?.name ?? 'nobody'}). An owner or admin changes that in the dashboard under Settings, Approval policies. Do not try another way.`

export const nameOf = ({ version, set_by }: DecidedBy): RequestedBy => ({
  type: 'system',
  id: `policy_${version}`,
  name: set_by ? `Policy ${version} of ${set_by.name}` : 'The usual policy',
})

interface Work {
  row: Row
  policy: DecidedBy
  ahead: Ahead
  input: Record<string, unknown>
}

export interface Done {
  output: Record<string, unknown>
  touched: ReadonlySet<string>
}

/** Does it in the caller's transaction, all or nothing. */
export async function doNow(here: Here, { operation, call: { signal } }: Asked, { row, policy, ahead, input }: Work): Promise<Done> {
  const by = nameOf(policy)
  // The token as it is now: whoever revokes it, or pauses all agents, waits until this is done.
  const call = { ...(await callOf(here, row, { id: row.id, by })), signal }
  const { answer, touched } = await handle({ ...here, ...here.seenBy(call.caller) }, operation, call, input)
  if (!plans(operation) && aheadOf(null, touched, boundBy(operation, answer)).digest !== ahead.digest)
    throw new Problem('conflict', 'Nothing was done: what it is about changed meanwhile. Call again.')
  const output = strip(operation, answer) as Record<string, unknown>
  const { caller, face, requestId: request_id } = call
  const site_id = onlySite(row)
  await here.audit(
    {
      ...{ workspace_id: here.workspaceId, caller_type: caller.type, caller_id: caller.id, operation: operation.name, face },
      ...{ outcome: 'ok', request_id, site_id },
    },
    here.db,
  )
  const { job_id = null } = output as { job_id?: string | null }
  await writeDone(here, row.id, { job_id, answer: output })
  await logDecision({ ...here, face: row.face }, row, {
    summary: `Done as a policy allows: ${row.title}`,
    notes: `Nobody was asked. ${policy.rule} (version ${policy.version} of the approval policies).`,
    by: row.requested_by,
  })
  return { output, touched }
}
