import type { Pictured } from '../updates/Pictures.tsx'
import type { Job } from './tell.tsx'

/** What an update did with one item, as its job's result tells it. */
export interface ItemDone extends Pictured {
  type: string
  slug: string
  from_version: string
  status: string
  reason?: string | null
  site_said?: { text: string } | null
}

export const itemsOf = ({ type, result }: Job): ItemDone[] =>
  type === 'update' && Array.isArray(result?.items) ? (result.items as ItemDone[]) : []
