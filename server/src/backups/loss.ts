// What of a backup is lost. No content is read for it, but the lists and the packs that are not as they were.
import { logEvent } from '../activity/service.ts'
import { Problem } from '../kernel/problem.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Here } from '../world.ts'
import { blobReader } from './blobs.ts'
import { deriveKeys } from './engine/blob-id.ts'
import { listBlobs, type Manifest, readFiles, readManifest, readOmissions, readTables } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { showPath } from './engine/site-path.ts'
import { LostBlobs } from './lost-blobs.ts'
import { findStoredBackup, recordLoss } from './store.ts'

export interface Loss {
  files: number
  tables: number
  /** A part of the lists themselves cannot be read, so nobody knows what else. */
  lists: boolean
  /** The first ten, by names that the site gave. */
  sample: string[]
}

/** The part of a backup that matters. */
export interface Wanted {
  files: boolean
  tables: boolean
  hasPath(root: string, path: Buffer): boolean
  hasTable(name: string): boolean
}

const named = 10
const batch = 5_000
const everything: Wanted = { files: true, tables: true, hasPath: () => true, hasTable: () => true }

/** Null when all of it is there, as far as the packs tell. */
export async function lossOf(here: Here, manifest: string, wanted: Wanted = everything): Promise<Loss | null> {
  const read = await blobReader(here, here.workspaceId)
  const lost = await lostBlobs(here)
  const loss: Loss = { files: 0, tables: 0, lists: false, sample: [] }
  const listed = async (list: () => Promise<void>) => {
    await list().catch((error: unknown) => {
      if (!(error instanceof PackDamage)) throw error
      loss.lists = true
    })
  }
  await listed(async () => {
    const whole = await readManifest(manifest, read)
    if (wanted.files) {
      await listed(() => addLost(filesOf(whole, read, wanted), lost, { loss, what: 'files' }))
      await listed(() => drain(readOmissions(whole, read)))
    }
    if (wanted.tables) await listed(() => addLost(tablesOf(whole, read, wanted), lost, { loss, what: 'tables' }))
  })
  return loss.files + loss.tables > 0 || loss.lists ? loss : null
}

async function lostBlobs(here: Here): Promise<LostBlobs> {
  const keys = deriveKeys(here.workspaceId, (await workspaceKey(here, here.workspaceId)).bytes)
  return new LostBlobs({ ...here, keys })
}

/** Whether a part of the lists of a backup is lost, as far as the packs tell: the lists themselves are not read. */
export async function lacksLists(here: Here, manifest: Manifest, read: ReadBlob): Promise<boolean> {
  const lost = await lostBlobs(here)
  let ids: string[] = []
  for await (const id of listBlobs(manifest, read)) {
    ids.push(id)
    if (ids.length < batch) continue
    if ((await lost.among(ids)).size > 0) return true
    ids = []
  }
  return (await lost.among(ids)).size > 0
}

type Named = { name: string; blobs: string[] }

async function* filesOf(manifest: Manifest, read: ReadBlob, wanted: Wanted): AsyncGenerator<Named> {
  for await (const { root, path, blobs } of readFiles(manifest, read))
    if (wanted.hasPath(root, path)) yield { name: `${root}/${showPath(path)}`, blobs }
}

async function* tablesOf(manifest: Manifest, read: ReadBlob, wanted: Wanted): AsyncGenerator<Named> {
  for await (const { name, ranges } of readTables(manifest, read))
    if (wanted.hasTable(name)) yield { name: `the table ${name}`, blobs: ranges.flatMap((range) => range.blobs) }
}

/** Counts what lacks a blob; something that comes in several parts, once. */
async function addLost(
  all: AsyncIterable<Named>,
  lost: LostBlobs,
  { loss, what }: { loss: Loss; what: 'files' | 'tables' },
): Promise<void> {
  let last: string | undefined
  const some: Named[] = []
  let size = 0
  const settle = async () => {
    const gone = await lost.among([...new Set(some.flatMap(({ blobs }) => blobs))])
    for (const { name, blobs } of some.splice(0)) {
      if (name === last || !blobs.some((id) => gone.has(id))) continue
      last = name
      loss[what] += 1
      if (loss.sample.length < named) loss.sample.push(name)
    }
    size = 0
  }
  try {
    for await (const one of all) {
      some.push(one)
      size += one.blobs.length
      if (size >= batch) await settle()
    }
  } finally {
    await settle()
  }
}

async function drain(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _record of records);
}

/** Marks a backup and tells, the first time. */
export async function markLost(here: Here, { id, site_id }: { id: string; site_id: string }, loss: Loss): Promise<void> {
  await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    const { files, tables, sample, lists } = loss
    const isNew = await recordLoss(within, id, { files, tables, sample: [...(lists ? ['the list of what it holds'] : []), ...sample] })
    if (!isNew) return
    const by = { type: 'system', id: 'backups', name: 'Backups' } as const
    const summary = 'A backup is damaged: the store has lost a part of it'
    await logEvent(within, { siteId: site_id, category: 'backup', summary, notes: id, by, internal: true })
  })
  here.changed(here.workspaceId, [site_id])
}

/** In words of ours alone. */
export function lossInWords({ files, tables, lists }: Loss): string {
  if (lists) return 'a part of the list of what it holds cannot be read'
  if (files + tables === 0) return 'a part of it cannot be read'
  const counted = [files > 0 && many(files, 'file'), tables > 0 && many(tables, 'table')].filter(Boolean)
  return `${counted.join(' and ')} of it ${files + tables === 1 ? 'is' : 'are'} lost`
}

const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** What to throw when a backup that was read turned out to be damaged: then it is marked. Any other error stays as it is. */
export async function damageOf(here: Here, backupId: string, error: unknown): Promise<unknown> {
  if (!(error instanceof PackDamage)) return error
  const backup = await findStoredBackup(here.db, backupId)
  if (!backup || backup.manifest === null) return error
  const loss = await lossOf(here, backup.manifest)
  if (!loss) return error
  await markLost(here, backup, loss)
  return new Problem('damaged', `This backup is damaged: ${lossInWords(loss)}. ${instead}`, { cause: error })
}

/** What to do about it. */
export const instead =
  'Restore another one, or parts that are whole; the list of backups names what is lost. If the store was repaired, verify this one again.'
