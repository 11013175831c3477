import { sql } from 'kysely'
import type { Db } from '../world.ts'
import type { Kept, Policy, UpdatePolicy } from './schema.ts'

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
