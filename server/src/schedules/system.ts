import { newId } from '../kernel/ids.ts'
import type { Context, Here } from '../world.ts'

/** As whom the clock calls what people call too. */
export function asSchedule(here: Here): Context {
  const { workspaceId } = here
  const scopes: Context['caller']['scopes'] = new Set(['read', 'write'] as const)
  const caller = { type: 'system' as const, id: 'schedule', name: 'Schedule', workspaceId, scopes, approvalOnly: false }
  return { ...here, caller, face: 'system', requestId: newId('req', here.now()), touched: new Set() }
}
