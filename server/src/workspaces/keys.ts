import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { knownKeyId } from '../platform/installation.ts'
import { type HeldMasterKey, type MasterKey, masterKeyOf, open, seal, sealedUnder } from '../platform/master-key.ts'
import { findPersonKey, findSealedKey, keepPersonKey } from './store.ts'

/** Everything secret of a workspace is sealed under its own key, and that under the master key: delete the row and a minute later it is unreadable. */
export type WorkspaceKey = MasterKey

/** A person has a key of their own as a workspace has. */
const contextOf = (id: string) => `${id.startsWith('user_') ? 'person' : 'workspace'} ${id}`

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

/** So long a key that was opened is used before it is looked again whether its row is there. */
const keptMs = 60_000

/** The key of a workspace, in memory for a minute at a time once opened. It stays the same when the master key is rotated. */
export async function workspaceKey(
  { db, masterKey, now }: { db: Kysely<unknown>; masterKey: HeldMasterKey; now: () => Date },
  workspaceId: string,
): Promise<WorkspaceKey> {
  const { opened } = masterKey
  const known = opened.get(workspaceId)
  const at = now().getTime()
  if (known && at - known.seen < keptMs) return known.key
  const sealed = await findSealedKey(db, workspaceId)
  if (sealed === undefined) {
    opened.delete(workspaceId)
    throw new Problem('not_found', 'There is no such workspace.')
  }
  const key = known?.key ?? openFound(masterKey, workspaceId, sealed)
  opened.set(workspaceId, { key, seen: at })
  return key
}

/** With the master key it was sealed under, which another process may have put in the place of the one that is known here. */
function openFound(masterKey: HeldMasterKey, workspaceId: string, sealed: string): WorkspaceKey {
  const master = sealedUnder(Buffer.from(sealed, 'base64'))
  if (master !== masterKey.id) masterKey.renew(master)
  return masterKeyOf(openKey(masterKey, workspaceId, sealed))
}

/** The key of a person, under which what only they may have is sealed; made when it is first needed. */
export async function personKey(
  { db, masterKey }: { db: Kysely<unknown>; masterKey: HeldMasterKey },
  userId: string,
): Promise<WorkspaceKey> {
  const known = await findPersonKey(db, userId)
  if (known !== undefined) return openFound(masterKey, userId, known)
  const make = () => keepPersonKey(db, userId, { sealedKey: newSealedKey(masterKey, userId), masterKeyId: masterKey.id })
  let kept = await make()
  if (kept === undefined) {
    // The master key was rotated since this process read it.
    masterKey.renew((await knownKeyId(db)) ?? '')
    kept = await make()
  }
  if (kept === undefined) throw new Problem('conflict', 'The master key is being replaced right now; try again.')
  return openFound(masterKey, userId, kept)
}
