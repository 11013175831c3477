import { type Kysely, sql } from 'kysely'
import type { Context, Db } from '../world.ts'
import type { Token } from './schema.ts'

type Row = Token & { workspace_id: string; revoking: boolean }
/** With whether all agents of its workspace are paused. */
type Shown = Row & { paused: boolean }

const columns = sql.raw(
  'id, name, prefix, scope, approval_only, created_at, expires_at, last_used_at, last_used_from, last_used_client, sees, revoked_at',
)

export async function insertToken({ db, workspaceId, caller, now }: Context, token: NewRow): Promise<void> {
  await sql`INSERT INTO tokens (workspace_id, id, name, sha256, prefix, scope, approval_only, created_by, created_at, expires_at, sees)
    VALUES (${workspaceId}, ${token.id}, ${token.name}, ${token.sha256}, ${token.prefix}, ${token.scope}, ${token.approval_only},
      ${caller.id}, ${now()}, ${token.expires_at}, ${token.sees === null ? null : JSON.stringify(token.sees)}::jsonb)`.execute(db)
}
interface NewRow extends Pick<Token, 'id' | 'name' | 'prefix' | 'scope' | 'approval_only' | 'sees'> {
  sha256: Buffer
  expires_at: Date | null
}

export async function listTokens({ db, workspaceId }: Context): Promise<Token[]> {
  const { rows } =
    await sql<Token>`SELECT ${columns} FROM tokens WHERE workspace_id = ${workspaceId} ORDER BY created_at DESC, id DESC`.execute(db)
  return rows
}

export async function findToken({ db, workspaceId }: Context, id: string): Promise<Token | undefined> {
  const { rows } = await sql<Token>`SELECT ${columns} FROM tokens WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
  return rows[0]
}

/** The token as it is until the transaction ends: whoever revokes it waits. */
export async function holdToken({ db, workspaceId }: Db, id: string): Promise<Row | undefined> {
  const { rows } =
    await sql<Row>`SELECT workspace_id, revoking, ${columns} FROM tokens WHERE workspace_id = ${workspaceId} AND id = ${id} FOR SHARE`.execute(
      db,
    )
  return rows[0]
}

/** From here on nobody keeps it in memory; it counts until `markRevoked`. */
export async function markRevoking({ db, workspaceId }: Context, id: string): Promise<void> {
  await sql`UPDATE tokens SET revoking = true WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

export async function markRevoked({ db, workspaceId, now }: Context, id: string): Promise<void> {
  await sql`UPDATE tokens SET revoked_at = coalesce(revoked_at, ${now()}) WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}

/** The one look-up that starts from a secret and so cannot know the workspace yet. */
export async function findByHash(db: Kysely<unknown>, sha256: Buffer): Promise<Shown | undefined> {
  const { rows } = await sql<Shown>`SELECT workspace_id, revoking, ${columns},
      EXISTS (SELECT 1 FROM workspaces w WHERE w.id = workspace_id AND w.agents_paused_at IS NOT NULL) AS paused
    FROM tokens WHERE sha256 = ${sha256}`.execute(db)
  return rows[0]
}

/** When a token was last used, from where, and by what; only the time is always known. */
export interface Use {
  at: Date
  from?: string
  client?: string
}

export async function markUsed(db: Kysely<unknown>, used: Map<string, Use>): Promise<void> {
  const rows = [...used].map(([id, use]) => ({ id, ...use }))
  await sql`UPDATE tokens SET last_used_at = r.at, last_used_from = coalesce(r.from, last_used_from), last_used_client = coalesce(r.client, last_used_client)
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id text, at timestamptz, "from" text, client text)
    WHERE tokens.id = r.id`.execute(db)
}

/** For the operator, who names a token by its id alone. */
export async function findWorkspaceOfToken(db: Kysely<unknown>, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ workspace_id: string }>`SELECT workspace_id FROM tokens WHERE id = ${id}`.execute(db)
  return rows[0]?.workspace_id
}

/** Those that see the sites of a client that has another name now go on seeing them. */
export async function renameSeenClient({ db, workspaceId }: Db, from: string, to: string): Promise<void> {
  await sql`UPDATE tokens SET sees = jsonb_set(sees, '{client}', to_jsonb(${to}::text))
    WHERE workspace_id = ${workspaceId} AND sees->>'client' = ${from}`.execute(db)
}
