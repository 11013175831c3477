import type { AwaitingApproval } from '../kernel/awaiting.ts'
import { type AnyOperation, isCalledAgain } from '../kernel/operation.ts'
import { atLocalhost } from '../members/passkey-place.ts'
import type { World } from '../world.ts'
import type { Row } from './store.ts'

/** What the one who asked is told, now or when asked again. */
export function awaitingOf({ config }: Pick<World, 'config'>, operation: AnyOperation, row: Row): AwaitingApproval {
  const { id, status, expires_at } = row
  return {
    status: status === 'pending' ? 'awaiting_approval' : status,
    approval_id: id,
    job_id: id,
    expires_at: new Date(expires_at).toISOString(),
    poll_after_s: status === 'pending' ? 60 : 2,
    next: 'get_job',
    message: status === 'pending' ? waiting(atLocalhost(config.baseUrl), operation, row) : `This was asked for before. ${whatBecame(row)}`,
  }
}

function waiting(baseUrl: string, operation: AnyOperation, { id, expires_at }: Row): string {
  const until = new Date(expires_at).toISOString()
  const then = isCalledAgain(operation)
    ? 'Once it is approved, call again with the same arguments within an hour: it is done then.'
    : 'Once it is approved it is done by itself, exactly as asked; get_job with this job_id tells of it.'
  return `Nothing was done yet: an owner or admin decides, until ${until}. Tell the person you work for: ${baseUrl}/approvals/${id} waits for a decision. ${then} Do not try another way.`
}

/** One sentence on how it stands. A person's note is not in it. */
export function whatBecame({ status, ended_reason, decided_by, job_id }: Row): string {
  switch (status) {
    case 'pending':
      return 'It waits for an owner or admin to decide.'
    case 'approved':
      return `${who(decided_by)} approved it: call again with the same arguments within an hour to have it done.`
    case 'dispatched':
      return `${who(decided_by)} approved it, and it was ${job_id === null ? 'done' : 'begun'}.${ended_reason === null ? '' : ` ${ended_reason}`}`
    case 'rejected':
      return `${who(decided_by)} declined it. Do not ask again without a word with that person.`
    case 'expired':
      return 'Nobody decided in time, and nothing was done.'
    case 'canceled':
      return 'It was taken back by the one who asked, and nothing was done.'
    case 'void':
      return `Nothing was done. ${ended_reason ?? 'It could no longer be done as it was shown.'}`
  }
}

const who = (by: Row['decided_by']) => by?.name ?? 'Somebody'
