import { sql } from 'kysely'
import type { Db } from '../world.ts'
import type { NewFinding, Observation, Status } from './schema.ts'

export interface Known {
  id: string
  check: string
  key: string
  status: Status
}

export interface FindingEvent {
  id: string
  event: 'opened' | 'fixed' | 'reopened' | 'ignored' | 'unignored' | 'expired'
  actor?: object
  reason?: string
}

/** The source has looked; false when a later look is recorded already. Holds the source of this site until the transaction ends. */
export async function recordLook({ db, workspaceId }: Db, { siteId, source, at }: Observation): Promise<boolean> {
  const { rows } = await sql`INSERT INTO security_looks AS l (workspace_id, site_id, source, checked_at)
    VALUES (${workspaceId}, ${siteId}, ${source}, ${at})
    ON CONFLICT (workspace_id, site_id, source) DO UPDATE SET checked_at = excluded.checked_at, error = NULL
    WHERE l.checked_at IS NULL OR l.checked_at <= excluded.checked_at RETURNING 1`.execute(db)
  return rows.length > 0
}

export async function holdFindings({ db, workspaceId }: Db, { siteId, source }: Observation): Promise<Known[]> {
  const { rows } = await sql<Known>`SELECT id, "check", component_key AS key, status FROM findings
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND source = ${source} FOR UPDATE`.execute(db)
  return rows
}

const shape = sql.raw(`(id text, "check" text, key text, kind text, severity text, title text, description text, component jsonb,
  affected_range text, fixed_in text, cve text, "references" jsonb, fix jsonb, evidence jsonb, again boolean)`)

export async function insertFindings(
  { db, workspaceId }: Db,
  { siteId, source, at }: Observation,
  found: (NewFinding & { id: string })[],
): Promise<void> {
  if (found.length === 0) return
  await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, component,
      affected_range, fixed_in, cve, "references", fix, evidence, status, first_seen_at, last_seen_at)
    SELECT ${workspaceId}, r.id, ${siteId}, ${source}, r."check", r.key, r.kind, r.severity, r.title, r.description, nullif(r.component, 'null'),
      r.affected_range, r.fixed_in, r.cve, coalesce(r."references", '[]'), nullif(r.fix, 'null'), r.evidence, 'open', ${at}, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb) AS r ${shape}`.execute(db)
}

/** Known findings that are still there, told as they are now; `again`: they were fixed. */
export async function seeFindings(
  { db, workspaceId }: Db,
  { at }: Observation,
  seen: (NewFinding & { id: string; again: boolean })[],
): Promise<void> {
  if (seen.length === 0) return
  await sql`UPDATE findings f SET kind = r.kind, severity = r.severity, title = r.title, description = r.description,
      component = nullif(r.component, 'null'), affected_range = r.affected_range, fixed_in = r.fixed_in, cve = r.cve,
      "references" = coalesce(r."references", '[]'), fix = nullif(r.fix, 'null'), evidence = r.evidence, last_seen_at = ${at},
      status = CASE WHEN r.again THEN 'open' ELSE f.status END, fixed_at = NULL,
      ignored = CASE WHEN r.again THEN NULL ELSE f.ignored END, ignored_until = CASE WHEN r.again THEN NULL ELSE f.ignored_until END
    FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) AS r ${shape}
    WHERE f.workspace_id = ${workspaceId} AND f.id = r.id`.execute(db)
}

export async function fixFindings({ db, workspaceId }: Db, at: Date, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`UPDATE findings SET status = 'fixed', fixed_at = ${at} WHERE workspace_id = ${workspaceId} AND id = ANY(${ids})`.execute(db)
}

export async function insertEvents({ db, workspaceId }: Db, at: Date, events: FindingEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql`INSERT INTO finding_events (workspace_id, finding_id, at, event, actor, reason)
    SELECT ${workspaceId}, r.id, ${at}, r.event, r.actor, r.reason
    FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS r (id text, event text, actor jsonb, reason text)`.execute(db)
}
