import type { World } from '../world.ts'
import type { Previous } from './engine/file-plan.ts'
import { readFiles, readManifest } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import { latestWithFiles } from './store.ts'

/** What a backup builds on, decided once: a later attempt goes on with the same. */
export interface Plan {
  /** The backup it is compared with. */
  parent: { id: string; manifest: string } | null
  /** 0: every file is read. */
  increment: number | null
  started_at: string
  /** The site's clock when it began, in unix seconds. */
  site_time: number
}

/** Every so many backups all files are read, so that a change that shows in no date and no size is found. */
const readAllEvery = 7

export async function planBackup(
  here: Pick<World, 'db' | 'now'> & { workspaceId: string },
  siteId: string,
  hasFiles: boolean,
  siteTime: number,
): Promise<Plan> {
  const latest = hasFiles ? await latestWithFiles(here, siteId) : undefined
  const next = latest?.increment == null ? 0 : (latest.increment + 1) % readAllEvery
  return {
    parent: latest ? { id: latest.id, manifest: latest.manifest } : null,
    increment: hasFiles ? next : null,
    started_at: here.now().toISOString(),
    site_time: siteTime,
  }
}

/** The files of the backup before; without them, because they cannot be read or are gone, all is read anew. */
export async function previousOf({ parent, increment }: Plan, read: ReadBlob): Promise<Previous | undefined> {
  if (!parent) return undefined
  try {
    const manifest = await readManifest(parent.manifest, read)
    const began = typeof manifest.facts.site_time === 'number' ? manifest.facts.site_time : Date.parse(manifest.started_at) / 1000
    return { entries: readFiles(manifest, read), startedAt: began, readAll: increment === 0 }
  } catch (error) {
    if (error instanceof PackDamage) return undefined
    throw error
  }
}
