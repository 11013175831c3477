import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import type { Context, World } from '../world.ts'
import { reopenExpired } from './check-store.ts'
import { insertEvents } from './record-store.ts'
import { readFinding } from './service.ts'
import { writeIgnored, writeUnignored } from './store.ts'

interface Ignoring {
  finding_id: string
  reason: string
  until?: Date | undefined
}

/** From now on it counts no more, until it is put right or its time is over. Again on an ignored one: another reason, another time. */
export async function ignoreFinding(context: Context, site: Site, { finding_id, reason, until }: Ignoring) {
  const now = context.now()
  const end = until ?? null
  if (end !== null && end <= now) throw wrongField('until', 'Must be in the future.')
  const { status } = await readFinding(context, site, finding_id)
  if (status === 'fixed') throw new Problem('conflict', 'This finding is fixed; there is nothing to ignore.', { retryable: false })
  const by = asker(context)
  await writeIgnored(context, finding_id, { reason, by, at: now.toISOString() }, end)
  await insertEvents(context, now, [
    { id: finding_id, event: 'ignored', actor: by, reason: end ? `${reason} (until ${end.toISOString()})` : reason },
  ])
  return readFinding(context, site, finding_id)
}

export async function unignoreFinding(context: Context, site: Site, id: string) {
  const { status } = await readFinding(context, site, id)
  if (status !== 'ignored') throw new Problem('conflict', `This finding is ${status}, not ignored.`, { retryable: false })
  await writeUnignored(context, id)
  await insertEvents(context, context.now(), [{ id, event: 'unignored', actor: asker(context) }])
  return readFinding(context, site, id)
}

/** Ignored findings whose time is over count again. */
export async function endIgnoring(world: World): Promise<void> {
  for (const { workspace_id, site_id } of await reopenExpired(world.db, world.now())) world.changed(workspace_id, [site_id])
}
