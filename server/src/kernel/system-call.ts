import type { Approved, Caller } from './context.ts'
import { newId } from './ids.ts'
import type { RequestedBy } from './job.ts'

/** As whom the service itself calls what people call too. */
export function systemCall<Here extends { workspaceId: string; now(): Date }>(here: Here, by: RequestedBy, approved?: Approved) {
  const scopes: Caller['scopes'] = new Set(['read', 'write'] as const)
  const caller: Caller = { ...by, workspaceId: here.workspaceId, scopes, approvalOnly: false, ...(approved && { approved }) }
  return { ...here, caller, face: 'system' as const, requestId: newId('req', here.now()), touched: new Set<string>() }
}
