import { type Kysely, sql } from 'kysely'
import type { Context } from '../world.ts'

export interface Code {
  workspace_id: string
  hint: string
  sealed_key: string
  host: string | null
  expires_at: Date
  used_at: Date | null
  tries: number
}

export async function insertCode(
  { db, workspaceId, caller, now }: Context,
  code: Pick<Code, 'hint' | 'sealed_key' | 'host' | 'expires_at'>,
): Promise<void> {
  await sql`INSERT INTO enrolment_codes (workspace_id, hint, sealed_key, host, created_by, created_at, expires_at)
    VALUES (${workspaceId}, ${code.hint}, ${code.sealed_key}, ${code.host}, ${caller.id}, ${now()}, ${code.expires_at})`.execute(db)
}

/** The code that has this hint, held until the transaction ends: of two enrolments that race, the second sees it used. */
export async function holdCode(db: Kysely<unknown>, hint: string): Promise<Code | undefined> {
  const { rows } = await sql<Code>`SELECT workspace_id, hint, sealed_key, host, expires_at, used_at, tries FROM enrolment_codes
    WHERE hint = ${hint} FOR UPDATE`.execute(db)
  return rows[0]
}

export async function countTry(db: Kysely<unknown>, { workspace_id, hint }: Code): Promise<void> {
  await sql`UPDATE enrolment_codes SET tries = tries + 1 WHERE workspace_id = ${workspace_id} AND hint = ${hint}`.execute(db)
}

export async function markUsed(db: Kysely<unknown>, { workspace_id, hint }: Code, now: Date): Promise<void> {
  await sql`UPDATE enrolment_codes SET used_at = ${now} WHERE workspace_id = ${workspace_id} AND hint = ${hint}`.execute(db)
}

/** The site of this address in the workspace, whatever its state; nobody else can enrol the address until the transaction ends. */
export async function holdSiteByUrl({ db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>, url: string) {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${url.toLowerCase()}`}, 0))`.execute(db)
  const { rows } = await sql<{ id: string; url: string; status: 'connected' }>`SELECT id, url, status FROM sites
    WHERE workspace_id = ${workspaceId} AND lower(url) = lower(${url}) ORDER BY created_at LIMIT 1`.execute(db)
  return rows[0]
}

export interface NewKeys {
  home: string
  keyid: string
  service_public: string
  sealed_service_key: string
  site_public: string
}

/** The same site paired anew: its history stays, its keys are new. */
export async function replaceKeys(
  { db, workspaceId, now }: Pick<Context, 'db' | 'workspaceId' | 'now'>,
  id: string,
  keys: NewKeys,
): Promise<void> {
  await sql`UPDATE sites SET status = 'pending', home = ${keys.home}, keyid = ${keys.keyid}, service_public = ${keys.service_public},
      sealed_service_key = ${keys.sealed_service_key}, site_public = ${keys.site_public}, door = NULL, mode = NULL, skew_s = 0, slice_bytes = NULL, next_key = NULL,
      install_id = NULL, last_error = NULL, updated_at = ${now()}
    WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function connectIsUnderWay({ db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>, siteId: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM jobs WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND type = 'connect'
    AND status IN ('queued', 'running')`.execute(db)
  return rows.length > 0
}
