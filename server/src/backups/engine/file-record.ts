// A file, folder or link as a backup's list has it.
import { z } from 'zod'
import { Place, pathBytes, SitePath, sitePath } from '../../connector/site-text.ts'

/** `changed`: the file was still changing after the last try, so its content may be mixed. Times in seconds, sizes in bytes. */
export type FileEntry = {
  root: string
  path: Buffer
  type: 'file' | 'directory' | 'link'
  mode: number
  mtime: number
  ctime: number
  inode: number
  size: number
  sha256: string | null
  blobs: string[]
  target: Buffer | null
  changed: boolean
}

const FileRecord = z.strictObject({
  r: z.string(),
  p: SitePath,
  t: z.enum(['f', 'd', 'l']),
  m: z.int(),
  mt: z.int(),
  ct: z.int(),
  i: z.int(),
  s: z.int().min(0),
  h: z.string().optional(),
  b: z.array(z.string()).optional(),
  to: Place.optional(),
  changed: z.literal(true).optional(),
})
const LETTERS = { file: 'f', directory: 'd', link: 'l' } as const
const TYPES = { f: 'file', d: 'directory', l: 'link' } as const

export function fileRecord(entry: FileEntry): z.infer<typeof FileRecord> {
  return {
    r: entry.root,
    p: sitePath(entry.path),
    t: LETTERS[entry.type],
    m: entry.mode,
    mt: entry.mtime,
    ct: entry.ctime,
    i: entry.inode,
    s: entry.size,
    ...(entry.sha256 === null ? {} : { h: entry.sha256 }),
    ...(entry.blobs.length > 0 ? { b: entry.blobs } : {}),
    ...(entry.target ? { to: sitePath(entry.target) } : {}),
    ...(entry.changed ? { changed: true } : {}),
  }
}

export function fileEntry(record: unknown): FileEntry {
  const { r, p, t, m, mt, ct, i, s, h, b, to, changed } = FileRecord.parse(record)
  return {
    root: r,
    path: pathBytes(p),
    type: TYPES[t],
    mode: m,
    mtime: mt,
    ctime: ct,
    inode: i,
    size: s,
    sha256: h ?? null,
    blobs: b ?? [],
    target: to === undefined ? null : pathBytes(to),
    changed: changed ?? false,
  }
}
