// The one clock: whatever comes again by itself is done from here.
import { setTimeout } from 'node:timers/promises'
import type { Duty, SiteDuty, WorkspaceDuty } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/context.ts'
import { dateOf, nextRun } from '../kernel/recurrence.ts'
import { claimTurn, insertTurn, leaseTurn, moveTurn, type SiteTurn, sitesWithoutTurn, workspacesWithoutTurn } from './clock-store.ts'
import { type Repeated, repeat } from './repeat.ts'

/** What the clock itself needs of the world it hands to the duties. */
type Ground = Pick<Kernel, 'db' | 'now' | 'log' | 'changed'> & { stopping: AbortSignal }

const afterErrorMs = 10 * 60_000
const leaseMs = 6 * 3_600_000
/** Spread over the day, so that workspaces are never looked after all at once. */
const allDay = { at: '00:00', spread_minutes: 1440 }

/** Does now and then what is due, each duty in a loop of its own, so that none waits for another. `turnsEveryMs`: how often turns of sites and workspaces are looked for. */
export function openClock<World extends Ground>(
  world: World,
  duties: readonly Duty<World>[],
  turnsEveryMs = 30_000,
): { close(): Promise<void> } {
  const loops = duties.map((duty) => {
    const everyMs = 'everyMs' in duty ? duty.everyMs : turnsEveryMs
    return repeat(world.log, { everyMs, trouble: `the duty ${duty.name} failed and is tried again` }, () => perform(world, duty))
  })
  const firstPasses = oneByOne(loops, world.stopping)
  return {
    async close() {
      await firstPasses
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}

/** All at once would open every connection there may be; whoever has much to do holds up the next only for a moment. */
async function oneByOne(loops: readonly Repeated[], stopping: AbortSignal): Promise<void> {
  for (const loop of loops) {
    if (stopping.aborted) return
    await Promise.race([loop.pass(), setTimeout(100, undefined, { ref: false })])
  }
}

/** One pass of one duty. Any number of processes may; each turn is claimed by one. */
export async function perform<World extends Ground>(world: World, duty: Duty<World>): Promise<void> {
  if ('everyMs' in duty) return void (await duty.run(world))
  const { name } = duty
  if ('ofSite' in duty) {
    for (const { workspace_id: workspaceId, site_id } of await sitesWithoutTurn(world.db, name)) {
      const here = { ...world, workspaceId }
      await insertTurn(here, name, site_id, await duty.ofSite.first(here, site_id))
    }
    while (!world.stopping.aborted && (await siteTurn(world, name, duty)));
  } else {
    for (const workspaceId of await workspacesWithoutTurn(world.db, name))
      await insertTurn({ db: world.db, workspaceId }, name, null, nextRun(allDay, `${name} ${workspaceId}`, world.now()))
    while (!world.stopping.aborted && (await workspaceTurn(world, name, duty)));
  }
}

/** Does the turn that has waited longest; false when none is due. */
async function siteTurn<World extends Ground>(world: World, name: string, { ofSite }: SiteDuty<World>): Promise<boolean> {
  let claimed: SiteTurn | undefined
  try {
    await world.db.transaction().execute(async (db) => {
      claimed = await claimTurn(db, name, world.now())
      if (!claimed) return
      const here = { ...world, db, workspaceId: claimed.workspace_id }
      await moveTurn(here, name, claimed.site_id, await ofSite.run(here, claimed.site_id))
    })
  } catch (error) {
    if (!claimed) throw error
    world.log.warn({ err: error, site_id: claimed.site_id, kind: name }, 'something that was due failed and is tried again later')
    const later = dateOf(world.now().getTime() + afterErrorMs)
    await moveTurn({ db: world.db, workspaceId: claimed.workspace_id }, name, claimed.site_id, later)
  }
  if (claimed) world.changed(claimed.workspace_id, [claimed.site_id])
  return claimed !== undefined
}

async function workspaceTurn<World extends Ground>(world: World, name: string, { ofWorkspace }: WorkspaceDuty<World>): Promise<boolean> {
  const now = world.now()
  const workspaceId = await leaseTurn(world.db, name, now, dateOf(now.getTime() + leaseMs))
  if (workspaceId === undefined) return false
  const here = { db: world.db, workspaceId }
  try {
    const outcome = await ofWorkspace(world, workspaceId)
    world.log.info({ workspace_id: workspaceId, kind: name, ...outcome }, 'a workspace was looked after')
  } catch (error) {
    if (world.stopping.aborted) {
      await moveTurn(here, name, null, now)
      return false
    }
    world.log.error({ err: error, workspace_id: workspaceId, kind: name }, 'a workspace could not be looked after')
  }
  await moveTurn(here, name, null, nextRun(allDay, `${name} ${workspaceId}`, world.now()))
  return true
}
