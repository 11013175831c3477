import { ObjectMissing } from '../platform/storage.ts'
import { insertRebuiltSite } from '../sites/store.ts'
import { knownBlobs } from './blob-store.ts'
import { blobReader } from './blobs.ts'
import { countsOf } from './counts.ts'
import { type Manifest, manifestBlobs, readManifest } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { sharing } from './prune-store.ts'
import { findStatus, type Here, insertRebuiltBackup, type Rebuilt, type Say } from './rebuild-store.ts'
import type { Root } from './scan.ts'
import { BackupId, Trigger } from './schema.ts'
import { recordVerification } from './store.ts'

const batch = 1000

/** The rows of the backups whose beginnings were found, and of their sites. */
export async function rebuildBackups(here: Here, roots: Root[], found: Rebuilt, say: Say): Promise<void> {
  const read = await blobReader(here, here.workspaceId)
  const byBackup = Map.groupBy(roots, ({ backup }) => backup)
  say(`${here.workspaceId}: ${found.packs} packs read, ${byBackup.size} backups to look at`)
  for (const [id, attempts] of byBackup) {
    if (!BackupId.safeParse(id).success) continue
    // An attempt that was killed at the end left a manifest too; the last one counts.
    const ordered = attempts.toSorted((a, b) => b.chain - a.chain || (a.finished_at < b.finished_at ? 1 : -1))
    const whole = await firstWhole(here, ordered, read)
    if (whole) await addWhole(here, whole, read, found)
    else if (ordered[0]) await addIncomplete(here, ordered[0], read, found)
  }
}

async function firstWhole(here: Here, roots: Root[], read: ReadBlob): Promise<Root | undefined> {
  for (const root of roots) if (await isWhole(here, root.manifest, read)) return root
  return undefined
}

/** Whether everything the backup needs is in the index; the content itself is not read. */
async function isWhole(here: Here, manifest: string, read: ReadBlob): Promise<boolean> {
  const allKnown = async (ids: Set<string>) => (await knownBlobs(here, [...ids])).size === ids.size
  try {
    let ids = new Set<string>()
    for await (const id of manifestBlobs(manifest, read)) {
      ids.add(id)
      if (ids.size < batch) continue
      if (!(await allKnown(ids))) return false
      ids = new Set()
    }
    return await allKnown(ids)
  } catch (error) {
    if (error instanceof PackDamage || error instanceof ObjectMissing) return false
    throw error
  }
}

async function addWhole(here: Here, root: Root, read: ReadBlob, found: Rebuilt): Promise<void> {
  const manifest = await readManifest(root.manifest, read)
  await addSite(here, manifest, found)
  const counts = await countsOf(manifest, read)
  const row = { ...rowOf(manifest, root), ...counts, verification: null }
  const inserted = await here.db.transaction().execute(async (db) => {
    const within = { ...here, db }
    // Until then nothing says that its packs are needed, and one may have been taken away meanwhile.
    await sharing(within)
    return (await isWhole(within, root.manifest, read)) ? insertRebuiltBackup(within, here.workspaceId, row) : undefined
  })
  if (inserted === undefined) await addIncomplete(here, root, read, found)
  else if (inserted) found.backups_added.push(root.backup)
  else found.backups_known++
}

/** Shown as damaged where something was lost; where the store is sound it was pruned or never finished, and stays forgotten. */
async function addIncomplete(here: Here, root: Root, read: ReadBlob, found: Rebuilt): Promise<void> {
  const { backup, site, finished_at } = root
  const status = await findStatus(here.db, here.workspaceId, backup)
  const listed = status === 'completed' || (status === undefined && found.damaged.length + found.missing.length > 0)
  found.backups_incomplete.push({ backup, site, finished_at, listed })
  if (!listed) return
  if (status !== undefined) return recordVerification(here, backup, 'damaged')
  const manifest = await readManifest(root.manifest, read)
  await addSite(here, manifest, found)
  // What was left out may be what is lost.
  const counts = await countsOf(manifest.files ? { ...manifest, files: { ...manifest.files, omissions: [] } } : manifest, read)
  await insertRebuiltBackup(here, here.workspaceId, { ...rowOf(manifest, root), ...counts, verification: 'damaged' })
}

async function addSite(here: Here, { site, facts }: Manifest, found: Rebuilt): Promise<void> {
  const url = typeof facts.url === 'string' && URL.canParse(facts.url) ? facts.url : `https://${site}.invalid`
  const home = typeof facts.home === 'string' ? facts.home : url
  if (await insertRebuiltSite(here, { id: site, url, home })) found.sites_added.push(site)
}

function rowOf({ facts, ...manifest }: Manifest, root: Root) {
  return {
    id: root.backup,
    site_id: manifest.site,
    manifest: root.manifest,
    type: manifest.type,
    trigger: Trigger.catch('manual').parse(facts.trigger),
    job_id: typeof facts.job_id === 'string' ? facts.job_id : 'job_unknown',
    started_at: manifest.started_at,
    finished_at: manifest.finished_at,
  }
}
