import { type Kysely, sql } from 'kysely'
import type { Role, Workspace } from './schema.ts'

type Db = Kysely<unknown>

/** Any constant that nothing else in the database locks. */
const owners = 7_236_403

/** One command at a time makes owners, until its transaction ends: two that make the same one do not collide. */
export async function takeTurn(db: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${owners})`.execute(db)
}

/** The open link for the first owner: the SHA-256 of its secret, and the millisecond from which it is closed. */
const setup = ['setup_sha256', 'setup_until']

export async function openSetup(db: Db, secretHash: string, until: Date): Promise<void> {
  await sql`INSERT INTO installation (fact, value) VALUES (${setup[0]}, ${secretHash}), (${setup[1]}, ${String(until.getTime())})
    ON CONFLICT (fact) DO UPDATE SET value = excluded.value`.execute(db)
}

export async function closeSetup(db: Db): Promise<void> {
  await sql`DELETE FROM installation WHERE fact = ANY(${setup})`.execute(db)
}

/** Whether the link is the open one. An owner closes it, however made. */
export async function holdsSetup(db: Db, secretHash: string, now: Date): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM installation s, installation u WHERE s.fact = ${setup[0]} AND s.value = ${secretHash}
    AND u.fact = ${setup[1]} AND u.value::bigint > ${now.getTime()}
    AND NOT EXISTS (SELECT 1 FROM members WHERE role = 'owner')`.execute(db)
  return rows.length > 0
}

export async function hasOwner(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM members WHERE role = 'owner' LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Of how many workspaces somebody is an owner. */
export async function countOwned(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM members WHERE user_id = ${userId} AND role = 'owner'`.execute(db)
  return rows[0]?.n ?? 0
}

/** False where everything is sealed under another master key by now: the row is not written. */
export async function insertWorkspace(db: Db, workspace: Workspace & { sealedKey: string; masterKeyId: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO workspaces (id, name, sealed_key)
    SELECT ${workspace.id}, ${workspace.name}, ${workspace.sealedKey} FROM installation
    WHERE fact = 'master_key_id' AND value = ${workspace.masterKeyId} FOR SHARE`.execute(db)
  return numAffectedRows === 1n
}

/** Keeps workspaces from being made until the transaction ends, and answers the id of the master key all are sealed under. */
export async function holdMasterKeyId(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`SELECT value FROM installation WHERE fact = 'master_key_id' FOR UPDATE`.execute(db)
  return rows[0]?.value
}

export async function setMasterKeyId(db: Db, id: string): Promise<void> {
  await sql`UPDATE installation SET value = ${id} WHERE fact = 'master_key_id'`.execute(db)
}

export type SealedWorkspace = Workspace & { sealed_key: string }

/** Without those that are being deleted. */
export async function listSealed(db: Db): Promise<SealedWorkspace[]> {
  const { rows } = await sql<SealedWorkspace>`SELECT id, name, sealed_key FROM workspaces WHERE deleted_at IS NULL ORDER BY id`.execute(db)
  return rows
}

/** Those workspaces are in a recovery kit that is being printed. */
export async function writeKitExported(db: Db, ids: string[], { keyId, now }: { keyId: string; now: Date }): Promise<void> {
  await sql`UPDATE workspaces SET kit_exported_at = ${now}, kit_key_id = ${keyId} WHERE id = ANY(${ids})`.execute(db)
}

export interface KitExported {
  sealed_key: string
  exported_at: Date | null
  key_id: string | null
}

export async function findKitExported({ db, workspaceId }: { db: Db; workspaceId: string }): Promise<KitExported | undefined> {
  const { rows } = await sql<KitExported>`SELECT sealed_key, kit_exported_at AS exported_at, kit_key_id AS key_id FROM workspaces
    WHERE id = ${workspaceId}`.execute(db)
  return rows[0]
}

export async function listSealedWithDeleted(db: Db): Promise<Pick<SealedWorkspace, 'id' | 'sealed_key'>[]> {
  const { rows } = await sql<Pick<SealedWorkspace, 'id' | 'sealed_key'>>`SELECT id, sealed_key FROM workspaces ORDER BY id`.execute(db)
  return rows
}

/** Workspaces of which something is still to be taken away. */
export async function listBeingDeleted(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT workspace_id AS id FROM workspace_deletions WHERE finished_at IS NULL`.execute(db)
  return rows.map(({ id }) => id)
}

export async function replaceSealedKeys(db: Db, keys: Pick<SealedWorkspace, 'id' | 'sealed_key'>[]): Promise<void> {
  await sql`UPDATE workspaces w SET sealed_key = k.sealed_key FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k (id text, sealed_key text)
    WHERE w.id = k.id`.execute(db)
}

export type SealedPerson = { id: string; sealed_key: string }

/** The keys of people; most have none. */
export async function listSealedPeople(db: Db): Promise<SealedPerson[]> {
  const { rows } = await sql<SealedPerson>`SELECT id, sealed_key FROM users WHERE sealed_key IS NOT NULL ORDER BY id`.execute(db)
  return rows
}

export async function replacePeoplesKeys(db: Db, keys: SealedPerson[]): Promise<void> {
  await sql`UPDATE users u SET sealed_key = k.sealed_key FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k (id text, sealed_key text)
    WHERE u.id = k.id`.execute(db)
}

export async function findPersonKey(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ sealed_key: string | null }>`SELECT sealed_key FROM users WHERE id = ${userId}`.execute(db)
  return rows[0]?.sealed_key ?? undefined
}

/** Keeps the key of a person who has none, and answers the one they have then; undefined where everything is sealed under another master key by now. */
export async function keepPersonKey(
  db: Db,
  userId: string,
  { sealedKey, masterKeyId }: { sealedKey: string; masterKeyId: string },
): Promise<string | undefined> {
  const { rows } = await sql<SealedPerson>`WITH held AS (
      SELECT 1 FROM installation WHERE fact = 'master_key_id' AND value = ${masterKeyId} FOR SHARE)
    UPDATE users SET sealed_key = coalesce(sealed_key, ${sealedKey})
    WHERE id = ${userId} AND EXISTS (SELECT 1 FROM held) RETURNING id, sealed_key`.execute(db)
  return rows[0]?.sealed_key
}

/** Oldest first. */
export async function listWorkspaces(db: Db): Promise<Workspace[]> {
  const { rows } = await sql<Workspace>`SELECT id, name FROM workspaces WHERE deleted_at IS NULL ORDER BY id`.execute(db)
  return rows
}

/** By id or by name in any case. */
export async function findWorkspace(db: Db, named: string): Promise<Workspace | undefined> {
  const { rows } = await sql<Workspace>`SELECT id, name FROM workspaces
    WHERE (id = ${named} OR lower(name) = lower(${named})) AND deleted_at IS NULL`.execute(db)
  return rows[0]
}

export async function findSealedKey(db: Db, workspaceId: string): Promise<string | undefined> {
  const { rows } = await sql<{ sealed_key: string }>`SELECT sealed_key FROM workspaces WHERE id = ${workspaceId}`.execute(db)
  return rows[0]?.sealed_key
}

export async function insertUser(db: Db, user: { id: string; email: string; passwordHash: string }): Promise<void> {
  await sql`INSERT INTO users (id, email, password_hash) VALUES (${user.id}, ${user.email}, ${user.passwordHash})`.execute(db)
}

export async function findUser(db: Db, email: string): Promise<{ id: string; email: string } | undefined> {
  const { rows } = await sql<{ id: string; email: string }>`SELECT id, email FROM users WHERE lower(email) = lower(${email})`.execute(db)
  return rows[0]
}

export async function insertMember(db: Db, member: { workspaceId: string; userId: string; role: Role }): Promise<void> {
  await sql`INSERT INTO members (workspace_id, user_id, role) VALUES (${member.workspaceId}, ${member.userId}, ${member.role})
    ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role, sees = NULL`.execute(db)
}

/** What somebody is in the workspace now. */
export async function findRole({ db, workspaceId }: { db: Db; workspaceId: string }, userId: string): Promise<Role | undefined> {
  const { rows } = await sql<{
    role: Role
  }>`SELECT role FROM members WHERE workspace_id = ${workspaceId} AND user_id = ${userId}`.execute(db)
  return rows[0]?.role
}

/** Since when all agents of the workspace are paused, until the transaction ends; null: they are not. */
export async function holdPause({ db, workspaceId }: { db: Db; workspaceId: string }): Promise<Date | null> {
  const { rows } = await sql<{
    at: Date | null
  }>`SELECT agents_paused_at AS at FROM workspaces WHERE id = ${workspaceId} FOR SHARE`.execute(db)
  return rows[0]?.at ?? null
}

export async function setWorkspaceName(db: Db, id: string, name: string): Promise<void> {
  await sql`UPDATE workspaces SET name = ${name} WHERE id = ${id} AND deleted_at IS NULL`.execute(db)
}

export interface Pause {
  paused_at: Date | null
  paused_by: { type: 'user' | 'token' | 'system'; id: string; name: string } | null
}

/** Whether all agents of the workspace are paused, and by whom. */
export async function findPause({ db, workspaceId }: { db: Db; workspaceId: string }): Promise<Pause> {
  const { rows } =
    await sql<Pause>`SELECT agents_paused_at AS paused_at, agents_paused_by AS paused_by FROM workspaces WHERE id = ${workspaceId}`.execute(
      db,
    )
  return rows[0] ?? { paused_at: null, paused_by: null }
}

/** False where it is so already. */
export async function writePause(
  { db, workspaceId }: { db: Db; workspaceId: string },
  pause: { at: Date; by: Pause['paused_by'] } | undefined,
): Promise<boolean> {
  const by = pause ? JSON.stringify(pause.by) : null
  const { numAffectedRows } =
    await sql`UPDATE workspaces SET agents_paused_at = ${pause?.at ?? null}::timestamptz, agents_paused_by = ${by}::jsonb
    WHERE id = ${workspaceId} AND (agents_paused_at IS NULL) = ${pause !== undefined}`.execute(db)
  return numAffectedRows === 1n
}
