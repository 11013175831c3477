// Who may decide, and whether what was asked for may still be done: looked at in the transaction that acts on it.
import type { Approved, Known } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import { isApprover } from '../members/store.ts'
import { whySpent } from '../tokens/service.ts'
import { holdToken } from '../tokens/store.ts'
import { holdPause } from '../workspaces/store.ts'
import type { Context, Here } from '../world.ts'
import type { Row } from './store.ts'

/** It will never be done as it was shown. */
export class Void extends Problem {
  readonly reason: string
  constructor(reason: string) {
    super('conflict', `Nothing was done, and the approval is void. ${reason} The agent may ask again.`, { retryable: false })
    this.reason = reason
  }
}

/** Only a person decides, one who is an owner or admin now, and not over a request of his own. */
export async function mustBeApprover(context: Context, { requested_by }: Pick<Row, 'requested_by'>): Promise<void> {
  const { caller, workspaceId, db } = context
  const may = caller.type === 'user' && (await isApprover({ db, workspaceId }, caller.id))
  if (!may) throw new Problem('insufficient_scope', 'Nothing was decided: only an owner or admin of the workspace decides, in person.')
  if (caller.id === requested_by.id)
    throw new Problem('insufficient_scope', 'Nothing was decided: nobody decides over what he asked for himself.')
}

/** The call as its token makes it, if that may still write; it is not revoked before the transaction ends. Throws `Void`. */
export async function callOf(here: Here, { face, request_id, requested_by }: Row, approved: Approved): Promise<Known> {
  if ((await holdPause(here)) !== null)
    throw new Problem('conflict', 'Nothing was done: all agents of this workspace are paused. Let them go on, or decline it.', {
      retryable: false,
    })
  const token = requested_by.type === 'token' ? await holdToken(here, requested_by.id) : undefined
  const why = whySpent(token, here.now())
  if (!token || why) throw new Void(`The token that asked for it ${why}.`)
  const scopes = new Set(['read', 'write'] as const)
  const caller = {
    type: 'token',
    id: token.id,
    name: token.name,
    workspaceId: here.workspaceId,
    scopes,
    approvalOnly: false,
    approved,
    ...(token.sees && { sees: token.sees }),
  } as const
  return { caller, face, requestId: request_id }
}
