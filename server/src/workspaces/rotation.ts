import { Problem } from '../kernel/problem.ts'
import { adoptMasterKey, dropStagedKeys, type MasterKey, stageMasterKey } from '../platform/master-key.ts'
import type { World } from '../world.ts'
import { openKey, sealKey } from './keys.ts'
import { holdMasterKeyId, listSealedPeople, listSealedWithDeleted, replacePeoplesKeys, replaceSealedKeys, setMasterKeyId } from './store.ts'

/** What has just been done; whatever stops the rotation there, a start afterwards opens everything. */
export type RotationStep = 'held' | 'staged' | 'rewrapped' | 'recorded' | 'committed' | 'adopted'

/**
 * Replaces the master key. Order: new key durable beside the old one → all workspaces' and people's keys sealed under it and its id recorded, in one
 * transaction → the new file takes the old one's place. In between, the database tells which of the two files is the right one.
 */
export async function rotateMasterKey(
  { db, config, masterKey }: Pick<World, 'db' | 'config' | 'masterKey'>,
  reached: (step: RotationStep) => void = () => undefined,
) {
  const file = config.masterKeyFile
  const from = masterKey.id
  const { fresh, workspaces } = await db.transaction().execute(async (tx) => {
    if ((await holdMasterKeyId(tx)) !== masterKey.id)
      throw new Problem('conflict', 'Somebody else has just replaced the master key.', { retryable: false })
    reached('held')
    const next = stage(file)
    reached('staged')
    const sealed = await listSealedWithDeleted(tx)
    const rewrap = ({ id, sealed_key }: { id: string; sealed_key: string }) => ({
      id,
      sealed_key: sealKey(next, id, openKey(masterKey, id, sealed_key)),
    })
    await replaceSealedKeys(tx, sealed.map(rewrap))
    await replacePeoplesKeys(tx, (await listSealedPeople(tx)).map(rewrap))
    reached('rewrapped')
    await setMasterKeyId(tx, next.id)
    reached('recorded')
    return { fresh: next, workspaces: sealed.length }
  })
  reached('committed')
  adoptMasterKey(file, fresh.id)
  reached('adopted')
  masterKey.renew(fresh.id)
  return { master_key_id: fresh.id, replaced: from, workspaces }
}

function stage(file: string): MasterKey {
  try {
    dropStagedKeys(file)
    return stageMasterKey(file)
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    throw new Problem('conflict', `No new key can be written beside ${file} (${code}); nothing was changed.`, { cause, retryable: false })
  }
}
