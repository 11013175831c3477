import { randomUUID } from 'node:crypto'
import type { World } from '../world.ts'
import type { Account } from './session-store.ts'
import { listMemberships } from './store.ts'

const entryOf = (userId: string, operation: string, outcome: string) => ({
  ...{ caller_type: 'user' as const, caller_id: userId, face: 'dashboard' as const, site_id: null },
  ...{ operation, outcome, request_id: `req_${randomUUID().replaceAll('-', '')}` },
})

/** Writes down in every workspace of a person what they did as a person: signed in, signed out, chose another password or factor. */
export async function noteForPerson(
  { db, audit }: Pick<World, 'db' | 'audit'>,
  userId: string,
  operation: string,
  outcome = 'ok',
): Promise<void> {
  const entry = entryOf(userId, operation, outcome)
  for (const { id } of await listMemberships(db, userId)) await audit({ ...entry, workspace_id: id }, db)
}

/** The same with the next batch, and without a query: how long an answer takes must not tell whether there is such an account. */
export async function noteLater({ audit }: Pick<World, 'audit'>, account: Account, operation: string, outcome: string): Promise<void> {
  const entry = entryOf(account.id, operation, outcome)
  for (const id of account.workspaces) await audit({ ...entry, workspace_id: id })
}
