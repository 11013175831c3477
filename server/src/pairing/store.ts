import { type Kysely, sql } from 'kysely'
import type { Context, Db } from '../world.ts'
import type { CodeState } from './schema.ts'

export interface Code {
  workspace_id: string
  hint: string
  sealed_key: string
  host: string | null
  /** The one site it pairs anew; null: it pairs addresses that are no site yet. */
  site_id: string | null
  created_by: string | null
  expires_at: Date
  used_at: Date | null
  tries: number
}

export async function insertCode(
  { db, workspaceId, caller, now }: Context,
  code: Pick<Code, 'hint' | 'sealed_key' | 'host' | 'site_id' | 'expires_at'>,
): Promise<void> {
  await sql`INSERT INTO enrolment_codes (workspace_id, hint, sealed_key, host, site_id, created_by, created_at, expires_at)
    VALUES (${workspaceId}, ${code.hint}, ${code.sealed_key}, ${code.host}, ${code.site_id}, ${caller.id}, ${now()}, ${code.expires_at})`.execute(
    db,
  )
}

const withHint = (hint: string) =>
  sql<Code>`SELECT workspace_id, hint, sealed_key, host, site_id, created_by, expires_at, used_at, tries FROM enrolment_codes
    WHERE hint = ${hint}`

/** The code that has this hint, as it is at this moment. */
export async function peekCode(db: Kysely<unknown>, hint: string): Promise<Code | undefined> {
  const { rows } = await withHint(hint).execute(db)
  return rows[0]
}

/** The same, held until the transaction ends: of two enrolments that race, the second sees it used. */
export async function holdCode(db: Kysely<unknown>, hint: string): Promise<Code | undefined> {
  const { rows } = await sql<Code>`${withHint(hint)} FOR UPDATE`.execute(db)
  return rows[0]
}

export async function countTry(db: Kysely<unknown>, { workspace_id, hint }: Code): Promise<void> {
  await sql`UPDATE enrolment_codes SET tries = tries + 1 WHERE workspace_id = ${workspace_id} AND hint = ${hint}`.execute(db)
}

export async function markUsed(
  db: Kysely<unknown>,
  { workspace_id, hint }: Code,
  { siteId, now }: { siteId: string; now: Date },
): Promise<void> {
  await sql`UPDATE enrolment_codes SET used_at = ${now}, paired_site_id = ${siteId} WHERE workspace_id = ${workspace_id} AND hint = ${hint}`.execute(
    db,
  )
}

/** Why a site was refused with it, for whoever made it. */
export async function writeRefusal(db: Kysely<unknown>, { workspace_id, hint }: Code, refused: CodeState['refused']): Promise<void> {
  await sql`UPDATE enrolment_codes SET refused = ${JSON.stringify(refused)}::jsonb WHERE workspace_id = ${workspace_id} AND hint = ${hint}`.execute(
    db,
  )
}

export async function findCode({ db, workspaceId }: Db, hint: string): Promise<CodeState | undefined> {
  const { rows } = await sql<CodeState>`SELECT hint AS id, site_id, expires_at, paired_site_id, refused FROM enrolment_codes
    WHERE workspace_id = ${workspaceId} AND hint = ${hint}`.execute(db)
  return rows[0]
}

export interface Known {
  id: string
  url: string
  /** Nobody has ever answered for it. */
  unproven: boolean
}

/** Where the workspace's sites are; nobody else can enrol one until the transaction ends. */
export async function holdSites({ db, workspaceId }: Db): Promise<Known[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`enrol ${workspaceId}`}, 0))`.execute(db)
  const { rows } = await sql<Known>`SELECT id, url, unproven FROM sites WHERE workspace_id = ${workspaceId} ORDER BY created_at`.execute(db)
  return rows
}

/** Whether the last attempt to reach the site ended at a redirect. */
export async function isRedirected({ db, workspaceId }: Db, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM sites WHERE workspace_id = ${workspaceId} AND id = ${id}
    AND status = 'unreachable' AND last_error ->> 'reason' = 'redirect'`.execute(db)
  return rows.length > 0
}

/** Whether the last day has seen a goodbye of this site that was not so. */
export async function saidGoodbyeInVain(
  { db, workspaceId }: Db,
  siteId: string,
  { type, now }: { type: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM jobs WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND type = ${type}
    AND result ->> 'answers' = 'true' AND completed_at > ${new Date(now.getTime() - 86_400_000)} LIMIT 1`.execute(db)
  return rows.length > 0
}
