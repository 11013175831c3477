import { type Kysely, sql } from 'kysely'
import type { Sees } from '../kernel/context.ts'
import type { Role } from '../workspaces/schema.ts'

type Db = Kysely<unknown>

/** What somebody shows to prove who they are. */
export type Shown = 'password' | 'code' | 'recovery_code' | 'passkey'

export interface NewSession {
  id: string
  sha256: Buffer
  userId: string
  /** The workspace it shows first. */
  looksAt: string | null
  address: string
  agent: string
  at: Date
  expiresAt: Date
  shown: Shown
  shownAt: Date
}

export async function insertSession(db: Db, row: NewSession): Promise<void> {
  await sql`INSERT INTO sessions (id, sha256, user_id, looks_at, address, agent, begun_at, seen_at, expires_at, shown, shown_at)
    VALUES (${row.id}, ${row.sha256}, ${row.userId}, ${row.looksAt}, ${row.address}, ${row.agent}, ${row.at}, ${row.at}, ${row.expiresAt},
      ${row.shown}, ${row.shownAt})`.execute(db)
}

export interface Session {
  id: string
  user_id: string
  email: string
  seen_at: Date
  /** The workspace it shows; null: none, or the person is no member of it any more. */
  workspace_id: string | null
  workspace: string | null
  role: Role | null
  /** Only these sites of it are there for the person; null: all. */
  sees: Sees | null
  /** What the person last showed in it, and when. */
  shown: Shown
  shown_at: Date | null
}

/** With the role as it is now: nothing of a session is remembered between two requests. */
export async function findSession(
  db: Db,
  sha256: Buffer,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<Session | undefined> {
  const { rows } =
    await sql<Session>`SELECT s.id, s.user_id, u.email, s.seen_at, s.shown, s.shown_at, m.workspace_id, w.name AS workspace, m.role, m.sees
    FROM sessions s JOIN users u ON u.id = s.user_id
    LEFT JOIN members m ON (m.workspace_id, m.user_id) = (s.looks_at, s.user_id) LEFT JOIN workspaces w ON w.id = m.workspace_id
    WHERE s.sha256 = ${sha256} AND s.ended_at IS NULL AND s.expires_at > ${now} AND s.seen_at > ${idleSince}`.execute(db)
  return rows[0]
}

export async function markShown(db: Db, id: string, shown: Shown, at: Date): Promise<void> {
  await sql`UPDATE sessions SET shown = ${shown}, shown_at = ${at} WHERE id = ${id}`.execute(db)
}

/** Nobody changes what the person signs in with until the transaction ends. */
export async function shareHold(db: Db, userId: string): Promise<void> {
  await sql`SELECT 1 FROM users WHERE id = ${userId} FOR SHARE`.execute(db)
}

export async function markSeen(db: Db, id: string, at: Date): Promise<void> {
  await sql`UPDATE sessions SET seen_at = ${at} WHERE id = ${id}`.execute(db)
}

/** False where the person is no member. */
export async function chooseWorkspace(db: Db, session: Pick<Session, 'id' | 'user_id'>, workspaceId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE sessions SET looks_at = ${workspaceId} WHERE id = ${session.id}
    AND EXISTS (SELECT 1 FROM members WHERE (workspace_id, user_id) = (${workspaceId}, ${session.user_id}))`.execute(db)
  return numAffectedRows === 1n
}

/** What these people's sessions showed of this workspace, they show of another one of theirs, or of none. */
export async function lookElsewhere(db: Db, workspaceId: string, userIds: readonly string[]): Promise<void> {
  await sql`UPDATE sessions s SET looks_at = (SELECT w.id FROM members m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id = s.user_id AND m.workspace_id <> ${workspaceId} ORDER BY lower(w.name) LIMIT 1)
    WHERE s.user_id = ANY(${userIds}) AND s.looks_at = ${workspaceId}`.execute(db)
}

/** Ends one of the person's sessions; all but one; or all. Answers how many. */
export async function endSessions(db: Db, userId: string, which: { only?: string; but?: string }, at: Date): Promise<number> {
  const { numAffectedRows } = await sql`UPDATE sessions SET ended_at = ${at} WHERE user_id = ${userId} AND ended_at IS NULL
    AND id = coalesce(${which.only ?? null}, id) AND id IS DISTINCT FROM ${which.but ?? null}`.execute(db)
  return Number(numAffectedRows)
}

export interface OpenSession {
  id: string
  address: string
  agent: string
  begun_at: Date
  seen_at: Date
}

/** Those that still open something, last used first. */
export async function listOpenSessions(db: Db, userId: string, { now, idleSince }: { now: Date; idleSince: Date }): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`SELECT id, address, agent, begun_at, seen_at FROM sessions
    WHERE user_id = ${userId} AND ended_at IS NULL AND expires_at > ${now} AND seen_at > ${idleSince} ORDER BY seen_at DESC LIMIT 100`.execute(
    db,
  )
  return rows
}

export interface Account {
  id: string
  email: string
  password_hash: string
  /** Ids of those the person is a member of. */
  workspaces: string[]
}

export async function findAccount(db: Db, email: string): Promise<Account | undefined> {
  const { rows } = await sql<Account>`SELECT id, email, password_hash,
      ARRAY(SELECT m.workspace_id FROM members m WHERE m.user_id = u.id) AS workspaces
    FROM users u WHERE lower(email) = lower(${email})`.execute(db)
  return rows[0]
}

export async function setPasswordHash(db: Db, userId: string, passwordHash: string): Promise<void> {
  await sql`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId}`.execute(db)
}

export async function knowsDevice(db: Db, email: string, sha256: Buffer): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM devices d JOIN users u ON u.id = d.user_id
    WHERE lower(u.email) = lower(${email}) AND d.sha256 = ${sha256}`.execute(db)
  return rows.length > 0
}

/** Whether anybody signed in before in this browser. */
export async function isDevice(db: Db, sha256: Buffer): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM devices WHERE sha256 = ${sha256} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** From where the person signed in before. */
export async function listAddresses(db: Db, email: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`SELECT DISTINCT s.address FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE lower(u.email) = lower(${email}) LIMIT 500`.execute(db)
  return rows.map(({ address }) => address)
}

export async function rememberDevice(db: Db, userId: string, sha256: Buffer, at: Date): Promise<void> {
  await sql`INSERT INTO devices (user_id, sha256, seen_at) VALUES (${userId}, ${sha256}, ${at})
    ON CONFLICT (user_id, sha256) DO UPDATE SET seen_at = excluded.seen_at`.execute(db)
}

export async function insertRecovery(db: Db, row: { sha256: Buffer; userId: string; expiresAt: Date }): Promise<void> {
  await sql`INSERT INTO recoveries (sha256, user_id, expires_at) VALUES (${row.sha256}, ${row.userId}, ${row.expiresAt})`.execute(db)
}

export async function findRecovery(db: Db, sha256: Buffer, now: Date): Promise<Pick<Account, 'id' | 'email'> | undefined> {
  const { rows } = await sql<Pick<Account, 'id' | 'email'>>`SELECT u.id, u.email FROM recoveries r JOIN users u ON u.id = r.user_id
    WHERE r.sha256 = ${sha256} AND r.expires_at > ${now}`.execute(db)
  return rows[0]
}

/** Closes every such link of the person; false when this one was closed already. */
export async function closeRecoveries(db: Db, userId: string, sha256: Buffer): Promise<boolean> {
  const { rows } = await sql<{ sha256: Buffer }>`DELETE FROM recoveries WHERE user_id = ${userId} RETURNING sha256`.execute(db)
  return rows.some((row) => row.sha256.equals(sha256))
}
