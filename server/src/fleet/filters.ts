import { z } from 'zod'
import { ownFilterFields } from '../sites/filters.ts'
import { Need, orders } from './schema.ts'

const { tag, client, status } = ownFilterFields

/** What the dashboard's list of sites is narrowed and ordered by. */
export const FleetFilters = {
  q: z.string().min(1).max(200).optional().describe('Words that all stand in name, address, client or tags.'),
  ...{ tag, client, status },
  need: Need.optional(),
  order: z.enum(orders).optional().describe('backup: the oldest good backup first. updates: the most first.'),
}
