import { z } from 'zod'
import { RootId, SitePath, sitePath } from '../../connector/site-text.ts'
import { OpenFile } from './file-content.ts'
import type { Listed } from './file-walk.ts'
import { FilesPart } from './manifest.ts'
import type { FileInPacks } from './packer.ts'
import { type ReadBlob, type StoreBlob, TreeNode } from './record-tree.ts'

/** Where a pull of files goes on after a kill. It names blobs only, so it stays below 64 KiB however large the site is. */
export const FilesState = z.strictObject({
  root: RootId,
  // As they were; where they are others now, the pull begins anew.
  roots: z.array(RootId).optional(),
  cursor: z.strictObject({ p: SitePath, directory: z.boolean() }).nullable(),
  nodes: z.array(TreeNode),
  omissions: z.array(TreeNode),
  counts: FilesPart.omit({ roots: true, places: true, looked: true, nodes: true, omissions: true }),
  partial: z.string().nullable(),
  slice_bytes: z.int(),
})
export type FilesState = z.infer<typeof FilesState>
export type FilesCounts = FilesState['counts']

export const noFiles = (): FilesCounts => ({
  files: 0,
  directories: 0,
  links: 0,
  bytes: 0,
  excluded: 0,
  unreadable: 0,
  changed: 0,
  outside: 0,
  renewed: 0,
})

const Partial = z.strictObject({
  p: SitePath,
  size: z.int(),
  mtime: z.int(),
  ctime: z.int(),
  inode: z.int(),
  received: z.int(),
  blobs: z.array(z.string()),
})
/** The beginning of a large file that an earlier attempt has stored. */
export type Partial = z.infer<typeof Partial>

/** Stores what there is of a large file; the blob's id goes into the state. */
export async function storePartial({ file, received, blobs }: OpenFile, store: StoreBlob): Promise<string> {
  const { path, size, mtime, ctime, inode } = file
  const partial: Partial = { p: sitePath(path), size, mtime, ctime, inode, received, blobs: await Promise.all(blobs) }
  return store(Buffer.from(JSON.stringify(partial)))
}

export async function readPartial(id: string, read: ReadBlob): Promise<Partial> {
  return Partial.parse(JSON.parse(Buffer.from(await read(id)).toString('utf8')))
}

/** Opens the file again where the earlier attempt stopped, reading back from the store what its digest needs. */
export async function reopen(file: Listed, partial: Partial, read: ReadBlob, into: FileInPacks): Promise<OpenFile> {
  const open = new OpenFile(file, into)
  for (const id of partial.blobs) await open.recall(id, await read(id))
  return open
}
