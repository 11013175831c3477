// Bringing contents and rows to the closed folder of a restore, in pieces a small host takes.
import { createHash } from 'node:crypto'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Params } from '../connector/commands.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Content, TablePlan } from './plan.ts'
import type { RestoreSite } from './site.ts'

export type Claim = { job: string; fence: number }
type Piece = Params<'restore.put'>['items'][number]
type Batch = { items: Piece[]; bytes: Buffer[]; size: number }

/** With its frame a request stays below 1 MiB in either mode. */
const requestBytes = 700 * 1024
const smallestBytes = 64 * 1024
const piecesAtOnce = 1_000
const inFlight = 3

/** Sends pieces; several requests are under way at once, as long as their order does not matter. */
export class Uploader {
  readonly #site: RestoreSite
  readonly #claim: Claim
  readonly #sent: (bytes: number) => Promise<void>
  readonly #flying = new Set<Promise<void>>()
  #batch: Batch = { items: [], bytes: [], size: 0 }
  #most = requestBytes

  constructor(site: RestoreSite, claim: Claim, sent: (bytes: number) => Promise<void>) {
    this.#site = site
    this.#claim = claim
    this.#sent = sent
  }

  /** A content whose bytes come as blobs; what fits into one request travels with others. */
  async content({ sha256: h, size: s, blobs }: Content, read: ReadBlob): Promise<void> {
    if (s <= this.#most) return this.#whole({ h, s, o: 0, n: s }, Buffer.concat(await all(blobs, read)))
    await this.#pieces({ h, s }, parts(blobs, read))
  }

  /** The plan, or anything else that is in memory. */
  async bytes(bytes: Buffer): Promise<string> {
    const h = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length <= this.#most) await this.#whole({ h, s: bytes.length, o: 0, n: bytes.length }, bytes)
    else await this.#pieces({ h, s: bytes.length }, one(bytes))
    await this.settle()
    return h
  }

  async rows(q: number, table: TablePlan, read: ReadBlob): Promise<void> {
    await this.#pieces(
      { q, s: table.bytes },
      parts(
        table.ranges.flatMap(({ blobs }) => blobs),
        read,
      ),
    )
  }

  /** Everything has arrived. */
  async settle(): Promise<void> {
    await this.#send()
    await Promise.all(this.#flying)
  }

  /** Ends what is under way without asking how it went: for callers that have failed already. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#flying)
  }

  async #whole(piece: Piece, bytes: Buffer): Promise<void> {
    if (this.#batch.size + bytes.length > this.#most || this.#batch.items.length >= piecesAtOnce) await this.#send()
    this.#batch.items.push(piece)
    this.#batch.bytes.push(bytes)
    this.#batch.size += bytes.length
  }

  /** In order, one after the other. */
  async #pieces(what: Omit<Piece, 'o' | 'n'>, source: AsyncIterable<Buffer>): Promise<void> {
    await this.settle()
    let o = 0
    for await (const bytes of source)
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + this.#most)
        await this.#put({ items: [{ ...what, o, n: piece.length }], bytes: [piece], size: piece.length })
        at += piece.length
        o += piece.length
      }
  }

  async #send(): Promise<void> {
    const batch = this.#batch
    if (batch.items.length === 0) return
    this.#batch = { items: [], bytes: [], size: 0 }
    while (this.#flying.size >= inFlight) await Promise.race(this.#flying)
    const flight: Promise<void> = this.#put(batch).finally(() => this.#flying.delete(flight))
    flight.catch(() => undefined) // Whoever settles hears of it.
    this.#flying.add(flight)
  }

  async #put(batch: Batch): Promise<void> {
    try {
      await this.#site.ask('restore.put', { ...this.#claim, items: batch.items }, { payload: Buffer.concat(batch.bytes) })
    } catch (error) {
      const tooLarge = error instanceof SiteError && (error.status === 413 || error.reason === 'connect')
      if (!tooLarge || batch.items.length !== 1 || batch.size <= smallestBytes) throw error
      this.#most = Math.max(smallestBytes, this.#most / 2)
      await this.#halves(batch)
      return
    }
    await this.#sent(batch.size)
  }

  /** A host that takes less than usual gets the same piece in two. */
  async #halves({ items: [piece], bytes: [bytes] }: Batch): Promise<void> {
    if (!piece || !bytes) return
    const half = Math.floor(bytes.length / 2)
    for (const part of [
      { o: piece.o, bytes: bytes.subarray(0, half) },
      { o: piece.o + half, bytes: bytes.subarray(half) },
    ])
      await this.#put({ items: [{ ...piece, o: part.o, n: part.bytes.length }], bytes: [part.bytes], size: part.bytes.length })
  }
}

async function all(blobs: string[], read: ReadBlob): Promise<Buffer[]> {
  const bytes: Buffer[] = []
  for await (const part of parts(blobs, read)) bytes.push(part)
  return bytes
}

async function* parts(blobs: string[], read: ReadBlob): AsyncGenerator<Buffer, void, undefined> {
  for (const id of blobs) yield Buffer.from(await read(id))
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes
}
