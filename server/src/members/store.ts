import { type Kysely, sql } from 'kysely'
import type { Sees } from '../kernel/context.ts'
import type { Role } from '../workspaces/schema.ts'
import type { DatedDb, Db } from '../world.ts'
import type { Invitation, Member } from './schema.ts'

/** Owners first, then by address. */
export async function listMembers({ db, workspaceId, now }: DatedDb): Promise<Member[]> {
  const { rows } = await sql<Member>`SELECT u.id, u.email, m.role, m.sees, m.created_at AS since,
      (SELECT max(s.seen_at) FROM sessions s WHERE s.user_id = u.id AND s.expires_at > ${now()}) AS last_seen_at
    FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ${workspaceId}
    ORDER BY array_position(ARRAY['owner', 'admin', 'member', 'viewer'], m.role), lower(u.email)`.execute(db)
  return rows
}

export async function isMember({ db, workspaceId }: Db, email: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.workspace_id = ${workspaceId} AND lower(u.email) = lower(${email})`.execute(db)
  return rows.length > 0
}

export async function countOwners({ db, workspaceId }: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM members
    WHERE workspace_id = ${workspaceId} AND role = 'owner'`.execute(db)
  return rows[0]?.n ?? 0
}

export async function setRole({ db, workspaceId }: Db, userId: string, role: Role, sees: Sees | null): Promise<void> {
  await sql`UPDATE members SET role = ${role}, sees = ${asJson(sees)}::jsonb WHERE (workspace_id, user_id) = (${workspaceId}, ${userId})`.execute(
    db,
  )
}

export async function deleteMember({ db, workspaceId }: Db, userId: string): Promise<void> {
  await sql`DELETE FROM members WHERE (workspace_id, user_id) = (${workspaceId}, ${userId})`.execute(db)
}

const asJson = (sees: Sees | null) => (sees === null ? null : JSON.stringify(sees))

const columns = sql.raw('id, email, role, sees, invited_by, created_at, expires_at')

export async function insertInvitation({ db, workspaceId }: Db, row: NewRow): Promise<void> {
  await sql`INSERT INTO invitations (workspace_id, id, sha256, email, role, sees, invited_by, created_at, expires_at)
    VALUES (${workspaceId}, ${row.id}, ${row.sha256}, ${row.email}, ${row.role}, ${asJson(row.sees)}::jsonb, ${row.invited_by}, ${row.created_at}, ${row.expires_at})`.execute(
    db,
  )
}
interface NewRow extends Omit<Invitation, 'created_at' | 'expires_at'> {
  sha256: Buffer
  created_at: Date
  expires_at: Date
}

/** Those that can still be accepted, newest first. */
export async function listInvitations({ db, workspaceId, now }: DatedDb): Promise<Invitation[]> {
  const { rows } = await sql<Invitation>`SELECT ${columns} FROM invitations
    WHERE workspace_id = ${workspaceId} AND expires_at > ${now()} ORDER BY created_at DESC, id DESC`.execute(db)
  return rows
}

export async function deleteInvitation({ db, workspaceId }: Db, id: string): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`DELETE FROM invitations WHERE (workspace_id, id) = (${workspaceId}, ${id})
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Earlier invitations of the same person are replaced by a new one. */
export async function deleteInvitationsTo({ db, workspaceId }: Db, email: string): Promise<void> {
  await sql`DELETE FROM invitations WHERE workspace_id = ${workspaceId} AND lower(email) = lower(${email})`.execute(db)
}

export interface OpenInvitation {
  id: string
  workspace_id: string
  workspace: string
  email: string
  role: Role
  sees: Sees | null
  /** The person has an account already. */
  user_id: string | null
}

/** The one look-up that starts from the secret of an invitation. */
export async function findOpenInvitation(db: Kysely<unknown>, sha256: Buffer, now: Date): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`SELECT i.id, i.workspace_id, w.name AS workspace, i.email, i.role, i.sees, u.id AS user_id
    FROM invitations i JOIN workspaces w ON w.id = i.workspace_id LEFT JOIN users u ON lower(u.email) = lower(i.email)
    WHERE i.sha256 = ${sha256} AND i.expires_at > ${now}`.execute(db)
  return rows[0]
}

/** Uses it up; false when somebody was faster. */
export async function takeInvitation(db: Kysely<unknown>, sha256: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM invitations WHERE sha256 = ${sha256}`.execute(db)
  return numAffectedRows === 1n
}

/** Who is in already keeps the role they have. */
export async function joinWorkspace(db: Kysely<unknown>, joined: Joined): Promise<void> {
  await sql`INSERT INTO members (workspace_id, user_id, role, sees)
    VALUES (${joined.workspaceId}, ${joined.userId}, ${joined.role}, ${asJson(joined.sees)}::jsonb)
    ON CONFLICT (workspace_id, user_id) DO NOTHING`.execute(db)
}

interface Joined {
  workspaceId: string
  userId: string
  role: Role
  sees: Sees | null
}

export interface Membership {
  id: string
  name: string
  role: Role
  last: boolean
}

/** The workspaces of one person, by name; `last`: their latest session showed it. */
export async function listMemberships(db: Kysely<unknown>, userId: string): Promise<Membership[]> {
  const { rows } = await sql<Membership>`SELECT w.id, w.name, m.role,
      w.id IS NOT DISTINCT FROM (SELECT looks_at FROM sessions WHERE user_id = m.user_id ORDER BY seen_at DESC LIMIT 1) AS last
    FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE m.user_id = ${userId} ORDER BY lower(w.name)`.execute(db)
  return rows
}

/** What somebody is in the workspace, and stays until the transaction ends. */
async function holdRole({ db, workspaceId }: Db, userId: string): Promise<Role | undefined> {
  const { rows } = await sql<{
    role: Role
  }>`SELECT role FROM members WHERE workspace_id = ${workspaceId} AND user_id = ${userId} FOR SHARE`.execute(db)
  return rows[0]?.role
}

/** Whether somebody is an owner or admin, and stays so until the transaction ends. */
export const isApprover = async (here: Db, userId: string): Promise<boolean> =>
  ['owner', 'admin'].includes((await holdRole(here, userId)) ?? '')

/** Keeps a membership, and so what is the person's own, as they are until the transaction ends; false: there is none. */
export async function holdMember({ db, workspaceId }: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM members WHERE (workspace_id, user_id) = (${workspaceId}, ${userId}) FOR UPDATE`.execute(db)
  return rows.length === 1
}
