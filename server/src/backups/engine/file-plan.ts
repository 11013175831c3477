import { setImmediate as breathe } from 'node:timers/promises'
import { malformed } from '../../connector/slice.ts'
import { MAX_ITEMS, MAX_PATH_BYTES, sameStat, type Wanted } from './file-reads.ts'
import type { FileEntry } from './file-record.ts'
import type { Excluded, Listed, ListedPage } from './file-walk.ts'
import type { Omission } from './manifest.ts'
import { PackDamage } from './pack-format.ts'
import { showPath, walkOrder } from './site-path.ts'

/** A file in more than one piece has a piece of this length per blob. */
export const PIECE_BYTES = 4 * 1024 * 1024
// After so many entries the event loop gets a turn.
const BREATH = 250
const MAX_FILE_BYTES = 2 ** 42
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** What is to be done next, in walk order: write down an entry, write down an omission, or read a piece (`last` of its file). */
export type Step =
  | { kind: 'keep'; entry: FileEntry; renewed: boolean }
  | { kind: 'omit'; omission: Omission }
  | { kind: 'read'; piece: Wanted; last: boolean }

/** An earlier backup of the site: its files in walk order, and the unix time at which it began. `readAll`: nothing is taken over from it. */
export type Previous = { entries: AsyncIterable<FileEntry>; startedAt: number; readAll?: boolean }

/** Finds the files that did not move since the earlier backup. Must be asked in walk order. */
export class PreviousFiles {
  readonly #entries: AsyncIterator<FileEntry> | undefined
  readonly #startedAt: number
  readonly #readAll: boolean
  readonly #roots: string[]
  /** What the files that were asked for were. */
  readonly #before = new WeakMap<Listed, FileEntry>()
  #next: FileEntry | undefined
  #ended: boolean

  constructor(previous: Previous | undefined, roots: string[]) {
    this.#entries = previous?.entries[Symbol.asyncIterator]()
    this.#startedAt = previous?.startedAt ?? 0
    this.#readAll = previous?.readAll ?? false
    this.#roots = roots
    this.#ended = !previous
  }

  /** The files of a page that need not be read: they did not move, and their blobs are stored. */
  async unmovedOf(root: string, files: Listed[], stored: (ids: string[]) => Promise<ReadonlySet<string>>): Promise<Map<Listed, FileEntry>> {
    const unmoved = new Map<Listed, FileEntry>()
    for (const [i, file] of files.entries()) {
      if (i % BREATH === 0) await breathe()
      const entry = file.type === 'f' ? await this.#unmoved(root, file) : undefined
      if (entry) unmoved.set(file, entry)
    }
    const there = await stored([...unmoved.values()].flatMap((entry) => entry.blobs))
    for (const [file, entry] of unmoved) if (!entry.blobs.every((id) => there.has(id))) unmoved.delete(file)
    return unmoved
  }

  /** Whether the content is not what the earlier backup has under this name. */
  readonly renewed = (file: Listed, sha256: string | null): boolean => this.#before.get(file)?.sha256 !== sha256

  async #unmoved(root: string, file: Listed): Promise<FileEntry | undefined> {
    while (!this.#ended && (!this.#next || this.#order(this.#next, root, file.path) < 0)) await this.#advance()
    const found = this.#next
    if (!found || this.#order(found, root, file.path) !== 0) return undefined
    this.#before.set(file, found)
    if (this.#readAll) return undefined
    // A file written in the very second it was read may have moved without showing it.
    const settled = Math.max(found.mtime, found.ctime) < this.#startedAt - 1
    return found.type === 'file' && found.sha256 && !found.changed && settled && sameStat(found, file) ? found : undefined
  }

  async #advance(): Promise<void> {
    const next = await this.#entries?.next().catch(orRead)
    this.#ended = !next || next.done === true
    this.#next = next?.done ? undefined : next?.value
  }

  #order(entry: FileEntry, root: string, path: Buffer): number {
    const roots = this.#roots.indexOf(entry.root) - this.#roots.indexOf(root)
    return roots === 0 ? walkOrder(entry.path, path) : roots
  }
}

/** A damaged earlier backup only means that the rest is read anew. */
function orRead(error: unknown): undefined {
  if (!(error instanceof PackDamage)) throw error
}

/** `unitBytes` is about what one request brings. */
export type Planner = {
  root: string
  unitBytes: number
  unmoved: ReadonlyMap<Listed, FileEntry>
  renewed: (file: Listed, sha256: string | null) => boolean
  readFrom: (file: Listed) => number
}

/** Turns one page of the listing into units: runs of steps that together need about one request, or the requests of one piece. */
export function* planUnits(page: ListedPage, planner: Planner): Generator<Step[], void, undefined> {
  let unit: Step[] = []
  let [reads, bytes, paths] = [0, 0, 0]
  for (const step of planSteps(page, planner)) {
    const length = step.kind === 'read' ? step.piece.length : 0
    const path = step.kind === 'read' ? step.piece.file.path.length : 0
    const isFull = bytes + length > planner.unitBytes || reads === MAX_ITEMS || paths + path > MAX_PATH_BYTES
    if (length > 0 && reads > 0 && isFull) {
      yield unit
      unit = []
      reads = bytes = paths = 0
    }
    unit.push(step)
    reads += length > 0 ? 1 : 0
    bytes += length
    paths += path
  }
  if (unit.length > 0) yield unit
}

function* planSteps(page: ListedPage, planner: Planner): Generator<Step, void, undefined> {
  const { root } = planner
  const excluded = page.excluded.toSorted((a, b) => walkOrder(a.path, b.path))
  const omit = ({ path, why }: Excluded): Step => ({ kind: 'omit', omission: { kind: 'excluded', root, path, why } })
  const outside = new Map(page.outside.map(({ path, why }) => [path.toString('latin1'), why]))
  for (const listed of page.entries) {
    while (excluded[0] && walkOrder(excluded[0].path, listed.path) < 0) yield* excluded.splice(0, 1).map(omit)
    yield* planEntry(listed, planner)
    const why = listed.type === 'l' ? outside.get(listed.path.toString('latin1')) : undefined
    if (why !== undefined) yield { kind: 'omit', omission: { kind: 'outside', root, path: listed.path, why } }
  }
  yield* excluded.map(omit)
}

function* planEntry(file: Listed, { root, unmoved, renewed, readFrom }: Planner): Generator<Step, void, undefined> {
  const known = unmoved.get(file)
  if (file.size > MAX_FILE_BYTES) throw malformed(`The site claims that a file has ${file.size} bytes.`, { named: showPath(file.path) })
  if (file.type === 'x')
    yield { kind: 'omit', omission: { kind: 'unreadable', root, path: file.path, why: 'it cannot be read or is a special file' } }
  else if (known) yield { kind: 'keep', entry: entryOf(root, file, known), renewed: false }
  else if (file.type !== 'f') yield { kind: 'keep', entry: entryOf(root, file, { sha256: null, blobs: [] }), renewed: false }
  else if (file.size === 0)
    yield { kind: 'keep', entry: entryOf(root, file, { sha256: EMPTY_SHA256, blobs: [] }), renewed: renewed(file, EMPTY_SHA256) }
  else yield* planPieces(file, readFrom(file))
}

function* planPieces(file: Listed, from: number): Generator<Step, void, undefined> {
  for (let offset = from; offset < file.size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, file.size - offset)
    yield { kind: 'read', piece: { file, offset, length }, last: offset + length === file.size }
  }
}

export function entryOf(root: string, file: Listed, content: { sha256: string | null; blobs: string[] }, changed = false): FileEntry {
  const { path, mode, mtime, ctime, inode, target } = file
  const type = file.type === 'd' ? 'directory' : file.type === 'l' ? 'link' : 'file'
  const size = type === 'file' ? file.size : 0
  return { root, path, type, mode, mtime, ctime, inode, size, ...content, target: type === 'link' ? target : null, changed }
}
