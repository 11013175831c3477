import { type Kysely, sql } from 'kysely'
import type { Facts } from '../connector/security-commands.ts'
import type { Target } from '../sites/talk.ts'
import type { Db } from '../world.ts'
import type { Source } from './schema.ts'

export async function findSiteToCheck({ db, workspaceId }: Db, id: string | null): Promise<(Target & { home: string }) | undefined> {
  const { rows } = await sql<Target & { home: string }>`SELECT id, url, home, status, name FROM sites
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]
}

/** A look that did not succeed; what the one before has found stays. */
export async function recordFailedLook(
  { db, workspaceId }: Db,
  { siteId, source, at }: { siteId: string; source: Source; at: Date },
  message: string,
): Promise<void> {
  const error = JSON.stringify({ message: message.slice(0, 300), at: at.toISOString() })
  await sql`INSERT INTO security_looks (workspace_id, site_id, source, error)
    SELECT ${workspaceId}, id, ${source}, ${error}::jsonb FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId}
    ON CONFLICT (workspace_id, site_id, source) DO UPDATE SET error = excluded.error`.execute(db)
}

/** Remembers administrators; answers the ids of those who were not there at the first look. */
export async function noteAdmins({ db, workspaceId }: Db, siteId: string, admins: Facts['admins'], now: Date): Promise<Set<number>> {
  if (admins.length === 0) return new Set()
  const people = JSON.stringify(admins.map(({ id, login }) => ({ id, login })))
  const shape = sql`jsonb_to_recordset(${people}::jsonb) AS r (id bigint, login text)`
  await sql`INSERT INTO known_admins (workspace_id, site_id, user_id, login, baseline, seen_at)
    SELECT ${workspaceId}, ${siteId}, r.id, r.login,
      NOT EXISTS (SELECT 1 FROM known_admins WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}), ${now}
    FROM ${shape} ON CONFLICT DO NOTHING`.execute(db)
  const { rows } = await sql<{
    id: number
  }>`SELECT k.user_id AS id FROM known_admins k JOIN ${shape} ON (k.user_id, k.login) = (r.id, r.login)
    WHERE k.workspace_id = ${workspaceId} AND k.site_id = ${siteId} AND NOT k.baseline`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Components and titles of findings, worst first, for a line in the activity. */
export async function describeFindings(
  { db, workspaceId }: Db,
  ids: string[],
): Promise<{ title: string; component: string | null; severity: string }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{
    title: string
    component: string | null
    severity: string
  }>`SELECT title, component ->> 'slug' AS component, severity
    FROM findings WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}) ORDER BY rank DESC, title`.execute(db)
  return rows
}

/** Ignored findings whose time is over are open again, in all workspaces. Answers whose they are. */
export async function reopenExpired(db: Kysely<unknown>, now: Date): Promise<{ workspace_id: string; site_id: string }[]> {
  const { rows } = await sql<{ workspace_id: string; site_id: string }>`WITH over AS (
      UPDATE findings SET status = 'open', ignored = NULL, ignored_until = NULL
      WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM findings WHERE status = 'ignored' AND ignored_until <= ${now}
        FOR UPDATE SKIP LOCKED) RETURNING workspace_id, site_id, id),
    told AS (INSERT INTO finding_events (workspace_id, finding_id, at, event) SELECT workspace_id, id, ${now}, 'expired' FROM over)
    SELECT workspace_id, site_id FROM over`.execute(db)
  return rows
}
