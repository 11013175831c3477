import { hash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { makeOwner, type Operator } from './service.ts'

/** The secret of the one-time link that makes the first owner; only its SHA-256 is kept, and each start makes a new one. */
const fact = 'setup_sha256'

const hashOf = (secret: string) => hash('sha256', secret, 'hex')

/** A fresh secret while nobody owns the service; undefined as soon as somebody does. */
export async function offerSetup(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql`SELECT 1 FROM members WHERE role = 'owner' LIMIT 1`.execute(db)
  if (rows.length > 0) {
    await sql`DELETE FROM installation WHERE fact = ${fact}`.execute(db)
    return undefined
  }
  const secret = randomBytes(32).toString('base64url')
  await sql`INSERT INTO installation (fact, value) VALUES (${fact}, ${hashOf(secret)}) ON CONFLICT (fact) DO UPDATE SET value = excluded.value`.execute(
    db,
  )
  return secret
}

export async function setupIsOpen(db: Kysely<unknown>, secret: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM installation WHERE fact = ${fact} AND value = ${hashOf(secret)}`.execute(db)
  return rows.length > 0
}

export interface FirstOwner {
  email: string
  password: string
  workspace: string
}

/** Makes the first owner and spends the link, both or neither. Of several at once, one comes through. */
export async function finishSetup(operator: Operator, secret: string, owner: FirstOwner) {
  return operator.db.transaction().execute(async (db) => {
    const { numAffectedRows } = await sql`DELETE FROM installation WHERE fact = ${fact} AND value = ${hashOf(secret)}`.execute(db)
    if (numAffectedRows !== 1n) throw new Problem('not_found', 'This link was used before, or a newer one was printed.')
    return makeOwner({ ...operator, db }, owner.email, owner.workspace, owner.password)
  })
}
