import { discardBuffer } from '../../platform/discard.ts'
import { deriveKeys } from './blob-id.ts'
import type { PackedBlob, PackFile } from './pack.ts'
import { type BlobType, MAX_BLOB_BYTES } from './pack-format.ts'
import { PackThread } from './pack-thread.ts'
import type { FromWorker, Item } from './pack-worker.ts'

/** What the packer needs of the object storage: `put` returns when the object is durable. */
export type PackStorage = { put(key: string, bytes: Uint8Array): Promise<unknown> }
/** What the packer needs of the database. `has` answers which of the ids are stored; `record` is called once per pack, after it is durable. */
export type BlobIndex = {
  has(ids: string[]): Promise<ReadonlySet<string>>
  record(pack: PackFile, blobs: PackedBlob[]): Promise<void>
}
export type PackerOptions = { workspace: string; workspaceKey: Uint8Array; storage: PackStorage; index: BlobIndex }
/** Bytes given, bytes written into packs by this run, and the number of blobs in them. */
export type PackerTotals = { plainBytes: number; storedBytes: number; newBlobs: number }
/** A file whose bytes are given one after another: the worker makes its digest beside the ids of its blobs. */
export type FileInPacks = {
  add(bytes: Uint8Array): Promise<string>
  /** Bytes that are stored already. */
  recall(bytes: Uint8Array): Promise<unknown>
  /** SHA-256 of all that was given. To be asked once, also for a file that is given up: then the worker forgets it. */
  digest(): Promise<string>
}

const BATCH_BYTES = 4 * 1024 * 1024
const BATCHES_AT_ONCE = 2
const PACKS_IN_FLIGHT = 2
const NOTHING = new Uint8Array(0)

type Waiter<T> = { resolve(value: T): void; reject(error: unknown): void }
type Added = Omit<Item, 'length'> & { bytes: Uint8Array; result: Waiter<string>; packed: PromiseWithResolvers<void> }

/** Takes a thread for one backup run. Always `close()` it; only what `flush()` waited for is durable. */
export const openPacker = (options: PackerOptions): Packer => new Packer(options)

export class Packer {
  readonly totals: PackerTotals = { plainBytes: 0, storedBytes: 0, newBlobs: 0 }
  readonly #storage: PackStorage
  readonly #index: BlobIndex
  readonly #thread: PackThread
  readonly #known = new Set<string>()
  readonly #batches = new Map<number, Added[]>()
  readonly #unpacked = new Set<Added>()
  readonly #finishing: PromiseWithResolvers<void>[] = []
  readonly #writes = new Set<Promise<void>>()
  /** Buffers of batches that are done, to be filled again. */
  readonly #rooms: ArrayBuffer[] = []
  #queue: Added[] = []
  #nextBatch = 0
  #nextFile = 0
  #failure: Error | undefined

  constructor({ workspace, workspaceKey, storage, index }: PackerOptions) {
    this.#storage = storage
    this.#index = index
    this.#thread = new PackThread(
      deriveKeys(workspace, workspaceKey),
      (message) => this.#receive(message),
      (cause) => this.#fail(cause),
    )
  }

  /** Adds one blob and answers its id. The bytes must not change until then; await it before giving more than a few MiB. */
  add(type: BlobType, bytes: Uint8Array): Promise<string> {
    return this.#give({ as: type, bytes })
  }

  newFile(): FileInPacks {
    const file = this.#nextFile++
    return {
      add: (bytes) => this.#give({ as: 'file', bytes, file }),
      recall: (bytes) => this.#give({ as: 'recalled', bytes, file }),
      digest: () => this.#give({ as: 'digest', bytes: NOTHING, file }),
    }
  }

  #give(item: Omit<Item, 'length'> & { bytes: Uint8Array }): Promise<string> {
    if (this.#failure) return Promise.reject(this.#failure)
    const { length } = item.bytes
    if (length > MAX_BLOB_BYTES) return Promise.reject(new RangeError(`A blob of ${length} bytes is above the limit.`))
    const result = Promise.withResolvers<string>()
    const packed = Promise.withResolvers<void>()
    packed.promise.catch(() => undefined)
    const added = { ...item, result, packed }
    this.#queue.push(added)
    this.#unpacked.add(added)
    if (item.as !== 'recalled') this.totals.plainBytes += length
    queueMicrotask(() => this.#pump())
    return result.promise
  }

  /** Which of these blobs are stored already, so that a new manifest may name them. */
  async stored(ids: string[]): Promise<ReadonlySet<string>> {
    if (this.#failure) throw this.#failure
    const unknown = [...new Set(ids.filter((id) => !this.#known.has(id)))]
    const found = unknown.length > 0 ? await this.#index.has(unknown) : new Set<string>()
    for (const id of unknown) if (found.has(id)) this.#known.add(id)
    return new Set(ids.filter((id) => this.#known.has(id)))
  }

  /** Resolves when everything added before this call is durable and recorded. More may be added meanwhile. */
  async flush(): Promise<void> {
    if (this.#failure) throw this.#failure
    await Promise.all([...this.#unpacked].map((added) => added.packed.promise))
    await this.#finishPack()
    await Promise.all(this.#writes)
    if (this.#failure) throw this.#failure
  }

  /** Gives the thread back; a pack that was not full yet is dropped, one being written is completed. Safe to call twice. */
  async close(): Promise<void> {
    this.#fail(new Error('The packer was closed.'))
    await Promise.allSettled(this.#writes)
    await this.#thread.end()
    for (const room of this.#rooms.splice(0)) discardBuffer(room)
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#batches.size < BATCHES_AT_ONCE && this.#writes.size < PACKS_IN_FLIGHT) this.#sendBatch()
  }

  #sendBatch(): void {
    const added = this.#takeBatch()
    const length = added.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const bytes = new Uint8Array(length <= BATCH_BYTES ? (this.#rooms.pop() ?? new ArrayBuffer(BATCH_BYTES)) : new ArrayBuffer(length))
    let at = 0
    for (const one of added) {
      bytes.set(one.bytes, at)
      at += one.bytes.length
    }
    const batch = this.#nextBatch++
    this.#batches.set(batch, added)
    const items = added.map(({ as, file, bytes: { length } }) => ({ as, length, ...(file !== undefined && { file }) }))
    this.#thread.post({ kind: 'hash', batch, bytes, items }, [bytes.buffer])
  }

  #takeBatch(): Added[] {
    let count = 0
    for (let size = 0; count < this.#queue.length; count++) {
      size += this.#queue[count]?.bytes.length ?? 0
      if (count > 0 && size > BATCH_BYTES) break
    }
    return this.#queue.splice(0, count)
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'hashed') this.#decide(message).catch((error) => this.#fail(error))
    else if (message.kind === 'pack') this.#write(message)
    else if (message.kind === 'done') this.#finishBatch(message)
    else if (message.kind === 'finished') this.#finishing.shift()?.resolve()
  }

  async #decide({ batch, results }: Extract<FromWorker, { kind: 'hashed' }>): Promise<void> {
    const added = this.#batches.get(batch) ?? []
    const ids = results.filter((_, i) => isBlob(added[i]?.as))
    const fresh = new Set(ids.filter((id) => !this.#known.has(id)))
    for (const id of fresh) this.#known.add(id)
    for (const [i, { result }] of added.entries()) result.resolve(results[i] ?? '')
    const stored = fresh.size > 0 ? await this.#index.has([...fresh]) : new Set<string>()
    if (this.#failure) return
    const keep = results.map((id, i) => isBlob(added[i]?.as) && fresh.delete(id) && !stored.has(id))
    this.#thread.post({ kind: 'keep', batch, keep })
  }

  #finishBatch({ batch, buffer }: Extract<FromWorker, { kind: 'done' }>): void {
    if (buffer.byteLength === BATCH_BYTES) this.#rooms.push(buffer)
    for (const added of this.#batches.get(batch) ?? []) {
      this.#unpacked.delete(added)
      added.packed.resolve()
    }
    this.#batches.delete(batch)
    this.#pump()
  }

  #write({ bytes, file, blobs }: Extract<FromWorker, { kind: 'pack' }>): void {
    this.totals.storedBytes += file.size
    this.totals.newBlobs += blobs.length
    const write = this.#store(bytes, file, blobs)
      .then(() => this.#thread.post({ kind: 'reuse', buffer: bytes.buffer }, [bytes.buffer]))
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#writes.delete(write)
        this.#pump()
      })
    this.#writes.add(write)
  }

  async #store(bytes: Uint8Array, file: PackFile, blobs: PackedBlob[]): Promise<void> {
    await this.#storage.put(file.key, bytes)
    await this.#index.record(file, blobs)
  }

  #finishPack(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    const finished = Promise.withResolvers<void>()
    this.#finishing.push(finished)
    this.#thread.post({ kind: 'finish' })
    return finished.promise
  }

  #fail(cause: unknown): void {
    if (this.#failure) return
    const failure = cause instanceof Error ? cause : new Error(String(cause))
    this.#failure = failure
    const waiters = [...this.#unpacked].flatMap((added) => [added.result, added.packed])
    for (const waiter of [...waiters, ...this.#finishing]) waiter.reject(failure)
    this.#unpacked.clear()
    this.#queue = []
  }
}

const isBlob = (as: Item['as'] | undefined) => as !== 'recalled' && as !== 'digest'
