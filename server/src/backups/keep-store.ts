// Which backups there are to rely on, and until when each is kept: asked and told by whoever decides that.
import { sql } from 'kysely'
import { dateOf } from '../kernel/recurrence.ts'
import type { Db } from '../world.ts'
import type { Backup } from './schema.ts'
import { sound } from './sound.ts'

/** A completed backup, with its time by the service's clock. */
export type KeptBackup = Pick<Backup, 'id' | 'type' | 'trigger' | 'verification' | 'suspect'> & {
  created_at: Date
  verified_at: Date | null
  needed_until: Date | null
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
    AND site_id = ${siteId} AND status = 'completed' AND ${sound}
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
export async function listKept({ db, workspaceId }: Db, siteId: string): Promise<KeptBackup[]> {
  const { rows } = await sql<KeptBackup>`SELECT id, type, trigger, created_at, verified_at, verification, suspect, needed_until FROM backups
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'completed' ORDER BY created_at DESC, id DESC FOR UPDATE`.execute(
    db,
  )
  return rows
}

/** When each is to be deleted, in ms; null: that is not foreseen. */
export async function writeExpiry({ db, workspaceId }: Db, expires: Map<string, number | null>): Promise<void> {
  const rows = [...expires].map(([id, end]) => ({ id, at: end === null ? null : dateOf(end).toISOString() }))
  await sql`UPDATE backups b SET expires_at = r.at FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, at timestamptz)
    WHERE b.workspace_id = ${workspaceId} AND b.id = r.id AND b.expires_at IS DISTINCT FROM r.at`.execute(db)
}
