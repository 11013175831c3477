import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'

export const ViewId = z.string().regex(/^view_[0-9a-z]{26}$/, 'Not a view id; they look like view_….')

export const View = z.object({
  id: ViewId,
  name: z.string(),
  query: z.string().describe('The filters and the order, as a query of GET /fleet. Empty: all sites, the most urgent first.'),
  created_at: Time,
  updated_at: Time,
})
export type View = z.infer<typeof View>
