import { ObjectMissing, type Storage } from '../platform/storage.ts'
import type { WorkspaceKeys } from './engine/blob-id.ts'
import { MANIFEST_FORMAT, Manifest } from './engine/manifest.ts'
import { type Blob, type PackedBlob, type PackFile, packKey, readPack } from './engine/pack.ts'
import { PACK_HEADER_BYTES, PACK_MAGIC, PackDamage } from './engine/pack-format.ts'
import { salvagePack } from './engine/salvage.ts'

/** The beginning of a backup, found in a pack. */
export type Root = Pick<Manifest, 'backup' | 'site' | 'finished_at'> & { manifest: string; chain: number }

export interface ScannedPack {
  file: PackFile
  /** Those that can be read. */
  blobs: PackedBlob[]
  roots: Root[]
  /** What is wrong with the pack as a whole; absent: nothing is. */
  damage?: string
}

const PACK_KEY = /^w\/[^/]+\/p\/[0-9a-f]{2}\/([0-9a-f]{64})$/

/** The SHA-256 a pack's object is named by; undefined for an object that is no pack. */
export function packHash(workspaceId: string, key: string): string | undefined {
  const hash = PACK_KEY.exec(key)?.[1]
  return hash !== undefined && packKey(workspaceId, hash) === key ? hash : undefined
}

/** Reads a whole pack and checks every byte of it; where it is damaged, what can be saved. Undefined: it is gone. */
export async function scanPack(storage: Pick<Storage, 'get'>, keys: WorkspaceKeys, hash: string): Promise<ScannedPack | undefined> {
  const key = packKey(keys.workspace, hash)
  let bytes: Buffer
  try {
    bytes = await storage.get(key)
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
  const salt = bytes.subarray(PACK_MAGIC.length, PACK_HEADER_BYTES)
  const file = { key, hash, size: bytes.length, salt }
  try {
    return { file, ...sorted(readPack(keys, bytes, hash)) }
  } catch (error) {
    if (!(error instanceof PackDamage)) throw error
    return { file, ...sorted(salvagePack(keys, bytes)), damage: error.message }
  }
}

function sorted(found: Iterable<Blob>): { blobs: PackedBlob[]; roots: Root[] } {
  const blobs: PackedBlob[] = []
  const roots: Root[] = []
  for (const { plain, ...blob } of found) {
    blobs.push(blob)
    const root = blob.type === 'manifest' ? rootIn(plain) : undefined
    if (root)
      roots.push({
        manifest: blob.id,
        backup: root.backup,
        site: root.site,
        finished_at: root.finished_at,
        chain: Number(root.facts.chain ?? 0),
      })
  }
  return { blobs, roots }
}

const BEGINNING = `{"format":"${MANIFEST_FORMAT}"`

function rootIn(plain: Buffer): Manifest | undefined {
  if (plain.toString('latin1', 0, BEGINNING.length) !== BEGINNING) return undefined
  return Manifest.safeParse(JSON.parse(plain.toString('utf8'))).data
}
