import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { type HeldMasterKey, type MasterKey, masterKeyOf, open, seal, sealedUnder } from '../platform/master-key.ts'
import { findSealedKey } from './store.ts'

/** Everything secret of a workspace is sealed under its own key, and that under the master key: delete the row and it is unreadable. */
export type WorkspaceKey = MasterKey

const contextOf = (workspaceId: string) => `workspace ${workspaceId}`

/** A fresh workspace key, sealed for its row. */
export const newSealedKey = (master: MasterKey, workspaceId: string) => sealKey(master, workspaceId, randomBytes(32))

/** A workspace's key as its row keeps it. */
export function sealKey(master: MasterKey, workspaceId: string, key: Uint8Array): string {
  return seal(master, key, contextOf(workspaceId)).toString('base64')
}

/** Undoes `sealKey`. */
export function openKey(master: MasterKey, workspaceId: string, sealed: string): Buffer {
  return open(master, Buffer.from(sealed, 'base64'), contextOf(workspaceId))
}

const opened = new WeakMap<HeldMasterKey, Map<string, WorkspaceKey>>()

/** The key of a workspace; kept in memory once opened. It stays the same when the master key is rotated. */
export async function workspaceKey(
  { db, masterKey }: { db: Kysely<unknown>; masterKey: HeldMasterKey },
  workspaceId: string,
): Promise<WorkspaceKey> {
  const keys = opened.get(masterKey) ?? new Map<string, WorkspaceKey>()
  opened.set(masterKey, keys)
  const known = keys.get(workspaceId)
  if (known) return known
  const sealed = await findSealedKey(db, workspaceId)
  if (sealed === undefined) throw new Problem('not_found', 'There is no such workspace.')
  const master = sealedUnder(Buffer.from(sealed, 'base64'))
  if (master !== masterKey.id) masterKey.renew(master)
  const key = masterKeyOf(openKey(masterKey, workspaceId, sealed))
  keys.set(workspaceId, key)
  return key
}
