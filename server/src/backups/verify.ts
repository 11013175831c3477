import { Problem } from '../kernel/problem.ts'
import type { Here, World } from '../world.ts'
import { blobReader } from './blobs.ts'
import { doubtOf } from './engine/definition.ts'
import type { FileEntry } from './engine/file-record.ts'
import { rowShape, UnknownRows } from './engine/insert-grammar.ts'
import { addRow, InsertReader, noRows, type RowSum } from './engine/insert-rows.ts'
import { type Manifest, readFiles, readManifest, readOmissions, readTables, type TableEntry } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { showPath } from './engine/site-path.ts'
import { lossOf } from './loss.ts'
import { bytesOf, digestOf, type Scratch, UnfitPath } from './scratch.ts'
import { recordLoss, recordVerification, type StoredBackup } from './store.ts'

export interface Verification {
  backup_id: string
  /** Nothing is lost, and nothing stands in the way of a restore. */
  ok: boolean
  files: number
  tables: number
  rows: number
  /** Rows the backup lacks because they were too large for the site to send or to take back; no damage. */
  skipped_rows: number
  /** Of content that was read back whole. */
  bytes: number
  /** What is damaged or missing, the first hundred. */
  damage: string[]
  /** What is all there and yet could not be restored as it is, the first hundred. */
  doubts: string[]
}

export interface Trial {
  signal: AbortSignal
  /** Where files are written out and read again; absent: they are only read from the store. */
  scratch?: Scratch
  /** Gets a sum of the rows of each table. */
  sums?: Map<string, RowSum>
  /** Called often, with what was read so far. */
  say?: (found: Verification) => Promise<void>
}

const mostNamed = 100

/** Reads the whole backup back: every blob is decrypted and fits its id, every file fits its SHA-256, every row is counted. Records what came out. */
export async function verifyBackup(world: World, { workspace_id: workspaceId, id, manifest }: StoredBackup & { manifest: string }) {
  const found = await readWhole({ ...world, workspaceId }, id, manifest, { signal: world.stopping })
  const here = { ...world, workspaceId }
  await recordVerification(here, id, found.damage.length === 0 ? 'content' : 'damaged')
  await nameLost(here, { id, manifest }, found)
  return found
}

/** Says of a damaged backup what is lost, for whoever restores it. */
export async function nameLost(here: Here, { id, manifest }: { id: string; manifest: string }, found: { damage: string[] }) {
  if (found.damage.length === 0) return
  const { files, tables, sample } = (await lossOf(here, manifest)) ?? { files: 0, tables: 0, sample: found.damage.slice(0, 10) }
  await recordLoss(here, id, { files, tables, sample })
}

/** The same, as a part of something larger; records nothing. */
export async function readWhole(here: Here, id: string, manifest: string, trial: Trial): Promise<Verification> {
  const read = await blobReader(here, here.workspaceId)
  const found: Verification = { backup_id: id, ok: true, files: 0, tables: 0, rows: 0, skipped_rows: 0, bytes: 0, damage: [], doubts: [] }
  await noting(found, 'the manifest', trial, async () => {
    const whole = await readManifest(manifest, read)
    await noting(found, 'the list of files', trial, () => checkFiles(whole, read, found, trial))
    await noting(found, 'the list of tables', trial, () => checkTables(whole, read, found, trial))
    await noting(found, 'the list of what was left out', trial, () => drain(readOmissions(whole, read)))
  })
  found.ok = found.damage.length + found.doubts.length === 0
  return found
}

async function checkFiles(manifest: Manifest, read: ReadBlob, found: Verification, trial: Trial): Promise<void> {
  for await (const file of readFiles(manifest, read)) {
    trial.signal.throwIfAborted()
    found.files += file.type === 'file' ? 1 : 0
    await noting(found, `${file.root}/${showPath(file.path)}`, trial, () => checkFile(file, read, found, trial))
    await trial.say?.(found)
  }
}

async function checkFile(file: FileEntry, read: ReadBlob, found: Verification, { scratch, signal }: Trial): Promise<void> {
  if (file.type === 'directory') await scratch?.folder(file)
  if (file.type !== 'file') return
  const { size, sha256 } = scratch ? await scratch.file(file, read, signal) : await digestOf(bytesOf(file.blobs, read, signal))
  found.bytes += size
  if (size !== file.size || sha256 !== file.sha256) throw new PackDamage('its content is not what was backed up')
}

async function checkTables(manifest: Manifest, read: ReadBlob, found: Verification, trial: Trial): Promise<void> {
  const names = new Set<string>()
  for await (const table of readTables(manifest, read)) {
    if (!names.has(table.name)) {
      found.tables += 1
      await noting(found, `the table ${table.name}`, trial, async () => {
        const doubt = doubtOf(table)
        if (doubt !== null) throw new UnknownRows(doubt)
      })
    }
    names.add(table.name)
    for (const range of table.ranges) {
      trial.signal.throwIfAborted()
      found.skipped_rows += range.skipped?.length ?? 0
      await noting(found, `the table ${table.name}`, trial, () => checkRange({ table, range }, read, found, trial))
      await trial.say?.(found)
    }
  }
}

async function checkRange(
  { table, range }: { table: TableEntry; range: TableEntry['ranges'][number] },
  read: ReadBlob,
  found: Verification,
  { signal, sums }: Trial,
): Promise<void> {
  const { blobs, bytes, rows } = range
  const sum = sums?.get(table.name) ?? noRows()
  sums?.set(table.name, sum)
  let size = 0
  let doubt: UnknownRows | undefined
  const reader = new InsertReader(rowShape(table), sums && ((row) => addRow(sum, row)))
  for await (const piece of bytesOf(blobs, read, signal)) {
    size += piece.length
    // What follows is read all the same: whether it is there is another question.
    doubt ??= doubtIn(() => reader.push(piece))
  }
  doubt ??= doubtIn(() => reader.end())
  found.bytes += size
  found.rows += reader.rows
  if (size !== bytes) throw new PackDamage('its rows have another length than was backed up')
  if (doubt) throw doubt
  if (reader.rows !== rows) throw new UnknownRows(`${reader.rows} rows instead of ${rows}`)
}

function doubtIn(act: () => void): UnknownRows | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof UnknownRows) return error
    throw error
  }
  return undefined
}

/** Anything that cannot be read back is damage, and the rest is looked at all the same. */
async function noting(found: Verification, what: string, { signal }: Trial, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    // A store that does not answer says nothing about what is in it, and neither does a disk of ours.
    if (signal.aborted || error instanceof Problem || (error instanceof Error && 'syscall' in error)) throw error
    const list = error instanceof UnknownRows || error instanceof UnfitPath ? found.doubts : found.damage
    if (list.length < mostNamed) list.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function drain(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _record of records);
}
