import { type Kysely, sql } from 'kysely'
import type { Workspace } from './schema.ts'

type Db = Kysely<unknown>

/** Any constant that nothing else in the database locks. */
const owners = 7_236_403

/** One command at a time makes owners, until its transaction ends: two that make the same one do not collide. */
export async function takeTurn(db: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${owners})`.execute(db)
}

export async function insertWorkspace(db: Db, workspace: Workspace & { sealedKey: string }): Promise<void> {
  await sql`INSERT INTO workspaces (id, name, sealed_key) VALUES (${workspace.id}, ${workspace.name}, ${workspace.sealedKey})`.execute(db)
}

/** By id or by name in any case. */
export async function findWorkspace(db: Db, named: string): Promise<Workspace | undefined> {
  const { rows } = await sql<Workspace>`SELECT id, name FROM workspaces WHERE id = ${named} OR lower(name) = lower(${named})`.execute(db)
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

export async function insertMember(
  db: Db,
  member: { workspaceId: string; userId: string; role: 'owner' | 'admin' | 'member' },
): Promise<void> {
  await sql`INSERT INTO members (workspace_id, user_id, role) VALUES (${member.workspaceId}, ${member.userId}, ${member.role})
    ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`.execute(db)
}
