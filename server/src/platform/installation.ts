import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Kysely, sql } from 'kysely'
import type { Config } from '../config.ts'
import { prepareFolder } from './folders.ts'
import { adoptMasterKey, type HeldMasterKey, holdMasterKey, loadMasterKey, type MasterKey, storeMasterKey } from './master-key.ts'
import { Refusal } from './refusal.ts'
import type { Storage } from './storage.ts'
import { openDirectoryStorage } from './storage-directory.ts'

/**
 * The master key of this installation, made on the first start. A rotation that was interrupted after it was recorded is finished here.
 * `offered` is stored where the key's file is missing and it is the right one. Throws `Refusal` for another key than everything is sealed under.
 */
export async function openMasterKey(
  db: Kysely<unknown>,
  { masterKeyFile }: Pick<Config, 'masterKeyFile'>,
  offered?: MasterKey,
): Promise<HeldMasterKey> {
  const expected = await knownKeyId(db)
  if (expected !== undefined && (!existsSync(masterKeyFile) || loadMasterKey(masterKeyFile).id !== expected))
    adoptMasterKey(masterKeyFile, expected)
  if ((expected === undefined || offered) && !existsSync(masterKeyFile))
    prepareFolder(dirname(masterKeyFile), { setting: 'SERVICE_MASTER_KEY_FILE', what: 'the folder of the master key' })
  if (offered && !existsSync(masterKeyFile) && (expected ?? offered.id) === offered.id) storeMasterKey(masterKeyFile, offered)
  if (expected !== undefined && !existsSync(masterKeyFile))
    throw new Refusal(`the master key ${masterKeyFile} is missing; put it back (its id is ${expected}), or nothing sealed can be read`)
  const key = loadMasterKey(masterKeyFile)
  await sql`INSERT INTO installation (fact, value) VALUES ('master_key_id', ${key.id}) ON CONFLICT DO NOTHING`.execute(db)
  const known = await knownKeyId(db)
  if (known !== key.id)
    throw new Refusal(
      `${masterKeyFile} holds the key ${key.id}, but this database is sealed under ${known}: put that one there, or set SERVICE_MASTER_KEY_FILE to where it lies`,
    )
  return holdMasterKey(masterKeyFile, key)
}

/** The id of the key everything in this database is sealed under. */
export async function knownKeyId(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`SELECT value FROM installation WHERE fact = 'master_key_id'`.execute(db)
  return rows[0]?.value
}

/** Where objects go: a directory or a bucket. Other kinds are refused by name. */
export async function openStorage({ storageUrl, dataDir }: Pick<Config, 'storageUrl' | 'dataDir'>): Promise<Storage> {
  if (storageUrl === undefined) return openDirectoryStorage(join(dataDir, 'objects'))
  if (storageUrl.startsWith('file://')) return openNamedDirectory(fileURLToPath(storageUrl))
  if (storageUrl.startsWith('/')) return openNamedDirectory(storageUrl)
  // Only here, because loading the SDK costs every start a fifth of a second and 30 MB.
  if (storageUrl.startsWith('s3://')) return (await import('./storage-s3.ts')).openS3Storage(storageUrl)
  throw new Refusal(`SERVICE_STORAGE_URL takes /path, file:///path or s3://bucket/prefix; "${storageUrl.split(':')[0]}" is not known`)
}

async function openNamedDirectory(root: string): Promise<Storage> {
  prepareFolder(root, { setting: 'SERVICE_STORAGE_URL', what: 'the storage directory' })
  return openDirectoryStorage(root)
}
