import { hash } from 'node:crypto'
import { logEvent } from '../activity/service.ts'
import { startJob } from '../jobs/service.ts'
import { listOpenJobsOf } from '../jobs/store.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import type { FileAnswer } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context, World } from '../world.ts'
import { blobReader } from './blobs.ts'
import type { Content } from './engine/archive.ts'
import { downloadTar, downloadTarZst } from './engine/download.ts'
import { readManifest } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import { mapTar, TAR_LAYOUT, type TarMap } from './engine/tar-map.ts'
import { backup as backupJob } from './jobs.ts'
import { damageOf, lacksLists } from './loss.ts'
import type { Backup, DownloadFormat } from './schema.ts'
import {
  acceptSuspect,
  countBackups,
  dropBackup,
  findBackup,
  findStoredBackup,
  findTarMap,
  insertBackup,
  listBackups,
  rememberTarMap,
} from './store.ts'
import { type Verification, verifyBackup } from './verify.ts'
import { verify as verifyJob } from './verify-jobs.ts'

/** Records the backup and starts its job, both or neither. */
export async function startBackup(
  context: Context,
  site: Pick<Site, 'id' | 'status'>,
  type: Backup['type'],
  trigger: Backup['trigger'] = context.face === 'mcp' ? 'agent' : 'manual',
) {
  mustBePaired(site, 'it cannot be backed up')
  const backup_id = newId('backup', context.now())
  const started = await startJob(context, backupJob, site.id, { type, backup_id })
  await insertBackup(context, {
    id: backup_id,
    site_id: site.id,
    job_id: started.job_id,
    type,
    trigger,
    requested_by: asker(context),
  })
  return { ...started, backup_id, type }
}

/** Whether a job is about to back the site up, or to put a backup back. */
export async function isBackingUp(context: Pick<Context, 'db' | 'workspaceId' | 'jobKinds'>, siteId: string): Promise<boolean> {
  const jobs = await listOpenJobsOf(context, siteId)
  return jobs.some(({ type, input }) => type === backupJob.type || context.jobKinds.get(type)?.backupNeeded?.(input) !== undefined)
}

export async function pageOfBackups(context: Context, site: Site, wanted: Wanted) {
  const listing = { list: 'backups', workspaceId: context.workspaceId, filter: { siteId: site.id } }
  const { items: backups, ...page } = await pageOf(listing, wanted, {
    items: (part) => listBackups(context, site.id, part),
    total: () => countBackups(context, site.id),
    at: ({ id }) => [id],
  })
  return { backups, ...page }
}

const missing = () => new Problem('not_found', 'There is no such backup of this site. list_backups shows those there are.')

/** Deletes one backup; what only it held leaves the store within days. */
export async function deleteBackup(context: Context, site: Site, id: string) {
  const backup = await findBackup(context, site.id, id)
  if (!backup) throw missing()
  if (!(await dropBackup(context, site.id, id)))
    throw new Problem('conflict', `This backup is ${needed(backup.status)}. Wait for its job, or cancel it.`, { retryable: true })
  const summary = `Deleted a backup of ${new Date(backup.created_at).toISOString().slice(0, 10)}`
  await logEvent(context, { siteId: site.id, category: 'backup', summary, by: asker(context), internal: true })
  return { id }
}

const needed = (status: Backup['status']) => (status === 'queued' || status === 'running' ? status : 'needed by a job of its site')

/** The answer to a suspect backup that is right all the same. */
export async function acceptBackup(context: Context, site: Site, id: string): Promise<Backup> {
  await acceptSuspect(context, site.id, id)
  const backup = await findBackup(context, site.id, id)
  if (!backup) throw missing()
  return backup
}

/** The whole backup as a plain archive that anyone can unpack without this service. */
export async function downloadBackup(context: Context, site: Site, id: string, format: DownloadFormat): Promise<FileAnswer> {
  const backup = await findBackup(context, site.id, id)
  if (!backup) throw missing()
  if (backup.status !== 'completed' || backup.manifest === null)
    throw new Problem('conflict', `This backup is ${backup.status}; only a completed one can be downloaded.`, {
      retryable: backup.status !== 'failed',
    })
  const readBlob = await blobReader(context, context.workspaceId, context.signal)
  const damaged = (error: unknown) => damageOf(context, id, error)
  const refuse = async (error: unknown): Promise<never> => {
    throw await damaged(error)
  }
  const manifest = await readManifest(backup.manifest, readBlob).catch(refuse)
  // Of a part only its own lists are read, so these are all that it needs.
  const whole = async () => {
    if (await lacksLists(context, manifest, readBlob)) await refuse(new PackDamage('a part of the lists is lost'))
  }
  const host = new URL(site.url).host.replace(/[^a-z0-9.-]/gi, '-')
  const created = new Date(backup.created_at).toISOString().slice(0, 16).replace(/[:T]/g, '-')
  const request = { manifest, readBlob, signal: context.signal ?? new AbortController().signal, onDamage: damaged }
  const filename = `${host}-${backup.type}-${created}.${format}`
  if (format === 'tar.zst') return { filename, contentType: 'application/zstd', whole, open: () => downloadTarZst(request) }
  const map = await tarMapOf(context, id, { manifest, readBlob }).catch(refuse)
  // The name of the manifest is the digest of all it holds.
  const etag = `"${hash('sha256', `${TAR_LAYOUT} ${backup.manifest}`, 'base64url')}"`
  return {
    ...{ filename, contentType: 'application/x-tar' },
    known: { length: map.length, etag },
    whole,
    open: (part) => downloadTar({ ...request, map }, part),
  }
}

/** Made with the first download, which reads the lists in any case; most backups are never asked for. */
async function tarMapOf(context: Context, id: string, content: Content): Promise<TarMap> {
  const known = await findTarMap(context, id)
  if (known) return known
  const map = await mapTar(content)
  await rememberTarMap(context, id, map)
  return map
}

/** Starts the job that tries a backup out. */
export async function startVerify(context: Context, siteId: string, id: string) {
  const backup = await findBackup(context, siteId, id)
  if (!backup) throw missing()
  if (backup.status !== 'completed' || backup.manifest === null)
    throw new Problem('conflict', `This backup is ${backup.status}; only a completed one can be verified.`, { retryable: false })
  return { ...(await startJob(context, verifyJob, siteId, { backup_id: id })), backup_id: id, type: backup.type }
}

/** Reads a completed backup of any workspace back, for the operator. */
export async function verifyById(world: World, id: string): Promise<Verification> {
  const backup = await findStoredBackup(world.db, id)
  if (!backup) throw new Problem('not_found', `There is no backup ${id}. list_backups shows those there are.`)
  if (backup.status !== 'completed' || backup.manifest === null)
    throw new Problem('conflict', `This backup is ${backup.status}; only a completed one can be verified.`)
  return verifyBackup(world, { ...backup, manifest: backup.manifest })
}
