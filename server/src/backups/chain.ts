// The backups of a workspace are numbered. The number stands in the database, in each manifest and, as the name of a small sealed object,
// in the store: whoever puts back an older state of one of them is found out by the others; of all of them, by a note on this machine.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { open, seal } from '../platform/master-key.ts'
import { ObjectMissing } from '../platform/storage.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context, Db } from '../world.ts'
import { blobReader } from './blobs.ts'
import { readManifest } from './engine/manifest.ts'
import { PackDamage } from './engine/pack-format.ts'
import type { ReadBlob } from './engine/record-tree.ts'

type Here = Pick<Context, 'config' | 'db' | 'masterKey' | 'now' | 'storage' | 'workspaceId'>

/** So many of the newest stay, in case one is lost. */
const kept = 3
const DIGITS = 12
const links = (workspaceId: string) => `w/${workspaceId}/chain/`
const linkKey = (workspaceId: string, number: number) => `${links(workspaceId)}${String(number).padStart(DIGITS, '0')}`
const sealContext = (workspaceId: string, number: number) => `backup ${number} of ${workspaceId}`

/** The number of a backup that is about to be completed; one that comes to nothing leaves a gap. */
export async function nextInChain({ db, workspaceId }: Db): Promise<number> {
  const { rows } = await sql<{ n: string }>`UPDATE workspaces SET chain = chain + 1 WHERE id = ${workspaceId} RETURNING chain AS n`.execute(
    db,
  )
  return Number(rows[0]?.n ?? 0)
}

/** Before the backup of that number is called completed: the store knows of it from then on. */
export async function writeLink(here: Here, number: number, backupId: string): Promise<void> {
  const key = await workspaceKey(here, here.workspaceId)
  await here.storage.put(linkKey(here.workspaceId, number), seal(key, Buffer.from(backupId), sealContext(here.workspaceId, number)))
  for (const older of (await linksIn(here)).slice(0, -kept)) await here.storage.delete(linkKey(here.workspaceId, older))
  if (number > (await noted(here))) await note(here, number)
}

const noteOf = ({ config, workspaceId }: Pick<Here, 'config' | 'workspaceId'>) => join(config.dataDir, 'chain', workspaceId)

/** The highest number this machine has seen, as far as it remembers. */
async function noted(here: Here): Promise<number> {
  return Number(await readFile(noteOf(here), 'utf8').catch(() => '')) || 0
}

async function note(here: Here, number: number): Promise<void> {
  const file = noteOf(here)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Others may be noting the same workspace.
  const own = `${file}.${randomUUID()}`
  await writeFile(own, String(number))
  await rename(own, file)
}

/** Ascending. */
async function linksIn({ storage, workspaceId }: Here): Promise<number[]> {
  const found: number[] = []
  for await (const { key } of storage.list(links(workspaceId))) {
    const name = key.slice(links(workspaceId).length)
    if (/^\d+$/.test(name) && name.length === DIGITS) found.push(Number(name))
  }
  return found.sort((a, b) => a - b)
}

/** The highest number the store knows that was written by somebody with the key; 0: none. */
export async function lastLink(here: Here): Promise<number> {
  const key = await workspaceKey(here, here.workspaceId)
  for (const number of (await linksIn(here)).toReversed()) if (await isOurs(here, key, number)) return number
  return 0
}

async function isOurs(here: Here, key: Parameters<typeof open>[0], number: number): Promise<boolean> {
  const sealed = await here.storage.get(linkKey(here.workspaceId, number)).catch((error: unknown) => {
    if (error instanceof ObjectMissing) return undefined
    throw error
  })
  if (!sealed) return false
  try {
    open(key, sealed, sealContext(here.workspaceId, number))
    return true
  } catch {
    return false // Whoever wrote it has not got the key.
  }
}

/** What does not fit between the database, the manifests and the store, in sentences; none: all is of one time. */
export async function checkChain(here: Here, { manifests = true }: { manifests?: boolean } = {}): Promise<string[]> {
  const rows = await numbered(here)
  const last = await lastLink(here)
  const { rows: counters } = await sql<{ n: string }>`SELECT chain AS n FROM workspaces WHERE id = ${here.workspaceId}`.execute(here.db)
  const counter = Number(counters[0]?.n ?? 0)
  const newest = Math.max(0, ...rows.map(({ chain }) => chain ?? 0))
  const found: string[] = []
  if (last > counter)
    found.push(`The store knows backup number ${last}, the database none after ${counter}: the database is of an older time.`)
  // A list may lag behind; the object itself does not.
  if (newest > last && !(await isOurs(here, await workspaceKey(here, here.workspaceId), newest)))
    found.push(`The database knows backup number ${newest}, the store none after ${last}: the store is of an older time.`)
  if (newest > counter)
    found.push(`The database has counted ${counter} backups and lists number ${newest}: a part of it is of an older time.`)
  const seen = await noted(here)
  if (seen > Math.max(counter, last))
    found.push(
      `This machine has seen backup number ${seen}; database and store know none after ${Math.max(counter, last)}: both are of an older time.`,
    )
  if (!manifests) return found
  const read = await blobReader(here, here.workspaceId)
  for (const row of rows) found.push(...(await unlike(row, read)))
  return found
}

interface Numbered {
  id: string
  site_id: string
  manifest: string
  chain: number | null
}

async function numbered({ db, workspaceId }: Here): Promise<Numbered[]> {
  const { rows } = await sql<Numbered & { chain: string | null }>`SELECT id, site_id, manifest, chain FROM backups
    WHERE workspace_id = ${workspaceId} AND status = 'completed' AND manifest IS NOT NULL ORDER BY id`.execute(db)
  return rows.map((row) => ({ ...row, chain: row.chain === null ? null : Number(row.chain) }))
}

async function unlike({ id, site_id, manifest, chain }: Numbered, read: ReadBlob): Promise<string[]> {
  try {
    const { backup, site, facts } = await readManifest(manifest, read)
    const number = typeof facts.chain === 'number' ? facts.chain : null
    if (backup === id && site === site_id && number === chain) return []
    return [`The list of ${id} (number ${chain ?? 'none'}) is that of ${backup} of ${site} (number ${number ?? 'none'}).`]
  } catch (error) {
    // That it is lost is found elsewhere.
    if (error instanceof PackDamage || error instanceof ObjectMissing) return []
    throw error
  }
}

/** After the index was made anew: the count goes on after everything that was found, and nothing later is missed any more. */
export async function liftCounter(here: Here): Promise<void> {
  const last = await lastLink(here)
  const { rows } = await sql<{ n: string }>`UPDATE workspaces SET chain = greatest(chain, ${last},
    (SELECT coalesce(max(b.chain), 0) FROM backups b WHERE b.workspace_id = ${here.workspaceId})) WHERE id = ${here.workspaceId}
    RETURNING chain AS n`.execute(here.db)
  const number = Number(rows[0]?.n ?? 0)
  if (number > last) await writeLink(here, number, 'rebuilt')
  await note(here, number)
}
