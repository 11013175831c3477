import { z } from 'zod'
import { changeKinds } from '../kernel/change.ts'

/** One event: what changed, and no more; what it is now, the list or the record tells. */
export const Event = z.object({
  kind: z
    .enum([...changeKinds, 'ready', 'reset'])
    .describe('ready: the stream has begun. reset: nobody knows what changed meanwhile; read again what you show.'),
  id: z.string().nullable().describe('Of what changed; null: several of that kind.'),
  site_id: z.string().nullable(),
})
