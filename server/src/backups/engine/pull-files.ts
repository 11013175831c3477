import { returnBuffer } from '../../platform/buffer-pool.ts'
import { type Previous, PreviousFiles, planUnits, type Step } from './file-plan.ts'
import { type Got, type ReadFiles, type ReadRequest, readPieces } from './file-reads.ts'
import { type ListFiles, Listing, walk } from './file-walk.ts'
import { FilesCollector } from './files-collector.ts'
import { FilesState, readPartial } from './files-state.ts'
import type { FilesPart, Omission, RootPlace } from './manifest.ts'
import type { Packer } from './packer.ts'
import type { ReadBlob } from './record-tree.ts'
import { type Report, Reporter, Saver, type SaveState, saveEvery } from './saver.ts'
import { LARGEST_OF_FILES, SliceSize } from './slice-size.ts'
import { Turns } from './turns.ts'
import { WireSpeed } from './wire-speed.ts'

/** The site's two verbs, already parsed; errors with `retryable: true` are tried again with smaller slices. */
export type SiteFiles = { list: ListFiles; read: ReadFiles }
export type PullFiles = {
  site: SiteFiles
  roots: string[]
  /** Where they lay, where the site tells that, and what settings of the site name outside of them. */
  places?: RootPlace[]
  outside?: Omission[] | undefined
  packer: Pick<Packer, 'add' | 'newFile' | 'stored' | 'flush'>
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
  /** The most entries of one root; ten million where nothing is said. */
  mostEntries?: number | undefined
}

type Ahead = { unit: Step[]; request: ReadRequest; got: Promise<Got[]> }

const REQUESTS_IN_FLIGHT = 2
const UNITS_AHEAD = 3
/** Of memory: so many bytes are on their way or wait to be packed, but two units in any case. */
const BYTES_AHEAD = 12 * 1024 * 1024

/** Reads all files of a site into blobs. When it returns, everything it names is durable and recorded. */
export async function pullFiles(request: PullFiles): Promise<{ part: FilesPart; sliceBytes: number }> {
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  const found = request.resumeFrom ? FilesState.parse(request.resumeFrom) : null
  // Where the roots are others by now, what an earlier attempt listed is not to be relied on.
  const isOther = found && (found.roots ?? request.roots).join() !== request.roots.join()
  const resume = isOther || !request.roots.includes(found?.root ?? '') ? null : found
  const partial = resume?.partial ? await readPartial(resume.partial, request.readBlob) : null
  const previous = new PreviousFiles(request.previous, request.roots)
  const collector = new FilesCollector(request, resume, partial, previous.renewed)
  try {
    return await new FilesPull({ ...request, signal }, resume, collector, previous).run()
  } finally {
    stop.abort()
  }
}

class FilesPull {
  readonly #request: PullFiles
  readonly #resume: FilesState | null
  readonly #collector: FilesCollector
  readonly #previous: PreviousFiles
  readonly #slice: SliceSize
  readonly #reporter: Reporter
  readonly #turns = new Turns(REQUESTS_IN_FLIGHT)
  readonly #wire = new WireSpeed()
  #total = 0

  constructor(request: PullFiles, resume: FilesState | null, collector: FilesCollector, previous: PreviousFiles) {
    this.#request = request
    this.#resume = resume
    this.#collector = collector
    this.#previous = previous
    this.#slice = new SliceSize(resume?.slice_bytes ?? request.sliceBytes, LARGEST_OF_FILES)
    this.#reporter = new Reporter(request.report, request.now)
  }

  async run(): Promise<{ part: FilesPart; sliceBytes: number }> {
    const { roots, places = [], outside, packer, checkpoint: save, now } = this.#request
    if (!this.#resume) await this.#collector.leave(outside ?? [])
    const listings = await this.#listAll(this.#resume ? roots.slice(roots.indexOf(this.#resume.root)) : roots)
    const { bytes } = this.#collector
    const everyBytes = saveEvery(bytes + sum(listings, (listing) => listing.bytes))
    const saver = new Saver(packer, { save, now, everyBytes, bytes })
    try {
      await this.#pullAll(listings, saver)
      await saver.settle()
    } catch (error) {
      await saver.stop()
      throw error
    }
    const part = await this.#collector.part({ roots, places, looked: outside !== undefined })
    await packer.flush()
    await this.#say(true)
    return { part, sliceBytes: this.#slice.bytes }
  }

  async #listAll(roots: string[]): Promise<Listing[]> {
    const { site, signal, mostEntries } = this.#request
    const { counts, bytes, cursor } = this.#collector
    const listings: Listing[] = []
    for (const root of roots) {
      const listing = new Listing(root)
      listings.push(listing)
      const from = root === this.#resume?.root ? cursor : null
      for await (const page of walk({ list: site.list, root, from, slice: this.#slice, signal, mostEntries })) {
        await listing.append(page)
        this.#total = counts.files + sum(listings, (each) => each.files)
        await this.#reporter.say({ phase: 'list', done: this.#total, total: 0, unit: 'files', bytes })
      }
    }
    return listings
  }

  async #pullAll(listings: Listing[], saver: Saver<FilesState>): Promise<void> {
    for (const listing of listings) {
      if (listing.root !== this.#resume?.root) this.#collector.startRoot()
      await this.#pullRoot(listing, saver)
    }
  }

  async #pullRoot(listing: Listing, saver: Saver<FilesState>): Promise<void> {
    const read = this.#readRequest(listing.root)
    const ahead: Ahead[] = []
    for await (const unit of this.#units(listing)) {
      const request = { ...read, spent: [] }
      const got = readPieces(
        request,
        unit.flatMap((step) => (step.kind === 'read' ? [step.piece] : [])),
      )
      // Awaited in its turn; until then a failure must not count as unhandled.
      got.catch(() => undefined)
      ahead.push({ unit, request, got })
      if (isFarEnough(ahead)) await this.#settleFirst(ahead, saver)
    }
    while (ahead.length > 0) await this.#settleFirst(ahead, saver)
  }

  #readRequest(root: string): Omit<ReadRequest, 'spent'> {
    const { site, signal } = this.#request
    const read: ReadFiles = (params, abort) => this.#turns.run(() => this.#wire.read(site.read, params, abort))
    return { read, root, slice: this.#slice, signal }
  }

  async *#units({ root, pages }: Listing): AsyncGenerator<Step[], void, undefined> {
    const readFrom = this.#collector.storedOf
    for await (const page of pages()) {
      const unmoved = await this.#previous.unmovedOf(root, page.entries, (ids) => this.#request.packer.stored(ids))
      yield* planUnits(page, { root, unitBytes: this.#slice.bytes, unmoved, renewed: this.#previous.renewed, readFrom })
    }
  }

  async #settleFirst(ahead: Ahead[], saver: Saver<FilesState>): Promise<void> {
    const first = ahead.shift()
    if (!first) return
    const { request } = first
    await this.#collector.consume(first.unit, await first.got, request)
    for (const bytes of request.spent.splice(0)) returnBuffer(bytes)
    await this.#say()
    this.#request.signal.throwIfAborted()
    const { bytes } = this.#collector
    if (saver.due(bytes)) saver.start(await this.#collector.state(request.root, this.#request.roots, this.#slice.bytes), bytes)
  }

  #say(always = false): Promise<void> {
    const { counts, bytes } = this.#collector
    return this.#reporter.say(
      { phase: 'files', done: counts.files, total: Math.max(this.#total, counts.files), unit: 'files', bytes },
      always,
    )
  }
}

function isFarEnough(ahead: Ahead[]): boolean {
  const bytes = ahead.flatMap(({ unit }) => unit).reduce((total, step) => total + (step.kind === 'read' ? step.piece.length : 0), 0)
  return ahead.length >= UNITS_AHEAD || (ahead.length >= 2 && bytes >= BYTES_AHEAD)
}

const sum = (listings: Listing[], of: (listing: Listing) => number) => listings.reduce((total, listing) => total + of(listing), 0)
