import { type Kysely, sql } from 'kysely'
import type { Site } from '../sites/schema.ts'
import type { Context, World } from '../world.ts'
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

/** The newest sound backup of one of these types begun since then, unless another job may have changed the site after it began. */
export async function findFreshBackup(
  { db, workspaceId }: Db,
  siteId: string,
  types: string[],
  since: Date,
  jobId: string | null,
): Promise<FreshBackup | undefined> {
  const { rows } = await sql<FreshBackup>`SELECT id, type, created_at FROM backups b WHERE workspace_id = ${workspaceId}
    AND site_id = ${siteId} AND status = 'completed' AND manifest IS NOT NULL AND NOT suspect AND verification IS DISTINCT FROM 'damaged'
    AND type = ANY(${types}) AND created_at > ${since}
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE (j.workspace_id, j.site_id) = (b.workspace_id, b.site_id) AND j.id IS DISTINCT FROM ${jobId}
      AND j.type NOT IN ('backup', 'connect', 'verify_backup') AND j.started_at IS NOT NULL
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

/** The times of one site, or of all sites of the workspace, are worked out anew. */
export async function forgetTurns({ db, workspaceId }: Db, kind: string, siteId: string | null): Promise<void> {
  await sql`DELETE FROM turns WHERE workspace_id = ${workspaceId} AND kind = ${kind}
    AND (${siteId}::text IS NULL OR site_id = ${siteId})`.execute(db)
}

export interface Turn {
  workspace_id: string
  site_id: string
}

/** Sites that have no turn of this kind yet. */
export async function sitesWithoutTurn(db: Kysely<unknown>, kind: string): Promise<Turn[]> {
  const { rows } = await sql<Turn>`SELECT s.workspace_id, s.id AS site_id FROM sites s
    WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE (t.workspace_id, t.site_id, t.kind) = (s.workspace_id, s.id, ${kind}))
    ORDER BY s.workspace_id, s.id LIMIT 2000`.execute(db)
  return rows
}

export async function insertTurn({ db, workspaceId }: Db, kind: string, siteId: string | null, due: Date): Promise<void> {
  await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at) SELECT ${workspaceId}, ${siteId}, ${kind}, ${due}
    WHERE ${siteId}::text IS NULL OR EXISTS (SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId})
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function workspacesWithoutTurn(db: Kysely<unknown>, kind: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT w.id FROM workspaces w
    WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.workspace_id = w.id AND t.site_id IS NULL AND t.kind = ${kind})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Takes the turn of a workspace for so long; should its worker die, another takes it after that. */
export async function leaseTurn(db: Kysely<unknown>, kind: string, now: Date, until: Date): Promise<string | undefined> {
  const { rows } = await sql<{ workspace_id: string }>`UPDATE turns SET due_at = ${until} WHERE (workspace_id, kind) = (
      SELECT workspace_id, kind FROM turns WHERE kind = ${kind} AND site_id IS NULL AND due_at <= ${now}
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) AND site_id IS NULL RETURNING workspace_id`.execute(db)
  return rows[0]?.workspace_id
}

/** Takes the turn that has waited longest, held until the transaction ends; others pass it by. */
export async function claimTurn(db: Kysely<unknown>, kind: string, now: Date): Promise<Turn | undefined> {
  const { rows } = await sql<Turn>`SELECT workspace_id, site_id FROM turns WHERE kind = ${kind} AND due_at <= ${now}
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(db)
  return rows[0]
}

export async function moveTurn({ db, workspaceId }: Db, kind: string, siteId: string | null, due: Date): Promise<void> {
  await sql`UPDATE turns SET due_at = ${due} WHERE workspace_id = ${workspaceId} AND kind = ${kind}
    AND ${of(siteId)}`.execute(db)
}

export async function findTurn({ db, workspaceId }: Db, kind: string, siteId: string): Promise<Date | undefined> {
  const { rows } = await sql<{
    due_at: Date
  }>`SELECT due_at FROM turns WHERE workspace_id = ${workspaceId} AND kind = ${kind} AND site_id = ${siteId}`.execute(db)
  return rows[0]?.due_at
}

/** A site whose backup was just asked for has its turn already. */
export async function findWaitingSite(
  { db, workspaceId }: Db,
  id: string,
): Promise<(Pick<Site, 'id' | 'status'> & { busy: boolean }) | undefined> {
  const { rows } = await sql<Pick<Site, 'id' | 'status'> & { busy: boolean }>`SELECT s.id, s.status, EXISTS (SELECT 1 FROM jobs j
      WHERE (j.workspace_id, j.site_id) = (s.workspace_id, s.id) AND j.type IN ('backup', 'restore')
        AND j.status IN ('awaiting_approval', 'queued', 'running')) AS busy
    FROM sites s WHERE s.workspace_id = ${workspaceId} AND s.id = ${id} FOR KEY SHARE OF s`.execute(db)
  return rows[0]
}

/** Completed backups of a site, newest first. */
export async function listCandidates({ db, workspaceId }: Db, siteId: string): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`SELECT id, type, trigger, created_at, verified_at, verification, suspect, needed_until FROM backups
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'completed' ORDER BY created_at DESC, id DESC FOR UPDATE`.execute(
    db,
  )
  return rows
}

/** The latest backups that hold files and rows, if there are any; of them those that were not tried out since. */
export async function listUntried({ db, workspaceId }: Db, siteId: string, since: Date): Promise<{ found: boolean; untried: string[] }> {
  const { rows } = await sql<{ id: string; tried: boolean }>`WITH sound AS (SELECT * FROM backups WHERE workspace_id = ${workspaceId}
      AND site_id = ${siteId} AND status = 'completed' AND manifest IS NOT NULL AND verification IS DISTINCT FROM 'damaged')
    SELECT id, coalesce(verification IN ('restored', 'imported') AND verified_at > ${since}, false) AS tried FROM sound WHERE id IN (
      (SELECT id FROM sound WHERE type IN ('full', 'files') ORDER BY created_at DESC, id DESC LIMIT 1),
      (SELECT id FROM sound WHERE type IN ('full', 'db') ORDER BY created_at DESC, id DESC LIMIT 1))`.execute(db)
  return { found: rows.length > 0, untried: rows.filter(({ tried }) => !tried).map(({ id }) => id) }
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

export type Here = World & { workspaceId: string }
