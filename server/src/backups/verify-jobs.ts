import { logEvent } from '../activity/service.ts'
import { counted, type JobKind, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { openMysqlClient } from '../platform/mysql-client.ts'
import type { Here, World } from '../world.ts'
import { blobReader } from './blobs.ts'
import type { RowSum } from './engine/insert-rows.ts'
import { readManifest } from './engine/manifest.ts'
import type { VerificationReport } from './schema.ts'
import { openScratch, type Scratch, sweepScratch } from './scratch.ts'
import { findStoredBackup, recordTrial } from './store.ts'
import { type Imported, tryImport } from './trial-import.ts'
import { nameLost, readWhole, type Verification } from './verify.ts'

/** Tries a backup out on this machine. It only reads from the store, so a killed attempt is begun anew. */
export const verify: JobKind<World, { backup_id: string }, VerificationReport> = {
  type: 'verify_backup',
  retries: 3,
  apart: true,
  changesSite: false,
  work: tryOut,
  summarize: ({ level, doubts }) => ({ outcome: 'done', summary: inWords(level, doubts.length) }),
}

function inWords(level: VerificationReport['level'], doubts: number): string {
  if (level === 'damaged') return 'The backup is damaged: a part of it cannot be read.'
  const how = level === 'imported' ? 'was read whole and imported into a database' : 'was read whole'
  return `The backup ${how}${doubts > 0 ? `, with ${counted(doubts, 'doubt')}` : ''}.`
}

const sayEvery = 16 * 1024 * 1024
const reported = 20

async function tryOut(
  world: World,
  job: Running,
  { backup_id }: { backup_id: string },
): Promise<VerificationReport & { backup_id: string }> {
  const here = { ...world, workspaceId: job.workspaceId }
  const backup = await findStoredBackup(world.db, backup_id)
  if (backup?.workspace_id !== job.workspaceId || backup.status !== 'completed' || backup.manifest === null)
    throw new Problem('not_found', 'The backup is not there any more.')
  await sweepScratch(world)
  const scratch = await openScratch(world, job)
  try {
    const report = await reportOn(here, job, scratch, { id: backup_id, manifest: backup.manifest, bytes: Number(backup.size_bytes ?? 0) })
    await record(here, job, backup_id, report)
    await nameLost(here, { id: backup_id, manifest: backup.manifest }, report)
    return { backup_id, ...report }
  } finally {
    await scratch.close()
  }
}

async function reportOn(
  here: Here,
  job: Running,
  scratch: Scratch,
  { id, manifest, bytes }: { id: string; manifest: string; bytes: number },
): Promise<VerificationReport> {
  await job.phase('scratch restore')
  const url = here.config.scratchMysqlUrl
  const sums = url === undefined ? undefined : new Map<string, RowSum>()
  const found = await readWhole(here, id, manifest, { signal: job.signal, scratch, say: sayer(job, bytes), ...(sums && { sums }) })
  let imported: Imported | null = null
  if (found.ok && url !== undefined && sums && sums.size > 0) {
    await job.phase('trial import')
    const read = await blobReader(here, here.workspaceId)
    const client = await openMysqlClient(url, scratch.dir)
    imported = await tryImport(here, client, {
      manifest: await readManifest(manifest, read),
      read,
      sums,
      jobId: job.id,
      signal: job.signal,
    })
  }
  const { files, tables, rows, skipped_rows, bytes: size, damage, doubts } = found
  return {
    level: levelOf(found, imported),
    files,
    tables,
    rows,
    skipped_rows,
    bytes: size,
    damage: damage.slice(0, reported),
    doubts: doubts.slice(0, reported),
    imported,
  }
}

function levelOf({ ok, damage }: Verification, imported: Imported | null): VerificationReport['level'] {
  if (damage.length > 0) return 'damaged'
  if (!ok) return 'content'
  return imported?.ok ? 'imported' : 'restored'
}

function sayer(job: Running, total: number) {
  let said = 0
  return async ({ bytes }: Verification) => {
    if (bytes - said < sayEvery) return
    said = bytes
    const percent = total > 0 ? Math.min(99, Math.floor((100 * bytes) / total)) : null
    await job.progress({ percent, done: bytes, total, unit: 'bytes', bytes })
  }
}

/** What stands in the way of a restore is told, to be looked at before the restore is needed. */
async function record(here: Here, job: Running, backupId: string, report: VerificationReport): Promise<void> {
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    await recordTrial(within, backupId, report)
    const trouble = report.damage.length + report.doubts.length + (report.imported?.reason ? 1 : 0)
    if (trouble === 0) return
    const by = { type: 'system', id: 'backups', name: 'Backups' } as const
    const summary =
      report.level === 'damaged' ? 'A backup is damaged: a part of it cannot be read' : 'A backup was tried out, and not all went well'
    const notes = `${backupId}: ${report.damage.length} parts are lost, ${trouble - report.damage.length} are doubtful. Its verification_report names them.`
    await logEvent(within, { siteId: job.siteId, category: 'backup', summary, notes, jobId: job.id, by, internal: true })
  })
}
