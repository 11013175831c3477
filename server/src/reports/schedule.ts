// Reports that come by themselves: a draft of the month before, and where that is wished, its mail some days later.
import { sql } from 'kysely'
import { getClient } from '../clients/service.ts'
import { claimDueClient, writeClient } from '../clients/store.ts'
import { monthBefore, nextMonthly } from '../kernel/calendar.ts'
import { Problem } from '../kernel/problem.ts'
import { systemCall } from '../kernel/system-call.ts'
import { noteHappenings } from '../platform/happenings.ts'
import type { Context, World } from '../world.ts'
import { sendReport } from './mails.ts'
import { draftReport, publishReport, refreshReport } from './service.ts'
import { claimDueDraft, isPublished, writeSendAt } from './store.ts'

const dayMs = 86_400_000
const linkDays = 90
const by = { type: 'system', id: 'reports', name: 'Reports' } as const

/** The duty: each in a transaction of its own, so that no other is held up by one that cannot be done. */
export async function runSchedule(world: World): Promise<void> {
  while (!world.stopping.aborted && (await draftNext(world)));
  while (!world.stopping.aborted && (await sendNext(world)));
}

/** False: nobody's is due. */
function draftNext(world: World): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const due = await claimDueClient({ ...world, db })
    if (!due) return false
    const context: Context = systemCall({ ...world, db, workspaceId: due.workspace_id }, by)
    const { schedule, time_zone } = await getClient(context, due.id)
    await writeClient(context, due.id, { report_due_at: nextMonthly(schedule, time_zone, world.now()) })
    const { from, to } = monthBefore(world.now(), time_zone)
    // Somebody was faster: nobody is told of the same month twice.
    if (await isPublished(context, due.id, from, to)) return true
    await alone(context, `no report of the client ${due.id} was drafted`, async () => {
      const { id } = await draftReport(context, due.id, {})
      if (schedule.mode === 'send') await writeSendAt(context, id, new Date(world.now().getTime() + schedule.wait_days * dayMs))
    })
    return true
  })
}

function sendNext(world: World): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const due = await claimDueDraft(db, world.now())
    if (!due) return false
    const context: Context = systemCall({ ...world, db, workspaceId: due.workspace_id }, by)
    // Whatever comes of it, it is not tried again and again: a person sees a draft that nobody sends.
    await writeSendAt(context, due.id, null)
    const sent = await alone(context, `the report ${due.id} was not published and sent`, async () => {
      await publishAnyway(context, due.id)
      await sendReport(context, due.id, { days: linkDays })
    })
    if (!sent) await noteHappenings(context.db, [{ workspaceId: context.workspaceId, kind: 'report_waiting', subjectId: due.id }])
    return true
  })
}

/** False: it failed, which is logged, and nothing of it stays; what the transaction did before does, so that no other waits behind it. */
async function alone({ db, log, workspaceId }: Context, failed: string, work: () => Promise<unknown>): Promise<boolean> {
  await sql`SAVEPOINT alone`.execute(db)
  try {
    await work()
    return true
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT alone`.execute(db)
    log.warn({ err: error, workspace_id: workspaceId }, failed)
    return false
  }
}

/** An entry that was made internal meanwhile is left out by making the figures anew. */
async function publishAnyway(context: Context, id: string): Promise<void> {
  try {
    await publishReport(context, id, undefined)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    await refreshReport(context, id)
    await publishReport(context, id, undefined)
  }
}
