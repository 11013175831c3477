import { pruneWorkspace } from '../backups/prune.ts'
import { sweepScratch } from '../backups/scratch.ts'
import { checkStore, readBack } from '../backups/watch.ts'
import { type Repeated, repeat } from '../platform/repeat.ts'
import { endIgnoring } from '../security/ignoring.ts'
import type { Here, World } from '../world.ts'
import { firstSecurityTurn, runSecurityTurn } from './security-turn.ts'
import { firstBackupTurn, runBackupTurn, runRetainTurn } from './service.ts'
import { dateOf, nextRun } from './slots.ts'
import { claimTurn, insertTurn, leaseTurn, moveTurn, sitesWithoutTurn, type Turn, workspacesWithoutTurn } from './store.ts'
import { firstTrialTurn, runTrialTurn } from './trials.ts'

const afterErrorMs = 10 * 60_000

/** Work of a few queries for each site: when it comes first, and what it is; both answer the next time. */
const duties: Record<string, { first: (here: Here, siteId: string) => Promise<Date>; run: (here: Here, siteId: string) => Promise<Date> }> =
  {
    backup: { first: firstBackupTurn, run: runBackupTurn },
    verify: { first: firstTrialTurn, run: runTrialTurn },
    retain: { first: async (here) => here.now(), run: runRetainTurn },
    security: { first: firstSecurityTurn, run: runSecurityTurn },
  }

/** Work on the store of a workspace, once a day; it may take long. */
const chores: Record<string, (world: World, workspaceId: string) => Promise<object>> = {
  prune: pruneWorkspace,
  check: checkStore,
  read: readBack,
}
const allDay = { at: '00:00', spread_minutes: 1440 }
const leaseMs = 6 * 3_600_000

/** Does now and then what is due. Any number of processes may; each turn is claimed by one. */
export const openClock = (world: World): Repeated =>
  repeat(world.log, { everyMs: 30_000, trouble: 'what is due could not be looked for' }, async () => {
    await runDue(world)
    await sweepScratch(world)
  })

/** One pass over everything that is due. */
export async function runDue(world: World): Promise<void> {
  await endIgnoring(world)
  for (const kind of Object.keys(duties)) {
    await addTurns(world, kind)
    while (!world.stopping.aborted && (await runOne(world, kind)));
  }
  for (const kind of Object.keys(chores)) {
    for (const workspaceId of await workspacesWithoutTurn(world.db, kind))
      await insertTurn({ db: world.db, workspaceId }, kind, null, nextRun(allDay, `${kind} ${workspaceId}`, world.now()))
    while (!world.stopping.aborted && (await runChore(world, kind)));
  }
}

async function runChore(world: World, kind: string): Promise<boolean> {
  const now = world.now()
  const workspaceId = await leaseTurn(world.db, kind, now, dateOf(now.getTime() + leaseMs))
  if (workspaceId === undefined) return false
  try {
    const outcome = await chores[kind]?.(world, workspaceId)
    world.log.info({ workspace_id: workspaceId, kind, ...outcome }, 'the store of a workspace was looked after')
  } catch (error) {
    if (world.stopping.aborted) {
      await moveTurn({ db: world.db, workspaceId }, kind, null, now)
      return false
    }
    world.log.error({ err: error, workspace_id: workspaceId, kind }, 'the store of a workspace could not be looked after')
  }
  await moveTurn({ db: world.db, workspaceId }, kind, null, nextRun(allDay, `${kind} ${workspaceId}`, world.now()))
  return true
}

async function addTurns(world: World, kind: string): Promise<void> {
  for (const { workspace_id: workspaceId, site_id } of await sitesWithoutTurn(world.db, kind)) {
    const here = { ...world, workspaceId }
    const due = await duties[kind]?.first(here, site_id)
    if (due) await insertTurn(here, kind, site_id, due)
  }
}

async function runOne(world: World, kind: string): Promise<boolean> {
  let claimed: Turn | undefined
  try {
    await world.db.transaction().execute(async (db) => {
      claimed = await claimTurn(db, kind, world.now())
      if (!claimed) return
      const here = { ...world, db, workspaceId: claimed.workspace_id }
      const next = await duties[kind]?.run(here, claimed.site_id)
      if (next) await moveTurn(here, kind, claimed.site_id, next)
    })
  } catch (error) {
    if (!claimed) throw error
    world.log.warn({ err: error, site_id: claimed.site_id, kind }, 'something that was due failed and is tried again later')
    const later = dateOf(world.now().getTime() + afterErrorMs)
    await moveTurn({ db: world.db, workspaceId: claimed.workspace_id }, kind, claimed.site_id, later)
  }
  if (claimed) world.changed(claimed.workspace_id, [claimed.site_id])
  return claimed !== undefined
}
