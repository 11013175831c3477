import type { DatedDb, Db } from '../world.ts'
import type { Previous } from './engine/file-plan.ts'
import { type Manifest, readFiles, readManifest, readTables } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { PreviousDatabase } from './engine/pull-database.ts'
import type { ReadBlob } from './engine/record-tree.ts'
import type { Backup } from './schema.ts'
import { latestHolding } from './store.ts'

/** What a backup builds on, decided once: a later attempt goes on with the same. */
export interface Plan {
  /** The backup it is compared with; where files and database have different ones, that of the files. */
  parent: Parent | null
  /** 0: everything is read. */
  increment: number | null
  started_at: string
  /** The site's clock when it began, in unix seconds. */
  site_time: number
  database: { parent: Parent | null; increment: number } | null
}
type Parent = { id: string; manifest: string }

/** Every so many backups everything is read, so that a change that shows in no date, no size and no digest is found. */
const readAllEvery = 7

export async function planBackup(here: DatedDb, siteId: string, type: Backup['type'], siteTime: number): Promise<Plan> {
  const files = type === 'db' ? null : await planPart(here, siteId, 'files')
  const database = type === 'files' ? null : await planPart(here, siteId, 'db')
  const { parent, increment } = files ?? database ?? { parent: null, increment: null }
  return { parent, increment, started_at: here.now().toISOString(), site_time: siteTime, database }
}

async function planPart(here: Db, siteId: string, part: 'files' | 'db') {
  const latest = await latestHolding(here, siteId, part)
  const increment = latest?.increment == null ? 0 : (latest.increment + 1) % readAllEvery
  return { parent: latest ? { id: latest.id, manifest: latest.manifest } : null, increment }
}

/** Told of a backup before, when it turns out to be damaged. */
export type OnDamage = (backupId: string, error: PackDamage) => Promise<void>

/** The files of the backup before; without them, because they cannot be read or are gone, all is read anew. */
export async function previousOf({ parent, increment }: Plan, read: ReadBlob, onDamage: OnDamage): Promise<Previous | undefined> {
  const manifest = await readable(parent, read, onDamage)
  if (!manifest) return undefined
  const began = typeof manifest.facts.site_time === 'number' ? manifest.facts.site_time : Date.parse(manifest.started_at) / 1000
  return { entries: asFarAsReadable(manifest.backup, readFiles(manifest, read), onDamage), startedAt: began, readAll: increment === 0 }
}

/** The tables of the backup before; where they cannot be read or are gone, there are none. */
export async function previousDatabase({ database }: Plan, read: ReadBlob, onDamage: OnDamage): Promise<PreviousDatabase | undefined> {
  const manifest = await readable(database?.parent ?? null, read, onDamage)
  if (!database || !manifest?.database) return undefined
  const entries = asFarAsReadable(manifest.backup, readTables(manifest, read), onDamage)
  return { id: manifest.backup, entries, increment: database.increment }
}

async function readable(parent: Parent | null, read: ReadBlob, onDamage: OnDamage): Promise<Manifest | undefined> {
  if (!parent) return undefined
  try {
    return await readManifest(parent.manifest, read)
  } catch (error) {
    if (!(error instanceof PackDamage)) throw error
    await onDamage(parent.id, error)
    return undefined
  }
}

async function* asFarAsReadable<Entry>(id: string, entries: AsyncIterable<Entry>, onDamage: OnDamage): AsyncGenerator<Entry> {
  try {
    yield* entries
  } catch (error) {
    if (!(error instanceof PackDamage)) throw error
    await onDamage(id, error)
  }
}
