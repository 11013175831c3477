import { type Kysely, sql } from 'kysely'
import type { RequestedBy } from '../kernel/job.ts'
import type { DatedDb } from '../world.ts'
import type { Link } from './schema.ts'

export interface NewLink {
  id: string
  rootId: string
  sha256: Buffer
  by: RequestedBy
  expiresAt: Date
}

export async function insertLink({ db, workspaceId, now }: DatedDb, link: NewLink): Promise<void> {
  await sql`INSERT INTO report_links (workspace_id, id, root_id, sha256, created_by, created_at, expires_at)
    VALUES (${workspaceId}, ${link.id}, ${link.rootId}, ${link.sha256}, ${JSON.stringify(link.by)}::jsonb, ${now()}, ${link.expiresAt})`.execute(
    db,
  )
}

/** Newest first. */
export async function listLinks({ db, workspaceId, now }: DatedDb, rootId: string): Promise<Link[]> {
  const { rows } =
    await sql<Link>`SELECT id, CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= ${now()} THEN 'expired' ELSE 'open' END
      AS status, created_at, expires_at, visits, last_visit_at
    FROM report_links WHERE workspace_id = ${workspaceId} AND root_id = ${rootId} ORDER BY id DESC LIMIT 200`.execute(db)
  return rows
}

/** False: there is no such link of this report. */
export async function revokeLink({ db, workspaceId, now }: DatedDb, rootId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE report_links SET revoked_at = coalesce(revoked_at, ${now()})
    WHERE workspace_id = ${workspaceId} AND root_id = ${rootId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** The page that a link leads to, asked of the database each time: a link that was revoked leads nowhere at once, on every node. `counts`: it is a visit. */
export async function followLink(db: Kysely<unknown>, sha256: Buffer, now: Date, counts: boolean): Promise<Buffer | undefined> {
  const open = sql`l.sha256 = ${sha256} AND l.revoked_at IS NULL AND l.expires_at > ${now}`
  const newest = sql`(SELECT r.html FROM reports r WHERE (r.workspace_id, r.root_id) = (l.workspace_id, l.root_id) AND r.status = 'published'
    ORDER BY r.version DESC LIMIT 1)`
  const { rows } = counts
    ? await sql<{ html: Buffer | null }>`UPDATE report_links l SET visits = l.visits + 1, last_visit_at = ${now} WHERE ${open}
        RETURNING ${newest} AS html`.execute(db)
    : await sql<{ html: Buffer | null }>`SELECT ${newest} AS html FROM report_links l WHERE ${open}`.execute(db)
  return rows[0]?.html ?? undefined
}
