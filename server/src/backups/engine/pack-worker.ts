// The worker thread of a packer: hashes, compresses and encrypts, so that the service's event loop does not.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { blobId, type WorkspaceKeys } from './blob-id.ts'
import { type PackedBlob, type PackFile, PackWriter } from './pack.ts'
import type { BlobType } from './pack-format.ts'

/** `hash`: blobs lie one after another in `bytes`. `keep`: which of them to pack. `finish`: close the open pack. `reuse`: a pack's buffer back. */
export type ToWorker =
  | { kind: 'hash'; batch: number; bytes: Uint8Array<ArrayBuffer>; types: BlobType[]; lengths: number[] }
  | { kind: 'keep'; batch: number; keep: boolean[] }
  | { kind: 'finish' }
  | { kind: 'reuse'; buffer: ArrayBuffer }
export type FromWorker =
  | { kind: 'ids'; batch: number; ids: string[] }
  | { kind: 'pack'; bytes: Uint8Array<ArrayBuffer>; file: PackFile; blobs: PackedBlob[] }
  | { kind: 'done'; batch: number; buffer: ArrayBuffer }
  | { kind: 'finished' }

type Waiting = { type: BlobType; id: string; plain: Uint8Array }

const keys = workerData as WorkspaceKeys
const batches = new Map<number, { buffer: ArrayBuffer; blobs: Waiting[] }>()
const rooms: ArrayBuffer[] = []
let pack: PackWriter | undefined

function serve(port: MessagePort): void {
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'hash') hash(port, message)
    else if (message.kind === 'keep') keep(port, message.batch, message.keep)
    else if (message.kind === 'finish') finish(port)
    else rooms.push(message.buffer)
  })
}

function hash(port: MessagePort, message: Extract<ToWorker, { kind: 'hash' }>): void {
  let at = 0
  const blobs = message.types.map((type, i) => {
    const plain = message.bytes.subarray(at, at + (message.lengths[i] ?? 0))
    at += plain.length
    return { type, id: blobId(keys, plain), plain }
  })
  batches.set(message.batch, { buffer: message.bytes.buffer, blobs })
  send(port, { kind: 'ids', batch: message.batch, ids: blobs.map((blob) => blob.id) })
}

function keep(port: MessagePort, batch: number, wanted: boolean[]): void {
  const held = batches.get(batch)
  if (!held) return
  for (const [i, blob] of held.blobs.entries()) {
    if (!wanted[i]) continue
    if (!pack?.hasRoomFor(blob.plain.length)) sendPack(port)
    pack ??= new PackWriter(keys, rooms.pop())
    pack.add(blob.type, blob.id, blob.plain)
  }
  batches.delete(batch)
  const message: FromWorker = { kind: 'done', batch, buffer: held.buffer }
  port.postMessage(message, [held.buffer])
}

function finish(port: MessagePort): void {
  sendPack(port)
  send(port, { kind: 'finished' })
}

function sendPack(port: MessagePort): void {
  if (!pack) return
  const { bytes, file, blobs } = pack.finish()
  pack = undefined
  const message: FromWorker = { kind: 'pack', bytes, file: { ...file, salt: new Uint8Array(file.salt) }, blobs }
  port.postMessage(message, [bytes.buffer])
}

function send(port: MessagePort, message: FromWorker): void {
  port.postMessage(message)
}

if (parentPort) serve(parentPort)
