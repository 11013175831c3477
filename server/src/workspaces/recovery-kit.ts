import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Problem } from '../kernel/problem.ts'
import { type MasterKey, masterKeyOf, sealedUnder } from '../platform/master-key.ts'
import type { Db, World } from '../world.ts'
import { openKey, sealKey } from './keys.ts'
import { type KitState, WorkspaceName } from './schema.ts'
import { findKitExported, findSealedKey, findWorkspace, insertWorkspace, listBeingDeleted, listSealed, writeKitExported } from './store.ts'

const RecoveryKit = z.object({
  format: z.literal('svc-recovery-kit-1'),
  master_key: z.string().regex(/^[0-9a-f]{64}$/),
  master_key_id: z.string(),
  workspaces: z.array(z.object({ id: z.string().regex(/^ws_[0-9a-z]{26}$/), name: WorkspaceName, sealed_key: z.base64() })),
})
export type RecoveryKit = z.infer<typeof RecoveryKit>

type Here = Pick<World, 'db' | 'masterKey'>

/** What reads the backups if this machine is lost: the master key, and every workspace's key sealed under it. */
export async function exportKit({ db, masterKey, now }: Here & Pick<World, 'now'>): Promise<RecoveryKit> {
  const workspaces = await listSealed(db)
  if (workspaces.some(({ sealed_key }) => sealedUnder(Buffer.from(sealed_key, 'base64')) !== masterKey.id))
    throw new Problem('conflict', 'The master key is being replaced right now; call again.')
  await writeKitExported(
    db,
    workspaces.map(({ id }) => id),
    { keyId: masterKey.id, now: now() },
  )
  const master_key = Buffer.from(masterKey.bytes).toString('hex')
  return { format: 'svc-recovery-kit-1', master_key, master_key_id: masterKey.id, workspaces }
}

/** Whether a recovery kit that was printed brings this workspace back, and of when it is. */
export async function kitOf(here: Db): Promise<KitState> {
  const found = await findKitExported(here)
  if (!found?.exported_at) return { state: 'never', exported_at: null }
  const isOfNow = found.key_id === sealedUnder(Buffer.from(found.sealed_key, 'base64'))
  return { state: isOfNow ? 'current' : 'older_than_key', exported_at: found.exported_at.toISOString() }
}

/** Reads a kit from its file. What is wrong with it is said without repeating it. */
export function readKit(file: string): { kit: RecoveryKit; masterKey: MasterKey } {
  const problem = (why: string, cause?: unknown) => new Problem('invalid_payload', `${file} ${why}.`, { cause })
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw problem('cannot be read', cause)
  }
  const parsed = RecoveryKit.safeParse(jsonOf(text))
  if (!parsed.success) throw problem('is not a recovery kit as keys export prints it')
  const masterKey = masterKeyOf(Buffer.from(parsed.data.master_key, 'hex'))
  if (masterKey.id !== parsed.data.master_key_id) throw problem('is damaged: its master key is not the one it names')
  return { kit: parsed.data, masterKey }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface Imported {
  added: string[]
  known: string[]
}

/** Brings the workspaces of a kit in, all or none, sealed under this installation's own master key. Those that are here already stay as they are. */
export function importKit({ db, masterKey }: Here, { kit, masterKey: kitKey }: ReturnType<typeof readKit>): Promise<Imported> {
  return db.transaction().execute(async (tx) => {
    const imported: Imported = { added: [], known: [] }
    const goes = new Set(await listBeingDeleted(tx))
    for (const { id, name, sealed_key } of kit.workspaces) {
      const key = keyOf(kitKey, id, sealed_key)
      if (goes.has(id))
        throw new Problem('conflict', `The workspace ${id} is being deleted: bring it in once that is over (workspace deletions).`)
      const here = await findSealedKey(tx, id)
      if (here !== undefined && !openKey(masterKey, id, here).equals(key))
        throw new Problem('conflict', `The workspace ${id} is here already, with another key.`, { retryable: false })
      const sealedKey = sealKey(masterKey, id, key)
      // Somebody may have begun anew under the same name.
      const free = (await findWorkspace(tx, name)) ? `${name.slice(0, 80)} (${id.slice(-6)})` : name
      if (here === undefined && !(await insertWorkspace(tx, { id, name: free, sealedKey, masterKeyId: masterKey.id })))
        throw new Problem('conflict', 'The master key is being replaced right now; call again.')
      imported[here === undefined ? 'added' : 'known'].push(id)
    }
    return imported
  })
}

function keyOf(master: MasterKey, id: string, sealed: string): Buffer {
  try {
    return openKey(master, id, sealed)
  } catch (cause) {
    throw new Problem('invalid_payload', `The kit is damaged: the key of ${id} does not open.`, { cause })
  }
}
