import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'

export const ViewId = z.string().regex(/^view_[0-9a-z]{26}$/, 'Not a view id; they look like view_….')

/** What the list of sites shows of each, in the order of its columns. */
export const Column = z.enum([
  'connection',
  'uptime',
  'security',
  'updates',
  'backup',
  'versions',
  'errors',
  'links',
  'performance',
  'added',
])

export const View = z.object({
  id: ViewId,
  name: z.string(),
  query: z.string().describe('The filters and the order, as a query of GET /fleet. Empty: all sites, the most urgent first.'),
  columns: z.array(Column).nullable().describe('What is shown of each site. null: as the browser shows it anyway.'),
  created_at: Time,
  updated_at: Time,
})
export type View = z.infer<typeof View>
