// The worker thread of packers, one after another: hashes, compresses and encrypts, so that the service's event loop does not.
import { createHash, type Hash } from 'node:crypto'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { discardBuffer } from '../../platform/discard.ts'
import { blobId, type WorkspaceKeys } from './blob-id.ts'
import { type PackedBlob, type PackFile, PackWriter } from './pack.ts'
import type { BlobType } from './pack-format.ts'

/** A blob of a type, or what only concerns the digest of a `file`: bytes of it that are stored already, or its end. */
export type Item = { as: BlobType | 'recalled' | 'digest'; length: number; file?: number }
/** `hash`: the items lie one after another in `bytes`. `keep`: which of them to pack. `finish`: close the open pack. `reuse`: a pack's buffer back. */
type OfPacker =
  | { kind: 'hash'; batch: number; bytes: Uint8Array<ArrayBuffer>; items: Item[] }
  | { kind: 'keep'; batch: number; keep: boolean[] }
  | { kind: 'finish' }
  | { kind: 'reuse'; buffer: ArrayBuffer }
/** `begin`: a packer with these keys. `end`: nothing comes of it any more, and all of it is forgotten. `stop`: nor of another one. */
export type ToWorker = { kind: 'begin'; keys: WorkspaceKeys } | OfPacker | { kind: 'end' } | { kind: 'stop' }
/** `results`: the id of each blob, the digest of a file where it was asked for. */
export type FromWorker =
  | { kind: 'hashed'; batch: number; results: string[] }
  | { kind: 'pack'; bytes: Uint8Array<ArrayBuffer>; file: PackFile; blobs: PackedBlob[] }
  | { kind: 'done'; batch: number; buffer: ArrayBuffer }
  | { kind: 'finished' }
  | { kind: 'ended' }

type Waiting = { as: Item['as']; result: string; plain: Uint8Array }

function serve(port: MessagePort): void {
  let packing: Packing | undefined
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'begin') packing = new Packing(port, message.keys)
    else if (message.kind === 'stop') port.close()
    else if (message.kind === 'end') {
      packing?.end()
      packing = undefined
      send(port, { kind: 'ended' })
    } else packing?.hear(message)
  })
}

/** What is known on behalf of one packer. */
class Packing {
  readonly #port: MessagePort
  readonly #keys: WorkspaceKeys
  readonly #batches = new Map<number, { buffer: ArrayBuffer; waiting: Waiting[] }>()
  readonly #files = new Map<number, Hash>()
  readonly #rooms: ArrayBuffer[] = []
  #pack: PackWriter | undefined

  constructor(port: MessagePort, keys: WorkspaceKeys) {
    this.#port = port
    this.#keys = keys
  }

  hear(message: OfPacker): void {
    if (message.kind === 'hash') this.#hash(message)
    else if (message.kind === 'keep') this.#keep(message.batch, message.keep)
    else if (message.kind === 'finish') this.#finish()
    else this.#rooms.push(message.buffer)
  }

  /** Its buffers are given back: the next packer comes long before a collector would look at the small heap here. */
  end(): void {
    this.#pack?.discard()
    for (const room of this.#rooms) discardBuffer(room)
    for (const { buffer } of this.#batches.values()) discardBuffer(buffer)
  }

  #hash({ batch, bytes, items }: Extract<OfPacker, { kind: 'hash' }>): void {
    let at = 0
    const waiting = items.map((item) => {
      const plain = bytes.subarray(at, at + item.length)
      at += plain.length
      return { as: item.as, result: this.#resultOf(item, plain), plain }
    })
    this.#batches.set(batch, { buffer: bytes.buffer, waiting })
    send(this.#port, { kind: 'hashed', batch, results: waiting.map(({ result }) => result) })
  }

  #resultOf({ as, file }: Item, plain: Uint8Array): string {
    const whole = file === undefined ? undefined : (this.#files.get(file) ?? createHash('sha256'))
    if (file !== undefined && whole) this.#files.set(file, whole.update(plain))
    if (as === 'recalled') return ''
    if (as !== 'digest') return blobId(this.#keys, plain)
    this.#files.delete(file ?? -1)
    return whole?.digest('hex') ?? ''
  }

  #keep(batch: number, wanted: boolean[]): void {
    const held = this.#batches.get(batch)
    if (!held) return
    for (const [i, { as, result: id, plain }] of held.waiting.entries()) {
      if (!wanted[i] || as === 'recalled' || as === 'digest') continue
      if (!this.#pack?.hasRoomFor(plain.length)) this.#sendPack()
      this.#pack ??= new PackWriter(this.#keys, this.#rooms.pop())
      this.#pack.add(as, id, plain)
    }
    this.#batches.delete(batch)
    send(this.#port, { kind: 'done', batch, buffer: held.buffer }, [held.buffer])
  }

  #finish(): void {
    this.#sendPack()
    send(this.#port, { kind: 'finished' })
  }

  #sendPack(): void {
    if (!this.#pack) return
    const { bytes, file, blobs } = this.#pack.finish()
    this.#pack = undefined
    send(this.#port, { kind: 'pack', bytes, file: { ...file, salt: new Uint8Array(file.salt) }, blobs }, [bytes.buffer])
  }
}

function send(port: MessagePort, message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}

if (parentPort) serve(parentPort)
