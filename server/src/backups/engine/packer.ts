import { Worker } from 'node:worker_threads'
import { deriveKeys } from './blob-id.ts'
import type { PackedBlob, PackFile } from './pack.ts'
import { type BlobType, MAX_BLOB_BYTES } from './pack-format.ts'
import type { FromWorker, ToWorker } from './pack-worker.ts'

/** What the packer needs of the object storage: `put` returns when the object is durable. */
export type PackStorage = { put(key: string, bytes: Uint8Array): Promise<unknown> }
/** What the packer needs of the database. `has` answers which of the ids are stored; `record` is called once per pack, after it is durable. */
export type BlobIndex = {
  has(ids: string[]): Promise<ReadonlySet<string>>
  record(pack: PackFile, blobs: PackedBlob[]): Promise<void>
}
export type PackerOptions = { workspace: string; workspaceKey: Uint8Array; storage: PackStorage; index: BlobIndex; workers?: 1 | 2 }
/** Bytes given, bytes written into packs by this run, and the number of blobs in them. */
export type PackerTotals = { plainBytes: number; storedBytes: number; newBlobs: number }

const BATCH_BYTES = 4 * 1024 * 1024
const BATCHES_PER_WORKER = 2
const PACKS_IN_FLIGHT = 2

type Waiter<T> = { resolve(value: T): void; reject(error: unknown): void }
type Added = { type: BlobType; bytes: Uint8Array; id: Waiter<string>; packed: PromiseWithResolvers<void> }
type Lane = { worker: Worker; outstanding: number; finishing: PromiseWithResolvers<void>[] }

/** Starts the workers of one backup run. Always `close()` it; only what `flush()` waited for is durable. */
export const openPacker = (options: PackerOptions): Packer => new Packer(options)

export class Packer {
  readonly totals: PackerTotals = { plainBytes: 0, storedBytes: 0, newBlobs: 0 }
  readonly #storage: PackStorage
  readonly #index: BlobIndex
  readonly #lanes: Lane[]
  readonly #known = new Set<string>()
  readonly #batches = new Map<number, { lane: Lane; blobs: Added[] }>()
  readonly #unpacked = new Set<Added>()
  readonly #writes = new Set<Promise<void>>()
  /** Buffers of batches that are done, to be filled again. */
  readonly #rooms: ArrayBuffer[] = []
  #queue: Added[] = []
  #nextBatch = 0
  #failure: Error | undefined

  constructor({ workspace, workspaceKey, storage, index, workers = 1 }: PackerOptions) {
    this.#storage = storage
    this.#index = index
    const keys = deriveKeys(workspace, workspaceKey)
    this.#lanes = Array.from({ length: workers }, () => this.#startLane(keys))
  }

  /** Adds one blob and answers its id. The bytes must not change until then; await it before giving more than a few MiB. */
  add(type: BlobType, bytes: Uint8Array): Promise<string> {
    if (this.#failure) return Promise.reject(this.#failure)
    if (bytes.length > MAX_BLOB_BYTES) return Promise.reject(new RangeError(`A blob of ${bytes.length} bytes is above the limit.`))
    const id = Promise.withResolvers<string>()
    const packed = Promise.withResolvers<void>()
    packed.promise.catch(() => undefined)
    const added = { type, bytes, id, packed }
    this.#queue.push(added)
    this.#unpacked.add(added)
    this.totals.plainBytes += bytes.length
    queueMicrotask(() => this.#pump())
    return id.promise
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
    await Promise.all(this.#lanes.map((lane) => this.#finishPack(lane)))
    await Promise.all(this.#writes)
    if (this.#failure) throw this.#failure
  }

  /** Stops the workers; a pack that was not full yet is dropped, one being written is completed. Safe to call twice. */
  async close(): Promise<void> {
    this.#fail(new Error('The packer was closed.'))
    await Promise.allSettled(this.#writes)
    await Promise.all(this.#lanes.map((lane) => lane.worker.terminate()))
  }

  #startLane(keys: object): Lane {
    const worker = new Worker(new URL('./pack-worker.ts', import.meta.url), {
      workerData: keys,
      name: 'packer',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    const lane: Lane = { worker, outstanding: 0, finishing: [] }
    worker.on('message', (message: FromWorker) => this.#receive(lane, message))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => this.#fail(new Error('A packing worker stopped.')))
    return lane
  }

  #pump(): void {
    for (const lane of this.#lanes) {
      while (this.#queue.length > 0 && lane.outstanding < BATCHES_PER_WORKER && this.#writes.size < PACKS_IN_FLIGHT) this.#sendBatch(lane)
    }
  }

  #sendBatch(lane: Lane): void {
    const blobs = this.#takeBatch()
    const length = blobs.reduce((sum, blob) => sum + blob.bytes.length, 0)
    const bytes = new Uint8Array(length <= BATCH_BYTES ? (this.#rooms.pop() ?? new ArrayBuffer(BATCH_BYTES)) : new ArrayBuffer(length))
    let at = 0
    for (const blob of blobs) {
      bytes.set(blob.bytes, at)
      at += blob.bytes.length
    }
    const batch = this.#nextBatch++
    lane.outstanding += 1
    this.#batches.set(batch, { lane, blobs })
    const message = { kind: 'hash', batch, bytes, types: blobs.map((b) => b.type), lengths: blobs.map((b) => b.bytes.length) } as const
    post(lane, message, [bytes.buffer])
  }

  #takeBatch(): Added[] {
    let count = 0
    for (let size = 0; count < this.#queue.length; count++) {
      size += this.#queue[count]?.bytes.length ?? 0
      if (count > 0 && size > BATCH_BYTES) break
    }
    return this.#queue.splice(0, count)
  }

  #receive(lane: Lane, message: FromWorker): void {
    if (message.kind === 'ids') this.#decide(message.batch, message.ids).catch((error) => this.#fail(error))
    else if (message.kind === 'pack') this.#write(lane, message)
    else if (message.kind === 'done') this.#finishBatch(message)
    else lane.finishing.shift()?.resolve()
  }

  async #decide(batch: number, ids: string[]): Promise<void> {
    const { lane, blobs } = this.#batches.get(batch) ?? {}
    if (!lane || !blobs) return
    const fresh = new Set(ids.filter((id) => !this.#known.has(id)))
    for (const id of fresh) this.#known.add(id)
    for (const [i, blob] of blobs.entries()) blob.id.resolve(ids[i] ?? '')
    const stored = fresh.size > 0 ? await this.#index.has([...fresh]) : new Set<string>()
    if (this.#failure) return
    const keep = ids.map((id) => fresh.delete(id) && !stored.has(id))
    post(lane, { kind: 'keep', batch, keep })
  }

  #finishBatch({ batch, buffer }: Extract<FromWorker, { kind: 'done' }>): void {
    if (buffer.byteLength === BATCH_BYTES) this.#rooms.push(buffer)
    const { lane, blobs } = this.#batches.get(batch) ?? {}
    if (!lane || !blobs) return
    this.#batches.delete(batch)
    lane.outstanding -= 1
    for (const blob of blobs) {
      this.#unpacked.delete(blob)
      blob.packed.resolve()
    }
    this.#pump()
  }

  #write(lane: Lane, { bytes, file, blobs }: Extract<FromWorker, { kind: 'pack' }>): void {
    this.totals.storedBytes += file.size
    this.totals.newBlobs += blobs.length
    const write = this.#store(bytes, file, blobs)
      .then(() => post(lane, { kind: 'reuse', buffer: bytes.buffer }, [bytes.buffer]))
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

  #finishPack(lane: Lane): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    const finished = Promise.withResolvers<void>()
    lane.finishing.push(finished)
    post(lane, { kind: 'finish' })
    return finished.promise
  }

  #fail(cause: unknown): void {
    if (this.#failure) return
    const failure = cause instanceof Error ? cause : new Error(String(cause))
    this.#failure = failure
    const waiters = [...this.#unpacked].flatMap((added) => [added.id, added.packed])
    for (const waiter of [...waiters, ...this.#lanes.flatMap((lane) => lane.finishing)]) waiter.reject(failure)
    this.#unpacked.clear()
    this.#queue = []
  }
}

function post(lane: Lane, message: ToWorker, transfer: ArrayBuffer[] = []): void {
  lane.worker.postMessage(message, transfer)
}
