// Files so large that a site cannot read one through in a request: those that nobody touched need not be read.
import type { FileEntry } from '../backups/engine/file-record.ts'

export const TOO_LARGE = 2 ** 30

/** The same file that the backup was made of: whatever is written to it changes the second time of it, which nobody can set. */
export function isUntouched(
  entry: Pick<FileEntry, 'size' | 'mtime' | 'ctime' | 'inode'>,
  live: { s: number; mt: number; ct: number; i: number },
): boolean {
  const { size, mtime, ctime, inode } = entry
  return size > TOO_LARGE && inode > 0 && size === live.s && mtime === live.mt && ctime === live.ct && inode === live.i
}
