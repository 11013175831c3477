import { newId } from '../kernel/ids.ts'
import { type Running, within } from '../kernel/job.ts'
import type { Here } from '../world.ts'
import { backup as backupJob, type Way } from './jobs.ts'
import { insertBackup, type NewBackup } from './store.ts'

type Wanted = Pick<NewBackup, 'site_id' | 'type' | 'trigger'> & {
  /** Under this name the job keeps what the backup needs for a later attempt. */
  step: string
  /** What the job is said to do meanwhile. */
  phase: string
  /** The door, where WordPress does not start. */
  way?: Way
}

/** The site as it is now, backed up by a job of another kind: a site has one job at a time. A later attempt goes on with the same backup. */
export async function backUpWithin(here: Here, job: Running, { step, phase, way, ...backup }: Wanted): Promise<{ backup_id: string }> {
  const backup_id = (await backupWithin(job, step)) ?? (await insertOnce(here, job, step, backup))
  await backupJob.work(here, within(job, step, phase), { type: backup.type, backup_id, ...(way && { way }) })
  return { backup_id }
}

/** The backup that this job has begun under that name, if it has. */
export async function backupWithin(job: Pick<Running, 'stateOf'>, step: string): Promise<string | null> {
  return ((await job.stateOf(step)) as { backup_id: string } | undefined)?.backup_id ?? null
}

async function insertOnce(
  here: Here,
  job: Running,
  step: string,
  backup: Pick<NewBackup, 'site_id' | 'type' | 'trigger'>,
): Promise<string> {
  const id = newId('backup', here.now())
  await here.db.transaction().execute(async (db) => {
    await insertBackup({ ...here, db }, { ...backup, id, job_id: job.id, requested_by: job.requestedBy })
    await job.saveState(step, { backup_id: id }, db)
  })
  return id
}
