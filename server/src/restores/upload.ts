// Bringing contents and rows to the closed folder of a restore, in pieces the host takes.
import { createHash } from 'node:crypto'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Params } from '../connector/commands.ts'
import { discard } from '../platform/discard.ts'
import type { Content, TablePlan } from './plan.ts'
import type { RestoreSite } from './site.ts'
import { UploadSize } from './upload-size.ts'

export type Claim = { job: string; fence: number }
type Piece = Params<'restore.put'>['items'][number]
type Batch = { items: Piece[]; bytes: Buffer[]; size: number }

const piecesAtOnce = 1_000
const inFlight = 3
const noBatch = (): Batch => ({ items: [], bytes: [], size: 0 })

/** Sends pieces; several requests are under way at once, as long as their order does not matter. */
export class Uploader {
  readonly #site: RestoreSite
  readonly #claim: Claim
  readonly #sent: (bytes: number) => Promise<void>
  readonly #flying = new Set<Promise<void>>()
  readonly #size: UploadSize
  #batch = noBatch()
  #failure: { error: unknown } | undefined

  constructor(site: RestoreSite, claim: Claim, sent: (bytes: number) => Promise<void>) {
    this.#site = site
    this.#claim = claim
    this.#sent = sent
    this.#size = new UploadSize(site.connection.mode)
  }

  /** A content whose bytes come as blobs; what fits into one request travels with others. */
  async content({ sha256: h, size: s, blobs }: Content, read: ReadBlob): Promise<void> {
    if (s <= this.#size.bytes) await this.#whole({ h, s, o: 0, n: s }, await whole(blobs, read))
    else await this.#fly(() => this.#pieces({ h, s }, parts(blobs, read)))
  }

  /** The plan, or anything else that is in memory. */
  async bytes(bytes: Buffer): Promise<string> {
    const h = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length <= this.#size.bytes) await this.#whole({ h, s: bytes.length, o: 0, n: bytes.length }, bytes)
    else await this.#fly(() => this.#pieces({ h, s: bytes.length }, one(bytes)))
    await this.settle()
    return h
  }

  async rows(q: number, table: TablePlan, read: ReadBlob): Promise<void> {
    const blobs = table.ranges.flatMap((range) => range.blobs)
    await this.#fly(() => this.#pieces({ q, s: table.bytes }, parts(blobs, read)))
    await this.settle()
  }

  /** Everything has arrived. */
  async settle(): Promise<void> {
    await this.#send()
    await Promise.all(this.#flying)
    if (this.#failure) throw this.#failure.error
  }

  /** Ends what is under way without asking how it went: for callers that have failed already. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#flying)
  }

  async #whole(piece: Piece, bytes: Buffer): Promise<void> {
    if (this.#batch.size + bytes.length > this.#size.bytes || this.#batch.items.length >= piecesAtOnce) await this.#send()
    this.#batch.items.push(piece)
    this.#batch.bytes.push(bytes)
    this.#batch.size += bytes.length
  }

  /** In order, one after the other. */
  async #pieces(what: Omit<Piece, 'o' | 'n'>, source: AsyncIterable<Buffer>): Promise<void> {
    let o = 0
    for await (const bytes of source) {
      // What was sent may be given back, and has no length then.
      const { length } = bytes
      for (let at = 0; at < length; ) {
        const piece = bytes.subarray(at, at + this.#size.bytes)
        const n = piece.length
        await this.#put({ items: [{ ...what, o, n }], bytes: [piece], size: n })
        at += n
        o += n
      }
      discard(bytes)
    }
  }

  async #send(): Promise<void> {
    const batch = this.#batch
    if (batch.items.length === 0) return
    this.#batch = noBatch()
    await this.#fly(() => this.#put(batch))
  }

  /** Returns as soon as there is a place for it; how it went is told by the next one. */
  async #fly(work: () => Promise<void>): Promise<void> {
    while (this.#flying.size >= inFlight) await Promise.race(this.#flying)
    if (this.#failure) throw this.#failure.error
    const flight: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#flying.delete(flight))
    this.#flying.add(flight)
  }

  async #put(batch: Batch): Promise<void> {
    const isTrial = batch.size > this.#size.proven
    try {
      const options = { payload: batch.bytes, ...(isTrial && { retries: 0 as const }) }
      await this.#site.ask('restore.put', { ...this.#claim, items: batch.items }, options, isTrial ? 1 : undefined)
    } catch (error) {
      if (!this.#size.refused(batch.size, error)) throw error
      for (const half of halves(batch)) await this.#put(half)
      return
    }
    for (const bytes of batch.bytes) discard(bytes)
    this.#size.took(batch.size)
    await this.#sent(batch.size)
  }
}

/** A host that takes less gets the same in two requests, one after the other. */
function halves({ items, bytes, size }: Batch): Batch[] {
  const [piece] = items
  const [content] = bytes
  if (items.length === 1 && piece && content) {
    const half = content.length >> 1
    const [first, second] = [content.subarray(0, half), content.subarray(half)]
    return [
      { items: [{ ...piece, n: first.length }], bytes: [first], size: first.length },
      { items: [{ ...piece, o: piece.o + half, n: second.length }], bytes: [second], size: second.length },
    ]
  }
  let count = 1
  for (let sum = bytes[0]?.length ?? 0; count < items.length - 1 && sum < size / 2; count++) sum += bytes[count]?.length ?? 0
  return [[items.slice(0, count), bytes.slice(0, count)] as const, [items.slice(count), bytes.slice(count)] as const].map(
    ([some, theirs]) => ({ items: some, bytes: theirs, size: theirs.reduce((sum, each) => sum + each.length, 0) }),
  )
}

async function whole(blobs: string[], read: ReadBlob): Promise<Buffer> {
  const bytes: Buffer[] = []
  for await (const part of parts(blobs, read)) bytes.push(part)
  const [only] = bytes
  return bytes.length === 1 && only ? only : Buffer.concat(bytes)
}

async function* parts(blobs: string[], read: ReadBlob): AsyncGenerator<Buffer, void, undefined> {
  for (const id of blobs) yield asBuffer(await read(id))
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

async function* one(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes
}
