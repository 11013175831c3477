// What agents asked for that a person decides.
import type { Input, Item, Output } from '../api.ts'
import { useCall, usePages } from '../queries.ts'

export type Summary = Item<'approvals.list'>
export type Whole = Output<'approvals.get'>

/** How many wait, for the menu; undefined: not known. */
export function useWaiting(): number | undefined {
  return useCall('approvals.list', { status: 'pending', limit: 200 }, { every: 15_000 }).data?.length
}

export const useApprovals = (status: Input<'approvals.list'>['status']) =>
  usePages('approvals.list', { limit: 50, ...(status && { status }) }, { every: 5000 })
