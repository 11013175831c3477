// How far each site was asked, and whose turn it is.
import { type Kysely, sql } from 'kysely'
import type { Db } from '../world.ts'
import type { Collection } from './schema.ts'

export interface Due {
  workspace_id: string
  site_id: string
}

/** Takes up to `most` turns that are due, and moves them on at once: those of a worker that dies come again then. */
export async function claimDue(db: Kysely<unknown>, now: Date, everyMs: number, most: number): Promise<Due[]> {
  const { rows } = await sql<Due>`WITH due AS MATERIALIZED (
      SELECT workspace_id, site_id FROM turns WHERE kind = 'errors' AND due_at <= ${now} ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED),
    moved AS (UPDATE turns t SET due_at = ${now}::timestamptz + ${everyMs} * interval '1 millisecond'
      FROM due d WHERE (t.workspace_id, t.site_id, t.kind) = (d.workspace_id, d.site_id, 'errors'))
    SELECT d.* FROM due d JOIN sites s ON (s.workspace_id, s.id) = (d.workspace_id, d.site_id)
    WHERE s.status IN ('connected', 'unreachable')`.execute(db)
  return rows
}

export interface Place {
  seq: string
  since: Date | null
  log_read: { inode: number; offset: number } | null
  to_drop: string[]
}

/** Where to go on with a site. */
export async function readPlace({ db, workspaceId }: Db, siteId: string): Promise<Place> {
  const { rows } = await sql<Place>`INSERT INTO php_error_collections AS c (workspace_id, site_id)
    SELECT workspace_id, id FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId}
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET seq = c.seq RETURNING seq, since, log_read, to_drop`.execute(db)
  return rows[0] ?? { seq: '0', since: null, log_read: null, to_drop: [] }
}

/** What the next request goes by. */
export interface NextPlace {
  at: Date
  capturing: boolean
  full: boolean
  log: { inode: number; offset: number } | null
  drop: string[]
}

/** False when somebody else has written down a later answer. Holds the site's place until the transaction ends. */
export async function takePlace({ db, workspaceId }: Db, siteId: string, place: Place, next: NextPlace): Promise<boolean> {
  const { numAffectedRows } =
    await sql`UPDATE php_error_collections SET seq = seq + 1, since = coalesce(since, ${next.at}), collected_at = ${next.at},
      error = NULL, capturing = ${next.capturing}, is_full = ${next.full}, log_read = ${next.log === null ? null : JSON.stringify(next.log)}::jsonb,
      to_drop = ${JSON.stringify(next.drop)}::jsonb
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND seq = ${place.seq}`.execute(db)
  return numAffectedRows === 1n
}

export async function noteFailure({ db, workspaceId }: Db, siteId: string, error: object): Promise<void> {
  await sql`UPDATE php_error_collections SET error = ${JSON.stringify(error)}::jsonb
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
}

export async function findCollection({ db, workspaceId }: Db, siteId: string): Promise<Collection> {
  const { rows } = await sql<Collection>`SELECT collected_at, capturing, is_full AS full, error FROM php_error_collections
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
  return rows[0] ?? { collected_at: null, capturing: null, full: false, error: null }
}
