// Turns the pieces of one file into blobs and a digest, and reads a file again when it moved while it was read.
import { entryOf, PIECE_BYTES } from './file-plan.ts'
import { type Got, type ReadRequest, readPieces, type Stat, sameStat } from './file-reads.ts'
import type { FileEntry } from './file-record.ts'
import type { Listed } from './file-walk.ts'
import type { Omission } from './manifest.ts'
import type { FileInPacks } from './packer.ts'

/** Where a file goes; its digest is made on the way. */
export type NewFile = () => FileInPacks
/** A file or what is to be said in its place; both when it never held still. `renewed`: not the content of the backup before. */
export type Outcome = { entry?: FileEntry; omission?: Omission; renewed?: boolean }

const READ_AGAIN = 3

/** A file whose pieces are coming in. */
export class OpenFile {
  readonly file: Listed
  readonly blobs: Promise<string>[]
  received: number
  readonly #into: FileInPacks

  constructor(file: Listed, into: FileInPacks) {
    this.file = file
    this.blobs = []
    this.received = 0
    this.#into = into
  }

  /** Takes the next bytes; the promise is the backpressure. */
  take(bytes: Buffer): Promise<unknown> {
    this.received += bytes.length
    const blob = this.#into.add(bytes)
    blob.catch(() => undefined)
    this.blobs.push(blob)
    return blob
  }

  /** Takes bytes that an earlier attempt stored. */
  recall(id: string, bytes: Uint8Array): Promise<unknown> {
    this.received += bytes.length
    this.blobs.push(Promise.resolve(id))
    return this.#into.recall(bytes)
  }

  async content(): Promise<{ sha256: string; blobs: string[] }> {
    const [sha256, ...blobs] = await Promise.all([this.#into.digest(), ...this.blobs])
    return { sha256, blobs }
  }

  giveUp(): void {
    this.#into.digest().catch(() => undefined)
  }
}

/** Whether a piece is a piece of exactly the file that was listed. */
export function isIntact(got: Got, file: Listed, length: number): got is Extract<Got, { status: 'ok' }> {
  return got.status === 'ok' && !got.torn && got.bytes.length === length && sameStat(got.stat, file)
}

/** Reads a file that moved since it was listed: again and again until it holds still, three times at most, then flagged. */
export async function readAgain(request: ReadRequest, file: Listed, first: Got, newFile: NewFile): Promise<Outcome> {
  if (first.status !== 'ok') return { omission: lost(request, file, first.status) }
  let expected = { ...file, ...first.stat }
  for (let tries = 1; ; tries++) {
    const read = await readWhole(request, expected, newFile())
    if ('lost' in read) return { omission: lost(request, file, read.lost) }
    if (read.still) return { entry: entryOf(request.root, expected, await read.open.content()) }
    if (tries === READ_AGAIN) return flagged(request, { ...expected, ...read.stat, size: read.open.received }, await read.open.content())
    read.open.giveUp()
    expected = { ...expected, ...read.stat }
  }
}

type Whole = { lost: 'missing' | 'unreadable' } | { open: OpenFile; still: boolean; stat: Stat }

async function readWhole(request: ReadRequest, file: Listed, into: FileInPacks): Promise<Whole> {
  const open = new OpenFile(file, into)
  let still = true
  let stat: Stat = file
  while (open.received < file.size) {
    const length = Math.min(PIECE_BYTES, file.size - open.received)
    const [got] = await readPieces(request, [{ file, offset: open.received, length }])
    if (got?.status !== 'ok') {
      open.giveUp()
      return { lost: got?.status ?? 'missing' }
    }
    still &&= isIntact(got, file, length)
    stat = got.stat
    if (got.bytes.length > 0) await open.take(got.bytes)
    if (got.bytes.length < length) break
  }
  return { open, still, stat }
}

function flagged(request: ReadRequest, file: Listed, content: { sha256: string; blobs: string[] }): Outcome {
  const omission = { kind: 'changed', root: request.root, path: file.path, why: 'it kept changing while it was read' } as const
  return { entry: entryOf(request.root, file, content, true), omission }
}

function lost({ root }: ReadRequest, { path }: Listed, status: 'missing' | 'unreadable'): Omission {
  if (status === 'missing') return { kind: 'changed', root, path, why: 'it was deleted while the backup ran' }
  return { kind: 'unreadable', root, path, why: 'the site may not read it' }
}
