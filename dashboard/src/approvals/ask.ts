// What agents asked for that a person decides. Where the service has no such operations, nothing of this is shown.
import { isThere, type Name } from '../api.ts'
import { useCall, useDo, usePages } from '../queries.ts'

/** Whether this service queues what agents ask for. */
export const hasApprovals = isThere('approvals.list')

interface By {
  type: string
  id: string
  name: string
}

interface Approval {
  id: string
  status: 'pending' | 'approved' | 'dispatched' | 'rejected' | 'expired' | 'void' | 'canceled'
  operation: string
  title: string
  requested_by: By
  via: string
  reason: { text: string } | null
  sites: number
  site_ids: string[]
  plan_digest: string
  created_at: string
  expires_at: string
  decided_by: By | null
  decided_at: string | null
  note: string | null
  policy: { version: number; decision: string; rule: string; set_by: By | null } | null
  all_waves: boolean
  dispatched_at: string | null
  job_id: string | null
  ended_reason: string | null
}
export type Summary = Approval
export type Whole = Approval & {
  input: { values: Record<string, unknown> }
  plan: { answer: Record<string, unknown> } | null
}

const named = (name: string) => name as Name

/** How many wait, for the menu. */
export function useWaiting(): number {
  const asked = useCall(named('approvals.list'), { status: 'pending', limit: 200 } as never, { every: 15_000, enabled: hasApprovals })
  return Array.isArray(asked.data) ? asked.data.length : 0
}

export function useApprovals(status: string | undefined) {
  const found = usePages(named('approvals.list'), { limit: 50, ...(status && { status }) } as never, { every: 5000 })
  return { ...found, items: found.items as unknown as Summary[] }
}

export function useApproval(id: string) {
  const found = useCall(named('approvals.get'), { approval_id: id } as never, { every: 5000 })
  return { ...found, data: found.data as unknown as Whole | undefined }
}

export const useDecision = (verb: 'approve' | 'deny', then: () => void) => useDo(named(`approvals.${verb}`), then)
