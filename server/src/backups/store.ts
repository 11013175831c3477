import { sql } from 'kysely'
import { listOpenJobsOf } from '../jobs/store.ts'
import { countRows, type PageOf } from '../kernel/cursor.ts'
import type { JobFailure, RequestedBy } from '../kernel/job.ts'
import type { Context, DatedDb, Db } from '../world.ts'
import { TAR_LAYOUT, TarMap } from './engine/tar-map.ts'
import type { Backup, VerificationReport } from './schema.ts'
import { sound } from './sound.ts'

export interface NewBackup extends Pick<Backup, 'id' | 'site_id' | 'job_id' | 'type' | 'trigger'> {
  requested_by: RequestedBy
}

export async function insertBackup({ db, workspaceId, now }: DatedDb, backup: NewBackup): Promise<void> {
  await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, created_at)
    VALUES (${workspaceId}, ${backup.id}, ${backup.site_id}, ${backup.job_id}, ${backup.type}, 'queued', ${backup.trigger},
      ${JSON.stringify(backup.requested_by)}::jsonb, ${now()})`.execute(db)
}

const columns =
  sql.raw(`b.id, b.type, b.status, b.size_bytes, b.created_at, b.completed_at, b.error, b.job_id, b.site_id, b.trigger, b.requested_by,
  b.stored_bytes, b.files_count, b.tables_count, b.rows_count, b.consistency, b.excluded, b.unreadable_count, b.changed_count, b.outside_count, b.roots, b.omitted, b.verified_at,
  b.verification, b.expires_at, b.wp_version, b.parent, b.increment, b.files_changed, b.suspect, b.rows_read::float8 AS rows_read, b.fuzzy_tables,
  b.whole_tables, b.skipped_rows, b.verification_report, b.lost`)

/** Newest first. */
export async function listBackups({ db, workspaceId }: Db, siteId: string, page: PageOf): Promise<Backup[]> {
  const before = page.after === undefined ? sql`true` : sql`b.id < ${page.after[0]}`
  const { rows } =
    await sql<Backup>`SELECT ${columns} FROM backups b WHERE b.workspace_id = ${workspaceId} AND b.site_id = ${siteId} AND ${before}
    ORDER BY b.id DESC LIMIT ${page.limit ?? null}`.execute(db)
  return rows
}

export function countBackups({ db, workspaceId }: Db, siteId: string): Promise<number> {
  return countRows(db, sql`backups WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`)
}

export async function findBackup(
  { db, workspaceId }: Db,
  siteId: string,
  id: string,
): Promise<(Backup & { manifest: string | null }) | undefined> {
  const { rows } = await sql<Backup & { manifest: string | null }>`SELECT ${columns}, b.manifest FROM backups b
    WHERE b.workspace_id = ${workspaceId} AND b.site_id = ${siteId} AND b.id = ${id}`.execute(db)
  return rows[0]
}

/** The newest backup with the files of the site, or with all of it, as they were before then; `own`, of a job, is one whenever it ended. */
export async function lastSoundBefore(
  { db, workspaceId }: Db,
  siteId: string,
  { before, whole = false, own = null }: { before: Date; whole?: boolean; own?: string | null },
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`SELECT b.id FROM backups b WHERE b.workspace_id = ${workspaceId} AND b.site_id = ${siteId}
    AND (b.type = 'full' OR (b.type = 'files' AND NOT ${whole})) AND b.status = 'completed'
    AND (b.completed_at < ${before} OR b.id = ${own}) AND ${sound} ORDER BY b.id DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** The newest backup that holds files or a database, to build the next one on. */
export async function latestHolding(
  { db, workspaceId }: Db,
  siteId: string,
  part: 'files' | 'db',
): Promise<{ id: string; manifest: string; increment: number | null } | undefined> {
  const counter = part === 'db' ? sql.ref('database_increment') : sql.ref('increment')
  const { rows } = await sql<{
    id: string
    manifest: string
    increment: number | null
  }>`SELECT id, manifest, ${counter} AS increment FROM backups
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'completed' AND type IN ('full', ${part})
      AND manifest IS NOT NULL AND verification IS DISTINCT FROM 'damaged' ORDER BY created_at DESC, id DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** What the newest backups that are not suspect held. */
export async function latestCounts({ db, workspaceId }: Db, siteId: string): Promise<Pick<Backup, 'files_count' | 'rows_count'>> {
  const newest = (column: 'files_count' | 'rows_count') => sql`(SELECT ${sql.ref(column)} FROM backups WHERE workspace_id = ${workspaceId}
    AND site_id = ${siteId} AND status = 'completed' AND NOT suspect AND ${sql.ref(column)} IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 1)`
  const { rows } = await sql<{ files_count: number | null; rows_count: number | string | null }>`
    SELECT ${newest('files_count')} AS files_count, ${newest('rows_count')} AS rows_count`.execute(db)
  const { files_count = null, rows_count = null } = rows[0] ?? {}
  return { files_count, rows_count: rows_count === null ? null : Number(rows_count) }
}

/** Somebody looked at a suspect backup and found it right. */
export async function acceptSuspect({ db, workspaceId }: Db, siteId: string, id: string): Promise<void> {
  await sql`UPDATE backups SET suspect = false WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND id = ${id}`.execute(db)
}

/** Forgets a backup that is not under way, and that no job puts back or relies on. What only it held is taken out of the store later. */
export async function dropBackup(context: Db & Pick<Context, 'jobKinds'>, siteId: string, id: string): Promise<boolean> {
  const { db, workspaceId, jobKinds } = context
  // Whoever is just beginning to rely on it holds the row; a statement of its own sees what they wrote.
  await sql`SELECT 1 FROM backups WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`.execute(db)
  const jobs = await listOpenJobsOf(context, siteId)
  if (jobs.some(({ type, input }) => jobKinds.get(type)?.backupNeeded?.(input) === id)) return false
  const { numAffectedRows } = await sql`DELETE FROM backups b WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND id = ${id}
    AND status NOT IN ('queued', 'running') AND NOT ${namedByStep}`.execute(db)
  return numAffectedRows === 1n
}

const namedByStep = sql`EXISTS (SELECT 1 FROM jobs j JOIN job_steps s ON (s.workspace_id, s.job_id) = (j.workspace_id, j.id)
  WHERE (j.workspace_id, j.site_id) = (b.workspace_id, b.site_id) AND j.status IN ('awaiting_approval', 'queued', 'running')
    AND s.state->>'backup_id' = b.id)`

/** Until the transaction ends nobody deletes it. */
export async function holdBackup({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`SELECT 1 FROM backups WHERE workspace_id = ${workspaceId} AND id = ${id} FOR KEY SHARE`.execute(db)
}

export type StoredBackup = Pick<Backup, 'id' | 'site_id' | 'status' | 'size_bytes'> & { workspace_id: string; manifest: string | null }

/** For the operator of the machine, who names a backup by its id alone. */
export async function findStoredBackup(db: Context['db'], id: string): Promise<StoredBackup | undefined> {
  const { rows } = await sql<StoredBackup>`SELECT b.workspace_id, b.id, b.site_id, b.status, b.size_bytes, b.manifest FROM backups b
    JOIN workspaces w ON w.id = b.workspace_id WHERE b.id = ${id} AND w.deleted_at IS NULL`.execute(db)
  return rows[0]
}

export async function recordVerification(
  { db, workspaceId, now }: DatedDb,
  id: string,
  verification: 'content' | 'damaged',
): Promise<void> {
  await sql`UPDATE backups SET verified_at = ${now()}, verification = ${verification}, lost = NULL WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(
    db,
  )
}

/** Marks a backup that lost something. False when that was known before. */
export async function recordLoss({ db, workspaceId, now }: DatedDb, id: string, lost: Backup['lost']): Promise<boolean> {
  await sql`UPDATE backups SET lost = ${asJson(lost)}::jsonb WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  const { numAffectedRows } = await sql`UPDATE backups SET verified_at = ${now()}, verification = 'damaged'
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND verification IS DISTINCT FROM 'damaged'`.execute(db)
  return numAffectedRows === 1n
}

/** What trying it out brought out. */
export async function recordTrial({ db, workspaceId, now }: DatedDb, id: string, report: VerificationReport): Promise<void> {
  await sql`UPDATE backups SET verified_at = ${now()}, verification = ${report.level}, verification_report = ${JSON.stringify(report)}::jsonb,
      lost = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function markRunning({ db, workspaceId }: Db, id: string): Promise<void> {
  await sql`UPDATE backups SET status = 'running' WHERE workspace_id = ${workspaceId} AND id = ${id} AND status IN ('queued', 'running')`.execute(
    db,
  )
}

/** What a backup's row says of its content. */
export type Completed = Pick<
  Backup,
  | 'size_bytes'
  | 'stored_bytes'
  | 'files_count'
  | 'tables_count'
  | 'rows_count'
  | 'consistency'
  | 'excluded'
  | 'unreadable_count'
  | 'changed_count'
  | 'outside_count'
  | 'roots'
  | 'omitted'
  | 'wp_version'
  | 'parent'
  | 'increment'
  | 'files_changed'
  | 'rows_read'
  | 'fuzzy_tables'
  | 'whole_tables'
  | 'skipped_rows'
  | 'suspect'
> & { manifest: string; database_increment: number | null; chain: number | null }

/** The last step of a backup: only while the job's attempt is the current one. False when it is not. */
export async function completeBackup(
  { db, workspaceId, now }: DatedDb,
  id: string,
  job: { id: string; fence: number },
  facts: Completed,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`UPDATE backups b SET status = 'completed', completed_at = ${now()}, error = NULL, manifest = ${facts.manifest},
      size_bytes = ${facts.size_bytes}, stored_bytes = ${facts.stored_bytes}, files_count = ${facts.files_count}, tables_count = ${facts.tables_count},
      rows_count = ${facts.rows_count}, consistency = ${facts.consistency}, excluded = ${JSON.stringify(facts.excluded)}::jsonb,
      unreadable_count = ${facts.unreadable_count}, changed_count = ${facts.changed_count}, outside_count = ${facts.outside_count},
      roots = ${asJson(facts.roots)}::jsonb, omitted = ${asJson(facts.omitted)}::jsonb, wp_version = ${facts.wp_version},
      parent = ${facts.parent}, increment = ${facts.increment}, files_changed = ${facts.files_changed},
      database_increment = ${facts.database_increment}, rows_read = ${facts.rows_read},
      fuzzy_tables = ${asJson(facts.fuzzy_tables)}::jsonb, whole_tables = ${asJson(facts.whole_tables)}::jsonb,
      skipped_rows = ${asJson(facts.skipped_rows)}::jsonb, suspect = ${facts.suspect},
      chain = ${facts.chain}
    FROM jobs j WHERE (b.workspace_id, b.id) = (${workspaceId}, ${id}) AND b.status IN ('queued', 'running')
      AND (j.workspace_id, j.id, j.fence) = (${workspaceId}, ${job.id}, ${job.fence}) AND j.status = 'running'`.execute(db)
  return numAffectedRows === 1n
}

export async function endBackup(
  { db, workspaceId, now }: DatedDb,
  jobId: string,
  status: 'failed' | 'canceled',
  error: JobFailure | null,
): Promise<void> {
  await sql`UPDATE backups SET status = ${status}, completed_at = ${now()}, error = ${error === null ? null : JSON.stringify(error)}::jsonb
    WHERE workspace_id = ${workspaceId} AND job_id = ${jobId} AND status IN ('queued', 'running')`.execute(db)
}

/** Undefined where none is remembered of the layout of today. */
export async function findTarMap({ db, workspaceId }: Db, id: string): Promise<TarMap | undefined> {
  const { rows } = await sql<{ tar_map: unknown }>`SELECT tar_map FROM backups WHERE workspace_id = ${workspaceId} AND id = ${id}
    AND tar_map->>'layout' = ${TAR_LAYOUT}`.execute(db)
  return rows[0] && TarMap.parse(rows[0].tar_map)
}

export async function rememberTarMap({ db, workspaceId }: Db, id: string, map: TarMap): Promise<void> {
  await sql`UPDATE backups SET tar_map = ${JSON.stringify(map)}::jsonb WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** For a column that may be empty: JSON has a null of its own. */
export const asJson = (value: unknown) => (value === null ? null : JSON.stringify(value))
