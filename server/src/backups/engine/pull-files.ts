import { pathBytes, sitePath } from '../../connector/site-text.ts'
import { isIntact, OpenFile, type Outcome, readAgain } from './file-content.ts'
import { entryOf, PIECE_BYTES, type Previous, PreviousFiles, planUnits, type Step } from './file-plan.ts'
import { type Got, type ReadFiles, type ReadRequest, readPieces, sameStat } from './file-reads.ts'
import { type Listed, type ListFiles, Listing, type RootId, walk } from './file-walk.ts'
import { type FilesCounts, FilesState, noFiles, type Partial, readPartial, reopen, storePartial } from './files-state.ts'
import { type FileEntry, type FilesPart, fileRecord, type Omission, omissionRecord } from './manifest.ts'
import type { Packer } from './packer.ts'
import { type ReadBlob, RecordWriter } from './record-tree.ts'
import { type Report, Reporter, Saver, type SaveState, saveEvery } from './saver.ts'
import { SliceSize } from './slice-size.ts'
import { Turns } from './turns.ts'

/** The site's two verbs, already parsed; errors with `retryable: true` are tried again with smaller slices. */
export type SiteFiles = { list: ListFiles; read: ReadFiles }
export type PullFiles = {
  site: SiteFiles
  roots: RootId[]
  packer: Pick<Packer, 'add' | 'stored' | 'flush'>
  readBlob: ReadBlob
  report: Report
  /** Gets a small JSON value a few times a second at most; what it names is durable by then. */
  checkpoint: SaveState<FilesState>
  /** The last checkpoint of an earlier attempt, or null. */
  resumeFrom: unknown
  signal: AbortSignal
  now: () => Date
  /** The slice size to start with; the learned one comes back. */
  sliceBytes: number
  previous?: Previous
}

const REQUESTS_IN_FLIGHT = 2
const UNITS_AHEAD = 3

/** Reads all files of a site into blobs. When it returns, everything it names is durable and recorded. */
export async function pullFiles(request: PullFiles): Promise<{ part: FilesPart; sliceBytes: number }> {
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  try {
    return await new FilesPull({ ...request, signal }).run()
  } finally {
    stop.abort()
  }
}

class FilesPull {
  readonly #request: PullFiles
  readonly #resume: FilesState | null
  readonly #slice: SliceSize
  readonly #turns = new Turns(REQUESTS_IN_FLIGHT)
  readonly #counts: FilesCounts
  readonly #files: RecordWriter
  readonly #omissions: RecordWriter
  readonly #reporter: Reporter
  #total = 0
  #looked = 0
  #cursor: FilesState['cursor'] = null
  #partial: Partial | null = null
  #open: OpenFile | null = null
  #settled: Listed | null = null

  constructor(request: PullFiles) {
    this.#request = request
    this.#resume = request.resumeFrom ? FilesState.parse(request.resumeFrom) : null
    this.#slice = new SliceSize(this.#resume?.slice_bytes ?? request.sliceBytes)
    this.#counts = { ...(this.#resume?.counts ?? noFiles()) }
    this.#files = new RecordWriter(this.#store, this.#resume?.nodes)
    this.#omissions = new RecordWriter(this.#store, this.#resume?.omissions)
    this.#reporter = new Reporter(request.report, request.now)
    this.#cursor = this.#resume?.cursor ?? null
  }

  async run(): Promise<{ part: FilesPart; sliceBytes: number }> {
    const { roots, packer, checkpoint, now } = this.#request
    if (this.#resume?.partial) this.#partial = await readPartial(this.#resume.partial, this.#request.readBlob)
    const listings = await this.#listAll(this.#resume ? roots.slice(roots.indexOf(this.#resume.root)) : roots)
    const previous = new PreviousFiles(this.#request.previous, roots)
    const saver = new Saver(packer, checkpoint, now, saveEvery(this.#looked + sum(listings, (l) => l.bytes)), this.#looked)
    for (const listing of listings) await this.#pullRoot(listing, previous, saver)
    const part = { roots, nodes: await this.#files.cut(), omissions: await this.#omissions.cut(), ...this.#counts }
    await saver.settle()
    await packer.flush()
    await this.#say(true)
    return { part, sliceBytes: this.#slice.bytes }
  }

  async #listAll(roots: RootId[]): Promise<Listing[]> {
    const { site, signal } = this.#request
    const listings: Listing[] = []
    this.#looked = this.#counts.bytes
    for (const root of roots) {
      const listing = new Listing(root)
      listings.push(listing)
      const from =
        root === this.#resume?.root && this.#cursor ? { path: pathBytes(this.#cursor.p), isDirectory: this.#cursor.directory } : null
      for await (const page of walk({ list: site.list, root, from, slice: this.#slice, signal })) {
        await listing.append(page)
        const done = sum(listings, (l) => l.files)
        await this.#reporter.say({ phase: 'list', done: this.#counts.files + done, total: 0, unit: 'files', bytes: this.#looked })
      }
    }
    this.#total = this.#counts.files + sum(listings, (l) => l.files)
    return listings
  }

  async #pullRoot(listing: Listing, previous: PreviousFiles, saver: Saver<FilesState>): Promise<void> {
    if (listing.root !== this.#resume?.root) this.#cursor = null
    const ahead: { unit: Step[]; got: Promise<Got[]> }[] = []
    const request = this.#readRequest(listing.root)
    for await (const unit of this.#units(listing, previous)) {
      const got = readPieces(
        request,
        unit.flatMap((step) => (step.kind === 'read' ? [step.piece] : [])),
      )
      got.catch(() => undefined)
      ahead.push({ unit, got })
      if (ahead.length >= UNITS_AHEAD) await this.#settleFirst(ahead, request, saver)
    }
    while (ahead.length > 0) await this.#settleFirst(ahead, request, saver)
  }

  #readRequest(root: RootId): ReadRequest {
    const { site, signal } = this.#request
    const read: ReadFiles = (params, abort) => this.#turns.run(() => site.read(params, abort))
    return { read, root, slice: this.#slice, signal }
  }

  async *#units(listing: Listing, previous: PreviousFiles): AsyncGenerator<Step[], void, undefined> {
    const readFrom = (file: Listed) => (this.#continues(file) ? (this.#partial?.received ?? 0) : 0)
    for await (const page of listing.pages()) {
      const unmoved = await this.#unmoved(listing.root, page.entries, previous)
      yield* planUnits(page, { root: listing.root, unitBytes: this.#slice.bytes, unmoved, readFrom })
    }
  }

  /** The files of a page that need not be read: they did not move, and their blobs are stored. */
  async #unmoved(root: RootId, entries: Listed[], previous: PreviousFiles): Promise<Map<Listed, FileEntry>> {
    const unmoved = new Map<Listed, FileEntry>()
    for (const file of entries) {
      const entry = file.type === 'f' ? await previous.unmoved(root, file) : undefined
      if (entry) unmoved.set(file, entry)
    }
    const stored = await this.#request.packer.stored([...unmoved.values()].flatMap((entry) => entry.blobs))
    for (const [file, entry] of unmoved) if (!entry.blobs.every((id) => stored.has(id))) unmoved.delete(file)
    return unmoved
  }

  async #settleFirst(ahead: { unit: Step[]; got: Promise<Got[]> }[], request: ReadRequest, saver: Saver<FilesState>): Promise<void> {
    const first = ahead.shift()
    if (!first) return
    await this.#consume(first.unit, await first.got, request)
    await this.#say()
    this.#request.signal.throwIfAborted()
    if (saver.due(this.#looked)) saver.start(await this.#state(request.root), this.#looked)
  }

  async #consume(unit: Step[], got: Got[], request: ReadRequest): Promise<void> {
    const outcomes: Promise<Outcome>[] = []
    const adds: Promise<unknown>[] = []
    let next = 0
    for (const step of unit) {
      if (step.kind === 'keep') outcomes.push(Promise.resolve({ entry: step.entry }))
      else if (step.kind === 'omit') outcomes.push(Promise.resolve({ omission: step.omission }))
      else outcomes.push(...(await this.#take(step, got[next++], request, adds)))
    }
    await Promise.all(adds)
    for (const outcome of outcomes) await this.#write(await outcome)
  }

  async #take({ piece, last }: Extract<Step, { kind: 'read' }>, got: Got | undefined, request: ReadRequest, adds: Promise<unknown>[]) {
    const { file, length } = piece
    if (!got || this.#settled === file) return []
    this.#open ??= await this.#openFile(file)
    if (!isIntact(got, file, length)) {
      this.#open = null
      this.#settled = file
      return [Promise.resolve(await readAgain(request, file, got, this.#add))]
    }
    this.#looked += got.bytes.length
    const open = this.#open
    adds.push(open.take(got.bytes))
    if (!last) return []
    this.#open = null
    return [open.content().then((content) => ({ entry: entryOf(request.root, file, content) }))]
  }

  async #openFile(file: Listed): Promise<OpenFile> {
    const partial = this.#partial
    if (!partial || !this.#continues(file)) return new OpenFile(file, this.#add)
    this.#partial = null
    return reopen(file, partial, this.#request.readBlob, this.#add)
  }

  #continues(file: Listed): boolean {
    return this.#partial !== null && pathBytes(this.#partial.p).equals(file.path) && sameStat(this.#partial, file)
  }

  async #write({ entry, omission }: Outcome): Promise<void> {
    if (entry) {
      await this.#files.write(fileRecord(entry))
      this.#countEntry(entry)
    }
    if (omission) {
      await this.#omissions.write(omissionRecord(omission))
      this.#counts[omission.kind] += 1
    }
    this.#moveCursor(entry ?? omission)
  }

  #countEntry(entry: FileEntry): void {
    const { type, size } = entry
    this.#counts[type === 'file' ? 'files' : type === 'directory' ? 'directories' : 'links'] += 1
    this.#counts.bytes += size
  }

  #moveCursor(at: FileEntry | Omission | undefined): void {
    if (at) this.#cursor = { p: sitePath(at.path), directory: 'type' in at && at.type === 'directory' }
  }

  async #state(root: RootId): Promise<FilesState> {
    const nodes = await this.#files.cut()
    const omissions = await this.#omissions.cut()
    const partial = this.#open && this.#open.file.size > PIECE_BYTES ? await storePartial(this.#open, this.#store) : null
    return { root, cursor: this.#cursor, nodes, omissions, counts: { ...this.#counts }, partial, slice_bytes: this.#slice.bytes }
  }

  #say(always = false): Promise<void> {
    const { files } = this.#counts
    return this.#reporter.say(
      { phase: 'files', done: files, total: Math.max(this.#total, files), unit: 'files', bytes: this.#looked },
      always,
    )
  }

  readonly #add = (bytes: Buffer) => this.#request.packer.add('file', bytes)
  readonly #store = (bytes: Uint8Array) => this.#request.packer.add('manifest', bytes)
}

const sum = (listings: Listing[], of: (listing: Listing) => number) => listings.reduce((total, listing) => total + of(listing), 0)
