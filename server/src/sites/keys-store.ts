// The keys of a site, which stand in its row.
import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { NewKeys } from './store.ts'

/** What a rotation gives the service, until it is the current one. */
export interface NextKey {
  keyid: string
  public: string
  sealed: string
}

/** The same site paired anew: its history stays, its keys are new. */
export async function replaceKeys({ db, workspaceId, now }: DatedDb, id: string, keys: NewKeys): Promise<void> {
  await sql`UPDATE sites SET status = 'pending', url = ${keys.url}, home = ${keys.home}, keyid = ${keys.keyid}, service_public = ${keys.service_public},
      sealed_service_key = ${keys.sealed_service_key}, site_public = ${keys.site_public}, door = NULL, mode = NULL, skew_s = 0, slice_bytes = NULL, next_key = NULL,
      install_id = NULL, last_error = NULL, updated_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** False: the site is disconnected already, or was paired anew. */
export async function endPairing({ db, workspaceId, now }: DatedDb, id: string, sitePublic: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE sites SET status = 'disconnected', updated_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND site_public = ${sitePublic} AND status <> 'disconnected'`.execute(db)
  return numAffectedRows === 1n
}

export async function findNextKey({ db, workspaceId }: Db, id: string): Promise<NextKey | undefined> {
  const { rows } = await sql<{
    next_key: NextKey | null
  }>`SELECT next_key FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]?.next_key ?? undefined
}

/** The one that is kept: this, or one that was there before. */
export async function keepNextKey({ db, workspaceId }: Db, id: string, next: NextKey): Promise<NextKey> {
  const { rows } = await sql<{ next_key: NextKey }>`UPDATE sites SET next_key = coalesce(next_key, ${JSON.stringify(next)}::jsonb)
    WHERE workspace_id = ${workspaceId} AND id = ${id} RETURNING next_key`.execute(db)
  return rows[0]?.next_key ?? next
}

export async function promoteKey({ db, workspaceId }: Db, id: string, next: NextKey): Promise<void> {
  await sql`UPDATE sites SET keyid = ${next.keyid}, service_public = ${next.public}, sealed_service_key = ${next.sealed}, next_key = NULL
    WHERE workspace_id = ${workspaceId} AND id = ${id} AND next_key ->> 'keyid' = ${next.keyid}`.execute(db)
}
