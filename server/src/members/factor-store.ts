// What a person can show beside the password.
import { type Kysely, sql } from 'kysely'

type Db = Kysely<unknown>

export interface Factors {
  /** Since when an authenticator app is in force; null: none is. */
  authenticator: Date | null
  passkeys: number
  /** How many recovery codes are not used yet. */
  recovery: number
}

export async function countFactors(db: Db, userId: string): Promise<Factors> {
  const { rows } =
    await sql<Factors>`SELECT (SELECT since FROM authenticators WHERE user_id = ${userId} AND sealed IS NOT NULL) AS authenticator,
    (SELECT count(*)::int FROM passkeys WHERE user_id = ${userId}) AS passkeys,
    (SELECT count(*)::int FROM recovery_codes WHERE user_id = ${userId} AND used_at IS NULL) AS recovery`.execute(db)
  return rows[0] ?? { authenticator: null, passkeys: 0, recovery: 0 }
}

/** Whether a password alone does not let the person in. */
export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const { authenticator, passkeys } = await countFactors(db, userId)
  return authenticator !== null || passkeys > 0
}

/** One change of a person's factors at a time, until the transaction ends. */
export async function holdPerson(db: Db, userId: string): Promise<void> {
  await sql`SELECT 1 FROM users WHERE id = ${userId} FOR NO KEY UPDATE`.execute(db)
}

export interface Authenticator {
  sealed: string | null
  offered: string | null
  offered_at: Date | null
}

export async function findAuthenticator(db: Db, userId: string): Promise<Authenticator | undefined> {
  const { rows } = await sql<Authenticator>`SELECT sealed, offered, offered_at FROM authenticators WHERE user_id = ${userId}`.execute(db)
  return rows[0]
}

export async function offerAuthenticator(db: Db, userId: string, sealed: string, at: Date): Promise<void> {
  await sql`INSERT INTO authenticators (user_id, offered, offered_at) VALUES (${userId}, ${sealed}, ${at})
    ON CONFLICT (user_id) DO UPDATE SET offered = excluded.offered, offered_at = excluded.offered_at`.execute(db)
}

/** Puts the offered one in force, with the step of the code that proved it; false where another one was offered meanwhile. */
export async function adoptAuthenticator(db: Db, userId: string, { offered, step, at }: { offered: string; step: number; at: Date }) {
  const { numAffectedRows } = await sql`UPDATE authenticators
    SET sealed = offered, since = ${at}, last_step = ${step}, offered = NULL, offered_at = NULL
    WHERE user_id = ${userId} AND offered = ${offered}`.execute(db)
  return numAffectedRows === 1n
}

/** False where a code of this step or a later one was taken before. */
export async function takeStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE authenticators SET last_step = ${step}
    WHERE user_id = ${userId} AND sealed IS NOT NULL AND last_step < ${step}`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteAuthenticator(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ sealed: string | null }>`DELETE FROM authenticators WHERE user_id = ${userId} RETURNING sealed`.execute(db)
  return rows.some(({ sealed }) => sealed !== null)
}

export async function replaceRecoveryCodes(db: Db, userId: string, hashes: Buffer[]): Promise<void> {
  await sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`.execute(db)
  await sql`INSERT INTO recovery_codes (user_id, sha256) SELECT ${userId}, unnest(${hashes}::bytea[])`.execute(db)
}

/** False where there is no such code, or it was used. */
export async function takeRecoveryCode(db: Db, userId: string, sha256: Buffer, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE recovery_codes SET used_at = ${at}
    WHERE user_id = ${userId} AND sha256 = ${sha256} AND used_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteAllFactors(db: Db, userId: string): Promise<void> {
  await sql`DELETE FROM authenticators WHERE user_id = ${userId}`.execute(db)
  await sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`.execute(db)
  await sql`DELETE FROM passkeys WHERE user_id = ${userId}`.execute(db)
}

export interface Half {
  user_id: string
  email: string
  by: string
  looks_at: string | null
}

export async function insertHalf(db: Db, sha256: Buffer, half: Omit<Half, 'email'> & { expires_at: Date }): Promise<void> {
  await sql`INSERT INTO half_sign_ins (sha256, user_id, by, looks_at, expires_at)
    VALUES (${sha256}, ${half.user_id}, ${half.by}, ${half.looks_at}, ${half.expires_at})`.execute(db)
}

export async function findHalf(db: Db, sha256: Buffer, now: Date): Promise<Half | undefined> {
  const { rows } = await sql<Half>`SELECT h.user_id, u.email, h.by, h.looks_at FROM half_sign_ins h JOIN users u ON u.id = h.user_id
    WHERE h.sha256 = ${sha256} AND h.expires_at > ${now}`.execute(db)
  return rows[0]
}

/** False where it was finished already. */
export async function deleteHalf(db: Db, sha256: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM half_sign_ins WHERE sha256 = ${sha256}`.execute(db)
  return numAffectedRows === 1n
}

/** Whoever stood before the second step has to begin anew. */
export async function deleteHalves(db: Db, userId: string): Promise<void> {
  await sql`DELETE FROM half_sign_ins WHERE user_id = ${userId}`.execute(db)
}
