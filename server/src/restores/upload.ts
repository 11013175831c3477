// Bringing contents and rows to the closed folder of a restore, in pieces the host takes.
import { createHash } from 'node:crypto'
import type { ReadBlob } from '../backups/engine/record-tree.ts'
import type { Params } from '../connector/commands.ts'
import { discard } from '../platform/discard.ts'
import type { SiteClient } from '../sites/client.ts'
import type { Content } from './plan.ts'
import type { TablePlan } from './table-plan.ts'
import { UploadSize } from './upload-size.ts'

export type Claim = { job: string; fence: number }
type Piece = Params<'restore.put'>['items'][number]
type Batch = { items: Piece[]; bytes: Buffer }

const piecesAtOnce = 1_000
const inFlight = 3

/** Sends pieces; several requests are under way at once, as long as their order does not matter. */
export class Uploader {
  readonly #site: SiteClient
  readonly #claim: Claim
  readonly #sent: (bytes: number) => Promise<void>
  readonly #flying = new Set<Promise<void>>()
  readonly #size: UploadSize
  /** Contents that travel together, put into one buffer as they come. */
  #filling: { items: Piece[]; room: Buffer; size: number } | undefined
  #failure: { error: unknown } | undefined

  constructor(site: SiteClient, claim: Claim, sent: (bytes: number) => Promise<void>) {
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
    const { items = [], room, size = 0 } = this.#filling ?? {}
    if (room && (size + bytes.length > room.length || items.length >= piecesAtOnce)) await this.#send()
    this.#filling ??= { items: [], room: Buffer.allocUnsafeSlow(Math.max(this.#size.bytes, bytes.length)), size: 0 }
    this.#filling.items.push(piece)
    this.#filling.size += bytes.copy(this.#filling.room, this.#filling.size)
    discard(bytes)
  }

  /** In order, one after the other. */
  async #pieces(what: Omit<Piece, 'o' | 'n'>, source: AsyncIterable<Buffer>): Promise<void> {
    let o = 0
    for await (const bytes of source) {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + this.#size.bytes)
        await this.#put({ items: [{ ...what, o, n: piece.length }], bytes: piece })
        at += piece.length
        o += piece.length
      }
      discard(bytes)
    }
  }

  async #send(): Promise<void> {
    const filled = this.#filling
    if (!filled) return
    this.#filling = undefined
    const { items, room, size } = filled
    await this.#fly(async () => {
      await this.#put({ items, bytes: room.subarray(0, size) })
      discard(room)
    })
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
    const { items, bytes } = batch
    const isTrial = bytes.length > this.#size.proven
    try {
      const params = { ...this.#claim, items }
      await (isTrial
        ? this.#site.once('restore.put', params, { payload: bytes })
        : this.#site.ask('restore.put', params, { payload: bytes }))
    } catch (error) {
      if (!this.#size.refused(bytes.length, error)) throw error
      for (const half of halves(batch)) await this.#put(half)
      return
    }
    this.#size.took(bytes.length)
    await this.#sent(bytes.length)
  }
}

/** A host that takes less gets the same in two requests, one after the other. */
function halves({ items, bytes }: Batch): Batch[] {
  const [piece] = items
  if (items.length === 1 && piece) {
    const half = bytes.length >> 1
    return [
      { items: [{ ...piece, n: half }], bytes: bytes.subarray(0, half) },
      { items: [{ ...piece, o: piece.o + half, n: bytes.length - half }], bytes: bytes.subarray(half) },
    ]
  }
  let count = 1
  let size = piece?.n ?? 0
  for (; count < items.length - 1 && size < bytes.length / 2; count++) size += items[count]?.n ?? 0
  return [
    { items: items.slice(0, count), bytes: bytes.subarray(0, size) },
    { items: items.slice(count), bytes: bytes.subarray(size) },
  ]
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
