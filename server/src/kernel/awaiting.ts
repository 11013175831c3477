import { z } from 'zod'
import { Time } from './shapes.ts'

/** What an approval-only caller is told in place of an answer, whatever it asked for. */
export const AwaitingApproval = z.object({
  status: z
    .string()
    .describe('awaiting_approval: nothing was done; a person decides. Anything else: what became of what was asked for with this key.'),
  approval_id: z.string(),
  job_id: z.string().describe('The same: get_job tells what was decided, and then how the work goes.'),
  expires_at: Time,
  poll_after_s: z.int(),
  next: z.literal('get_job'),
  message: z.string().describe('What happens next.'),
})
export type AwaitingApproval = z.infer<typeof AwaitingApproval>
