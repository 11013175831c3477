import { sql } from 'kysely'
import type { Context } from '../world.ts'
import type { Candidate } from './retention.ts'
import type { Kept, Policy, UpdatePolicy } from './schema.ts'

type Db = Pick<Context, 'db' | 'workspaceId'>

/** By equality, which an index knows. */
const of = (siteId: string | null) => (siteId === null ? sql`site_id IS NULL` : sql`site_id = ${siteId}`)

const columns = sql.raw('enabled, type, at, spread_minutes, keep_daily, keep_weekly, keep_monthly')

/** The policy of one site, or with null of the workspace; undefined when none was set. */
export async function findPolicy({ db, workspaceId }: Db, siteId: string | null): Promise<Policy | undefined> {
  const { rows } = await sql<Policy>`SELECT ${columns} FROM schedules WHERE workspace_id = ${workspaceId}
    AND ${of(siteId)}`.execute(db)
  return rows[0]
}

export async function writePolicy({ db, workspaceId }: Db, siteId: string | null, p: Policy): Promise<void> {
  await sql`INSERT INTO schedules (workspace_id, site_id, enabled, type, at, spread_minutes, keep_daily, keep_weekly, keep_monthly)
    VALUES (${workspaceId}, ${siteId}, ${p.enabled}, ${p.type}, ${p.at}, ${p.spread_minutes}, ${p.keep_daily}, ${p.keep_weekly}, ${p.keep_monthly})
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET enabled = excluded.enabled, type = excluded.type, at = excluded.at,
      spread_minutes = excluded.spread_minutes, keep_daily = excluded.keep_daily, keep_weekly = excluded.keep_weekly,
      keep_monthly = excluded.keep_monthly`.execute(db)
}

export async function deletePolicy({ db, workspaceId }: Db, siteId: string): Promise<void> {
  await sql`DELETE FROM schedules WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
  await sql`DELETE FROM update_policies WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
}

/** Until the transaction ends nobody else changes a schedule of the workspace. */
export async function holdSchedules({ db, workspaceId }: Db): Promise<void> {
  await sql`SELECT 1 FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`.execute(db)
}

/** What was lowered within a day: of the workspace, and of the site where one is given. */
export async function findKeptBefore({ db, workspaceId }: Db, siteId: string | null, now: Date): Promise<(Kept & { until: Date })[]> {
  const { rows } = await sql<Kept & { until: Date }>`SELECT keep_daily, keep_weekly, keep_monthly, until FROM kept_before
    WHERE workspace_id = ${workspaceId} AND (site_id IS NULL OR site_id = ${siteId}) AND until > ${now}`.execute(db)
  return rows
}

export async function writeKeptBefore({ db, workspaceId }: Db, siteId: string | null, kept: Kept & { until: Date }): Promise<void> {
  await sql`INSERT INTO kept_before (workspace_id, site_id, keep_daily, keep_weekly, keep_monthly, until)
    VALUES (${workspaceId}, ${siteId}, ${kept.keep_daily}, ${kept.keep_weekly}, ${kept.keep_monthly}, ${kept.until})
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET keep_daily = excluded.keep_daily, keep_weekly = excluded.keep_weekly,
      keep_monthly = excluded.keep_monthly, until = excluded.until`.execute(db)
}

/** What comes before an update of one site, or with null of all; undefined when nobody said. */
export async function findUpdatePolicy({ db, workspaceId }: Db, siteId: string | null): Promise<UpdatePolicy | undefined> {
  const { rows } = await sql<UpdatePolicy>`SELECT pre_update, reuse_hours FROM update_policies WHERE workspace_id = ${workspaceId}
    AND ${of(siteId)}`.execute(db)
  return rows[0]
}

export async function writeUpdatePolicy({ db, workspaceId }: Db, siteId: string | null, policy: UpdatePolicy): Promise<void> {
  await sql`INSERT INTO update_policies (workspace_id, site_id, pre_update, reuse_hours)
    VALUES (${workspaceId}, ${siteId}, ${policy.pre_update}, ${policy.reuse_hours})
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET pre_update = excluded.pre_update, reuse_hours = excluded.reuse_hours`.execute(db)
}

export interface FreshBackup {
  id: string
  type: 'full' | 'db' | 'files'
  created_at: Date
}

/** The newest sound backup of one of these types begun since then, unless another job may have changed the site after it began; one of `apartFrom` has not. */
export async function findFreshBackup(
  { db, workspaceId }: Db,
  siteId: string,
  { types, since }: { types: string[]; since: Date },
  apartFrom: { jobId: string | null; types: string[] },
): Promise<FreshBackup | undefined> {
  const { rows } = await sql<FreshBackup>`SELECT id, type, created_at FROM backups b WHERE workspace_id = ${workspaceId}
    AND site_id = ${siteId} AND status = 'completed' AND manifest IS NOT NULL AND NOT suspect AND verification IS DISTINCT FROM 'damaged'
    AND type = ANY(${types}) AND created_at > ${since}
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE (j.workspace_id, j.site_id) = (b.workspace_id, b.site_id) AND j.id IS DISTINCT FROM ${apartFrom.jobId}
      AND j.type <> ALL(${apartFrom.types}) AND j.started_at IS NOT NULL
      AND (j.completed_at IS NULL OR j.completed_at > b.created_at))
    ORDER BY created_at DESC, id DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** The retention leaves it alone until then. False: it is gone. */
export async function keepUntil({ db, workspaceId }: Db, backupId: string, until: Date): Promise<boolean> {
  const { numAffectedRows } =
    await sql`UPDATE backups SET needed_until = greatest(needed_until, ${until}) WHERE workspace_id = ${workspaceId}
    AND id = ${backupId} AND status = 'completed'`.execute(db)
  return numAffectedRows === 1n
}

/** Completed backups of a site, newest first. */
export async function listCandidates({ db, workspaceId }: Db, siteId: string): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`SELECT id, type, trigger, created_at, verified_at, verification, suspect, needed_until FROM backups
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'completed' ORDER BY created_at DESC, id DESC FOR UPDATE`.execute(
    db,
  )
  return rows
}

export async function writeExpiry(
  { db, workspaceId }: Db,
  expires: Map<string, number | null>,
  dateOf: (ms: number) => Date,
): Promise<void> {
  const rows = [...expires].map(([id, end]) => ({ id, at: end === null ? null : dateOf(end).toISOString() }))
  await sql`UPDATE backups b SET expires_at = r.at FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, at timestamptz)
    WHERE b.workspace_id = ${workspaceId} AND b.id = r.id AND b.expires_at IS DISTINCT FROM r.at`.execute(db)
}
