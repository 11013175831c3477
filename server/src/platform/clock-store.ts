import { type Kysely, sql } from 'kysely'

interface Db {
  db: Kysely<unknown>
  workspaceId: string
}

/** The times of one site, or of all sites of the workspace, are worked out anew. */
export async function forgetTurns({ db, workspaceId }: Db, kind: string, siteId: string | null): Promise<void> {
  await sql`DELETE FROM turns WHERE workspace_id = ${workspaceId} AND kind = ${kind}
    AND (${siteId}::text IS NULL OR site_id = ${siteId})`.execute(db)
}

export interface SiteTurn {
  workspace_id: string
  site_id: string
}

/** Of a site `s`: nothing of this kind is due for it, and its workspace is not being deleted. */
const withoutTurn = (kind: string) => sql`EXISTS (SELECT 1 FROM workspaces w WHERE w.id = s.workspace_id AND w.deleted_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE (t.workspace_id, t.site_id, t.kind) = (s.workspace_id, s.id, ${kind}))`

/** Sites that have no turn of this kind yet. */
export async function sitesWithoutTurn(db: Kysely<unknown>, kind: string): Promise<SiteTurn[]> {
  const { rows } = await sql<SiteTurn>`SELECT s.workspace_id, s.id AS site_id FROM sites s WHERE ${withoutTurn(kind)}
    ORDER BY s.workspace_id, s.id LIMIT 2000`.execute(db)
  return rows
}

/** They get one, each at its own place within the interval. */
export async function seedSiteTurns(db: Kysely<unknown>, kind: string, now: Date, everyMs: number): Promise<void> {
  await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at)
    SELECT s.workspace_id, s.id, ${kind}::text, ${now}::timestamptz + (abs(hashtext(s.id)) % ${everyMs}::int) * interval '1 millisecond'
    FROM sites s WHERE ${withoutTurn(kind)} ON CONFLICT DO NOTHING`.execute(db)
}

export async function insertTurn({ db, workspaceId }: Db, kind: string, siteId: string | null, due: Date): Promise<void> {
  await sql`INSERT INTO turns (workspace_id, site_id, kind, due_at) SELECT ${workspaceId}, ${siteId}, ${kind}, ${due}
    WHERE ${siteId}::text IS NULL OR EXISTS (SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId})
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function workspacesWithoutTurn(db: Kysely<unknown>, kind: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT w.id FROM workspaces w
    WHERE w.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.workspace_id = w.id AND t.site_id IS NULL AND t.kind = ${kind})`.execute(
    db,
  )
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
export async function claimTurn(db: Kysely<unknown>, kind: string, now: Date): Promise<SiteTurn | undefined> {
  const { rows } = await sql<SiteTurn>`SELECT workspace_id, site_id FROM turns WHERE kind = ${kind} AND due_at <= ${now}
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(db)
  return rows[0]
}

export async function moveTurn({ db, workspaceId }: Db, kind: string, siteId: string | null, due: Date): Promise<void> {
  await sql`UPDATE turns SET due_at = ${due} WHERE workspace_id = ${workspaceId} AND kind = ${kind}
    AND ${siteId === null ? sql`site_id IS NULL` : sql`site_id = ${siteId}`}`.execute(db)
}

export async function findTurn({ db, workspaceId }: Db, kind: string, siteId: string): Promise<Date | undefined> {
  const { rows } = await sql<{
    due_at: Date
  }>`SELECT due_at FROM turns WHERE workspace_id = ${workspaceId} AND kind = ${kind} AND site_id = ${siteId}`.execute(db)
  return rows[0]?.due_at
}
