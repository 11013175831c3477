import { logEvent } from '../activity/service.ts'
import type { Asked } from '../kernel/context.ts'
import { isApprover } from '../members/store.ts'
import { findPolicies } from '../policies/store.ts'
import type { Here } from '../world.ts'
import { lookAhead } from './look-ahead.ts'
import { Void } from './rights.ts'
import { holdApproval, type Row, writeDispatched, writeEnd } from './store.ts'

const calledAgainMs = 3_600_000

/** Uses up an approval whose caller has come again: once, and only while everything is as it was approved. */
export async function collect(here: Here, { operation, call, given }: Asked, id: string): Promise<void> {
  const ahead = await lookAhead(here, operation, call, operation.input.parse(given) as Record<string, unknown>)
  const refused = await here.db.transaction().execute(async (db): Promise<Void | undefined> => {
    const now = { ...here, db }
    const row = await holdApproval(now, id)
    if (row?.status !== 'approved' || !row.decided_by || !row.decided_at) return new Void('It was used already.')
    const byNow = await whyNotBy(now, row, row.decided_by.id)
    const why =
      byNow ??
      (new Date(row.decided_at).getTime() + calledAgainMs <= here.now().getTime()
        ? 'It was approved, but not called again in time.'
        : ahead.digest !== row.plan_digest
          ? 'What it is about has changed since.'
          : undefined)
    if (why !== undefined) {
      await writeEnd(now, id, { status: 'void', reason: why })
      return new Void(why)
    }
    await writeDispatched(now, id)
    const summary = `Begun as ${row.decided_by.name} approved: ${operation.title}`
    await logEvent(
      { ...now, face: call.face },
      { siteId: row.site_ids[0] ?? null, category: 'other', summary, by: row.requested_by, internal: true },
    )
    return undefined
  })
  if (refused) throw refused
}

/** Whoever let it be done may have lost that right: a person as owner or admin, a policy by a newer version. */
async function whyNotBy(here: Here, { policy }: Row, id: string): Promise<string | undefined> {
  if (policy?.decision === 'auto')
    return (await findPolicies(here)).version === policy.version ? undefined : 'The approval policies have changed since.'
  return (await isApprover(here, id)) ? undefined : 'The person who approved it is no owner or admin any more.'
}
