import { sql } from 'kysely'
import type { RequestedBy } from '../kernel/job.ts'
import type { SiteSaid } from '../kernel/site-said.ts'
import type { Db } from '../world.ts'
import type { TweakId, TweakState } from './schema.ts'

/** What was seen of one tweak. */
export interface SeenTweak {
  tweak_id: TweakId
  state: TweakState
  reason: string | null
  site_said: SiteSaid | null
  already_by: string | null
  evidence: string[]
  /** Seen to work. */
  verified: boolean
}

export interface StoredTweak extends Omit<SeenTweak, 'verified' | 'site_said'> {
  said: string | null
  checked_at: Date
  applied_at: Date | null
  applied_by: RequestedBy | null
  verified_at: Date | null
}

export async function listStored({ db, workspaceId }: Db, siteId: string): Promise<StoredTweak[]> {
  const { rows } =
    await sql<StoredTweak>`SELECT tweak_id, state, reason, said, already_by, evidence, checked_at, applied_at, applied_by, verified_at FROM site_tweaks
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId}`.execute(db)
  return rows
}

/** Writes what was seen at that time; a later look that was written already stays. When we applied it, is left as it is. */
export async function writeSeen({ db, workspaceId }: Db, siteId: string, at: Date, seen: readonly SeenTweak[]): Promise<void> {
  if (seen.length === 0) return
  await sql`INSERT INTO site_tweaks AS t (workspace_id, site_id, tweak_id, state, reason, said, already_by, evidence, checked_at, verified_at)
    SELECT ${workspaceId}, ${siteId}, r.tweak_id, r.state, r.reason, r.site_said ->> 'text', r.already_by, r.evidence, ${at}, CASE WHEN r.verified THEN ${at}::timestamptz END
    FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb)
      AS r (tweak_id text, state text, reason text, site_said jsonb, already_by text, evidence jsonb, verified boolean)
    WHERE EXISTS (SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId})
    ORDER BY r.tweak_id
    ON CONFLICT (workspace_id, site_id, tweak_id) DO UPDATE SET state = excluded.state, reason = excluded.reason, said = excluded.said,
      already_by = excluded.already_by, evidence = excluded.evidence, checked_at = excluded.checked_at,
      verified_at = coalesce(excluded.verified_at, CASE WHEN excluded.state = 'applied' THEN t.verified_at END)
    WHERE t.checked_at <= excluded.checked_at`.execute(db)
}

/** Who switched it on, and when; null: it was taken back. */
export async function writeApplied(
  { db, workspaceId }: Db,
  siteId: string,
  id: TweakId,
  applied: { at: Date; by: RequestedBy } | null,
): Promise<void> {
  await sql`UPDATE site_tweaks SET applied_at = ${applied?.at ?? null}, applied_by = ${applied && JSON.stringify(applied.by)}::jsonb
    WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND tweak_id = ${id}`.execute(db)
}

/** The version of WordPress that a visitor may have found. */
export async function findVersion({ db, workspaceId }: Db, siteId: string): Promise<string | null> {
  const { rows } = await sql<{
    wp_version: string | null
  }>`SELECT wp_version FROM sites WHERE workspace_id = ${workspaceId} AND id = ${siteId}`.execute(db)
  return rows[0]?.wp_version ?? null
}
