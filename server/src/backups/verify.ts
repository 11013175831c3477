import { createHash } from 'node:crypto'
import { Problem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import { blobReader } from './blobs.ts'
import { type FileEntry, type Manifest, readFiles, readManifest, readOmissions, readTables } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { showPath } from './engine/site-path.ts'
import { recordVerification, type StoredBackup } from './store.ts'

export interface Verification {
  backup_id: string
  ok: boolean
  files: number
  tables: number
  /** Of content that was read back whole. */
  bytes: number
  /** What is damaged or missing, the first hundred. */
  damage: string[]
}

const mostDamage = 100

/** Reads the whole backup back: every blob is decrypted and fits its id, every file fits its SHA-256. Records what came out. */
export async function verifyBackup(
  world: World,
  { workspace_id: workspaceId, id, manifest }: StoredBackup & { manifest: string },
): Promise<Verification> {
  const read = await blobReader(world, workspaceId)
  const found: Verification = { backup_id: id, ok: true, files: 0, tables: 0, bytes: 0, damage: [] }
  await noting(found, 'the manifest', async () => {
    const whole = await readManifest(manifest, read)
    await noting(found, 'the list of files', () => checkFiles(whole, read, found))
    await noting(found, 'the list of tables', () => checkTables(whole, read, found))
    await noting(found, 'the list of what was left out', () => drain(readOmissions(whole, read)))
  })
  await recordVerification({ ...world, workspaceId }, id, found.ok ? 'content' : 'damaged')
  return found
}

async function checkFiles(manifest: Manifest, read: ReadBlob, found: Verification): Promise<void> {
  for await (const file of readFiles(manifest, read)) {
    found.files += file.type === 'file' ? 1 : 0
    await noting(found, `${file.root}/${showPath(file.path)}`, () => checkFile(file, read, found))
  }
}

async function checkFile(file: FileEntry, read: ReadBlob, found: Verification): Promise<void> {
  if (file.type !== 'file') return
  const digest = createHash('sha256')
  let size = 0
  for (const id of file.blobs) {
    const bytes = await read(id)
    digest.update(bytes)
    size += bytes.length
  }
  found.bytes += size
  if (size !== file.size || digest.digest('hex') !== file.sha256) throw new PackDamage('its content is not what was backed up')
}

async function checkTables(manifest: Manifest, read: ReadBlob, found: Verification): Promise<void> {
  const names = new Set<string>()
  for await (const { name, ranges } of readTables(manifest, read)) {
    found.tables += names.has(name) ? 0 : 1
    names.add(name)
    for (const { blobs, bytes } of ranges)
      await noting(found, `the table ${name}`, async () => {
        let size = 0
        for (const id of blobs) size += (await read(id)).length
        found.bytes += size
        if (size !== bytes) throw new PackDamage('its rows have another length than was backed up')
      })
  }
}

/** Anything that cannot be read back is damage, and the rest is looked at all the same. */
async function noting(found: Verification, what: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    // A store that does not answer says nothing about what is in it.
    if (error instanceof Problem) throw error
    found.ok = false
    if (found.damage.length < mostDamage) found.damage.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function drain(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _record of records);
}
