import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { type MasterKey, masterKeyOf, open, seal } from '../platform/master-key.ts'
import { findSealedKey } from './store.ts'

/** Everything secret of a workspace is sealed under its own key, and that under the master key: delete the row and it is unreadable. */
export type WorkspaceKey = MasterKey

const contextOf = (workspaceId: string) => `workspace ${workspaceId}`

/** A fresh workspace key, sealed for its row. */
export function newSealedKey(master: MasterKey, workspaceId: string): string {
  return seal(master, randomBytes(32), contextOf(workspaceId)).toString('base64')
}

const opened = new WeakMap<MasterKey, Map<string, WorkspaceKey>>()

/** The key of a workspace; kept in memory once opened. */
export async function workspaceKey(
  { db, masterKey }: { db: Kysely<unknown>; masterKey: MasterKey },
  workspaceId: string,
): Promise<WorkspaceKey> {
  const keys = opened.get(masterKey) ?? new Map<string, WorkspaceKey>()
  opened.set(masterKey, keys)
  const known = keys.get(workspaceId)
  if (known) return known
  const sealed = await findSealedKey(db, workspaceId)
  if (sealed === undefined) throw new Problem('not_found', 'There is no such workspace.')
  const key = masterKeyOf(open(masterKey, Buffer.from(sealed, 'base64'), contextOf(workspaceId)))
  keys.set(workspaceId, key)
  return key
}
