// Sends what is due, again with growing pauses where it does not arrive, and not for ever.
import { logEvent } from '../activity/service.ts'
import { NotSent } from '../platform/mail.ts'
import type { World } from '../world.ts'
import { addressOf } from './address.ts'
import { type Claimed, claimDeliveries, endAttempt, findNewlyDeaf, findOutgoing, readNotices } from './deliver-store.ts'
import { send } from './send.ts'

const atOnce = 16
const by = { type: 'system', id: 'notifications', name: 'Notifications' } as const
/** So long a message is its worker's alone. */
const leaseMs = 2 * 60_000
/** After each failed attempt, in seconds; after the last one it is dead. Two and a half days in all. */
const pausesS = [5, 30, 120, 600, 1800, 7200, 21_600, 43_200, 43_200, 86_400]

/** The duty: until nothing is due. */
export async function deliver(world: World): Promise<void> {
  for (;;) {
    const now = world.now()
    const claimed = world.stopping.aborted ? [] : await claimDeliveries(world.db, now, new Date(now.getTime() + leaseMs), atOnce)
    await Promise.all(claimed.map((each) => attempt(world, each)))
    if (claimed.length < atOnce) return
  }
}

async function attempt(world: World, claimed: Claimed): Promise<void> {
  const { db, now } = world
  try {
    await carry(world, claimed)
    await endAttempt(db, claimed, { status: 'sent', sentAt: now() })
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    const pause = error.forGood ? undefined : pausesS[claimed.attempts - 1]
    if (pause === undefined) return giveUp(world, claimed, error.message)
    await endAttempt(db, claimed, { status: 'waiting', dueAt: new Date(now().getTime() + pause * 1000), error: error.message })
  }
}

/** Whoever looks at the workspace is told once that nothing arrives there, until something does. */
async function giveUp({ db: pool, log, now }: World, claimed: Claimed, why: string): Promise<void> {
  const { workspace_id: workspaceId, id } = claimed
  log.warn({ delivery_id: id, workspace_id: workspaceId }, 'a notification could not be delivered')
  await pool.transaction().execute(async (db) => {
    if (!(await endAttempt(db, claimed, { status: 'dead', error: why }))) return
    const name = await findNewlyDeaf(db, claimed)
    if (name === undefined) return
    const summary = `A message to the notification channel “${name}” did not arrive and was given up`
    const notes = `${why} svc notifications deliveries --status dead shows what was given up, and svc notifications retry sends it again.`
    await logEvent({ db, now, workspaceId }, { siteId: null, category: 'other', summary, notes, by, internal: true })
  })
}

async function carry(world: World, { workspace_id: workspaceId, id, channel_id, notice_ids }: Claimed): Promise<void> {
  const channel = await findOutgoing(world.db, workspaceId, channel_id)
  const notices = await readNotices(world.db, workspaceId, notice_ids)
  // Their sites were removed meanwhile.
  if (!channel || notices.length === 0) return
  const address = await addressOf({ ...world, workspaceId }, channel_id, channel.sealed)
  await send(world, channel.type, address, { id, workspaceId, workspace: channel.workspace, notices })
}
