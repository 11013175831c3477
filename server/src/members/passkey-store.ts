import { type Kysely, sql } from 'kysely'

type Db = Kysely<unknown>

export interface Passkey {
  id: string
  name: string
  synced: boolean
  created_at: Date
  used_at: Date | null
}

export interface KnownPasskey {
  id: string
  user_id: string
  email: string
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
  synced: boolean
}

/** Oldest first. */
export async function listPasskeys(db: Db, userId: string): Promise<(Passkey & Pick<KnownPasskey, 'credential_id' | 'transports'>)[]> {
  const { rows } = await sql<
    Passkey & KnownPasskey
  >`SELECT id, name, synced, created_at, used_at, credential_id, transports FROM passkeys WHERE user_id = ${userId} ORDER BY id`.execute(db)
  return rows
}

export async function findPasskey(db: Db, credentialId: string): Promise<KnownPasskey | undefined> {
  const { rows } = await sql<KnownPasskey>`SELECT p.id, p.user_id, u.email, p.credential_id, p.public_key, p.counter::float8 AS counter,
      p.transports, p.synced FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = ${credentialId}`.execute(db)
  return rows[0]
}

/** False where somebody has it already. */
export async function insertPasskey(db: Db, row: Omit<KnownPasskey, 'email'> & { name: string; at: Date }): Promise<boolean> {
  const { numAffectedRows } =
    await sql`INSERT INTO passkeys (id, user_id, credential_id, name, public_key, counter, transports, synced, created_at)
    VALUES (${row.id}, ${row.user_id}, ${row.credential_id}, ${row.name}, ${row.public_key}, ${row.counter}, ${row.transports}, ${row.synced},
      ${row.at}) ON CONFLICT (credential_id) DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

export async function markPasskeyUsed(db: Db, id: string, used: { counter: number; synced: boolean; at: Date }): Promise<void> {
  await sql`UPDATE passkeys SET counter = ${used.counter}, synced = ${used.synced}, used_at = ${used.at} WHERE id = ${id}`.execute(db)
}

export async function renamePasskey(db: Db, userId: string, id: string, name: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE passkeys SET name = ${name} WHERE user_id = ${userId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

export async function deletePasskey(db: Db, userId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM passkeys WHERE user_id = ${userId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

export async function insertChallenge(db: Db, row: { sha256: Buffer; userId: string | null; expiresAt: Date }): Promise<void> {
  await sql`INSERT INTO challenges (sha256, user_id, expires_at) VALUES (${row.sha256}, ${row.userId}, ${row.expiresAt})`.execute(db)
}

/** Uses it up; false where it was never made for this, is too old, or was used. */
export async function takeChallenge(
  db: Db,
  { sha256, userId, now }: { sha256: Buffer; userId: string | null; now: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM challenges
    WHERE sha256 = ${sha256} AND user_id IS NOT DISTINCT FROM ${userId} AND expires_at > ${now}`.execute(db)
  return numAffectedRows === 1n
}
