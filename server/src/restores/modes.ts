// Modes and times of what keeps its place in a restore.
import type { FileEntry } from '../backups/engine/file-record.ts'
import { type SitePath, sitePath } from '../connector/site-text.ts'

/** Sets mode and, of a file, time; `wm` and `wt` are what they were, for the way back. */
export type ModeOp = { k: 'mode'; r: string; p: SitePath; m: number; t?: number; wm: number; wt?: number }

const OWNER = 0o700

/** What a restore sets: of a file no bit that lets it run as somebody else; folders may hand their group on. */
export const modeOf = ({ type, mode }: Pick<FileEntry, 'type' | 'mode'>) => mode & (type === 'directory' ? 0o3777 : 0o777)

/** Folders that PHP could not work in are opened first; what differs is settled last, the deepest first. */
export class Modes {
  readonly #asked: boolean
  readonly #opened: ModeOp[] = []
  readonly #settled: ModeOp[] = []

  /** An older connector knows none of this. */
  constructor(asked: boolean) {
    this.#asked = asked
  }

  get opened(): ModeOp[] {
    return this.#opened
  }

  get settled(): ModeOp[] {
    return this.#settled.toReversed()
  }

  /** A live folder that may be shut to its owner. */
  open({ root, p, m }: { root: string; p: SitePath; m: number }): void {
    if (this.#asked && (m & OWNER) !== OWNER) this.#opened.push({ k: 'mode', r: root, p, m: m | OWNER, wm: m })
  }

  /** A folder of the backup, and its live mode. A folder that has to be made is made open. */
  folder(entry: FileEntry, live: number | undefined): void {
    const m = modeOf(entry)
    const wm = (live ?? m) | OWNER
    if (this.#asked && m !== wm) this.#settled.push({ k: 'mode', r: entry.root, p: sitePath(entry.path), m, wm })
  }

  /** A file whose content is right; false when nothing of it differs. */
  file(entry: FileEntry, live: { m: number; mt: number }): boolean {
    const m = modeOf(entry)
    if (!this.#asked || (m === live.m && entry.mtime === live.mt)) return false
    this.#settled.push({ k: 'mode', r: entry.root, p: sitePath(entry.path), m, t: entry.mtime, wm: live.m, wt: live.mt })
    return true
  }
}
