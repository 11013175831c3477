import { setImmediate as breathe } from 'node:timers/promises'
import { pathBytes, sitePath } from '../../connector/site-text.ts'
import { isIntact, OpenFile, type Outcome, readAgain } from './file-content.ts'
import { entryOf, PIECE_BYTES, type Step } from './file-plan.ts'
import { type Got, type ReadRequest, sameStat } from './file-reads.ts'
import { type FileEntry, fileRecord } from './file-record.ts'
import type { Cursor, Listed } from './file-walk.ts'
import { type FilesCounts, type FilesState, noFiles, type Partial, reopen, storePartial } from './files-state.ts'
import { type FilesPart, type Omission, omissionRecord } from './manifest.ts'
import type { Packer } from './packer.ts'
import { type ReadBlob, RecordWriter } from './record-tree.ts'

export type Stores = { packer: Pick<Packer, 'add' | 'newFile'>; readBlob: ReadBlob }
/** Whether content is not what the backup before has. */
export type Renewed = (file: Listed, sha256: string | null) => boolean

// After so many records the event loop gets a turn.
const BREATH = 250

/** Takes what was read, in walk order, and turns it into blobs and the records of the manifest. */
export class FilesCollector {
  readonly counts: FilesCounts
  /** Bytes whose content is known: read, or taken over from an earlier attempt. */
  bytes: number
  readonly #stores: Stores
  readonly #files: RecordWriter
  readonly #omissions: RecordWriter
  #cursor: FilesState['cursor']
  #partial: Partial | null
  #open: OpenFile | null = null
  #settled: Listed | null = null
  readonly #renewed: Renewed
  #written = 0

  constructor(stores: Stores, resume: FilesState | null, partial: Partial | null, renewed: Renewed) {
    this.#stores = stores
    this.#renewed = renewed
    this.counts = { ...(resume?.counts ?? noFiles()) }
    this.bytes = this.counts.bytes
    this.#files = new RecordWriter(this.#store, resume?.nodes)
    this.#omissions = new RecordWriter(this.#store, resume?.omissions)
    this.#cursor = resume?.cursor ?? null
    this.#partial = partial
  }

  /** Where the walk of the first root goes on. */
  get cursor(): Cursor | null {
    return this.#cursor && { path: pathBytes(this.#cursor.p), isDirectory: this.#cursor.directory }
  }

  /** What is in no root at all. */
  async leave(omissions: Omission[]): Promise<void> {
    for (const omission of omissions) {
      await this.#omissions.write(omissionRecord(omission))
      this.counts[omission.kind] += 1
    }
  }

  startRoot(): void {
    this.#cursor = null
  }

  /** How many bytes at the beginning of this file an earlier attempt has stored. */
  readonly storedOf = (file: Listed): number => (this.#partial && this.#continues(file, this.#partial) ? this.#partial.received : 0)

  async consume(unit: Step[], got: Got[], request: ReadRequest): Promise<void> {
    const outcomes: Promise<Outcome>[] = []
    const adds: Promise<unknown>[] = []
    let next = 0
    for (const step of unit) {
      if (step.kind === 'keep') outcomes.push(Promise.resolve({ entry: step.entry, renewed: step.renewed }))
      else if (step.kind === 'omit') outcomes.push(Promise.resolve({ omission: step.omission }))
      else outcomes.push(...(await this.#take(step, got[next++], request, adds)))
    }
    await Promise.all(adds)
    for (const outcome of outcomes) await this.#write(await outcome)
  }

  async state(root: string, roots: string[], slice_bytes: number): Promise<FilesState> {
    const { nodes, omissions } = await this.#cut()
    const partial = this.#open && this.#open.file.size > PIECE_BYTES ? await storePartial(this.#open, this.#store) : null
    return { root, roots, cursor: this.#cursor, nodes, omissions, counts: { ...this.counts }, partial, slice_bytes }
  }

  async part(where: Pick<FilesPart, 'roots' | 'places' | 'looked'>): Promise<FilesPart> {
    return { ...where, ...(await this.#cut()), ...this.counts }
  }

  async #take({ piece, last }: Extract<Step, { kind: 'read' }>, got: Got | undefined, request: ReadRequest, adds: Promise<unknown>[]) {
    const { file, length } = piece
    if (!got || this.#settled === file) return []
    this.#open ??= await this.#openFile(file)
    if (!isIntact(got, file, length)) {
      this.#open.giveUp()
      this.#open = null
      this.#settled = file
      const { entry, ...rest } = await readAgain(request, file, got, this.#newFile)
      return [Promise.resolve({ ...rest, ...(entry && { entry, renewed: this.#renewed(file, entry.sha256) }) })]
    }
    this.bytes += got.bytes.length
    const open = this.#open
    adds.push(open.take(got.bytes))
    if (!last) return []
    this.#open = null
    const outcome = open
      .content()
      .then((content) => ({ entry: entryOf(request.root, file, content), renewed: this.#renewed(file, content.sha256) }))
    // Awaited in its turn; until then a failure must not count as unhandled.
    outcome.catch(() => undefined)
    return [outcome]
  }

  async #openFile(file: Listed): Promise<OpenFile> {
    const partial = this.#partial
    if (!partial || !this.#continues(file, partial)) return new OpenFile(file, this.#newFile())
    this.#partial = null
    return reopen(file, partial, this.#stores.readBlob, this.#newFile())
  }

  #continues(file: Listed, partial: Partial): boolean {
    return pathBytes(partial.p).equals(file.path) && sameStat(partial, file)
  }

  async #write({ entry, omission, renewed }: Outcome): Promise<void> {
    if (entry) {
      await this.#files.write(fileRecord(entry))
      this.#count(entry)
      if (renewed) this.counts.renewed += 1
    }
    if (omission) {
      await this.#omissions.write(omissionRecord(omission))
      this.counts[omission.kind] += 1
    }
    this.#moveCursor(entry ?? omission)
    if (++this.#written % BREATH === 0) await breathe()
  }

  #count({ type, size }: FileEntry): void {
    this.counts[type === 'file' ? 'files' : type === 'directory' ? 'directories' : 'links'] += 1
    this.counts.bytes += size
  }

  #moveCursor(at: FileEntry | Omission | undefined): void {
    if (at) this.#cursor = { p: sitePath(at.path), directory: 'type' in at && at.type === 'directory' }
  }

  async #cut() {
    return { nodes: await this.#files.cut(), omissions: await this.#omissions.cut() }
  }

  readonly #newFile = () => this.#stores.packer.newFile()
  readonly #store = (bytes: Uint8Array) => this.#stores.packer.add('manifest', bytes)
}
