// The worker thread of a packer: hashes, compresses and encrypts, so that the service's event loop does not.
import { createHash, type Hash } from 'node:crypto'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { blobId, type WorkspaceKeys } from './blob-id.ts'
import { type PackedBlob, type PackFile, PackWriter } from './pack.ts'
import type { BlobType } from './pack-format.ts'

/** A blob of a type, or what only concerns the digest of a `file`: bytes of it that are stored already, or its end. */
export type Item = { as: BlobType | 'recalled' | 'digest'; length: number; file?: number }
/** `hash`: the items lie one after another in `bytes`. `keep`: which of them to pack. `finish`: close the open pack. `reuse`: a pack's buffer back. `end`: nothing comes any more. */
export type ToWorker =
  | { kind: 'hash'; batch: number; bytes: Uint8Array<ArrayBuffer>; items: Item[] }
  | { kind: 'keep'; batch: number; keep: boolean[] }
  | { kind: 'finish' }
  | { kind: 'reuse'; buffer: ArrayBuffer }
  | { kind: 'end' }
/** `results`: the id of each blob, the digest of a file where it was asked for. */
export type FromWorker =
  | { kind: 'hashed'; batch: number; results: string[] }
  | { kind: 'pack'; bytes: Uint8Array<ArrayBuffer>; file: PackFile; blobs: PackedBlob[] }
  | { kind: 'done'; batch: number; buffer: ArrayBuffer }
  | { kind: 'finished' }

type Waiting = { as: Item['as']; result: string; plain: Uint8Array }

const keys = workerData as WorkspaceKeys
const batches = new Map<number, { buffer: ArrayBuffer; waiting: Waiting[] }>()
const files = new Map<number, Hash>()
const rooms: ArrayBuffer[] = []
let pack: PackWriter | undefined

function serve(port: MessagePort): void {
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'hash') hash(port, message)
    else if (message.kind === 'keep') keep(port, message.batch, message.keep)
    else if (message.kind === 'finish') finish(port)
    else if (message.kind === 'reuse') rooms.push(message.buffer)
    else port.close()
  })
}

function hash(port: MessagePort, { batch, bytes, items }: Extract<ToWorker, { kind: 'hash' }>): void {
  let at = 0
  const waiting = items.map((item) => {
    const plain = bytes.subarray(at, at + item.length)
    at += plain.length
    return { as: item.as, result: resultOf(item, plain), plain }
  })
  batches.set(batch, { buffer: bytes.buffer, waiting })
  send(port, { kind: 'hashed', batch, results: waiting.map(({ result }) => result) })
}

function resultOf({ as, file }: Item, plain: Uint8Array): string {
  const whole = file === undefined ? undefined : (files.get(file) ?? createHash('sha256'))
  if (file !== undefined && whole) files.set(file, whole.update(plain))
  if (as === 'recalled') return ''
  if (as !== 'digest') return blobId(keys, plain)
  files.delete(file ?? -1)
  return whole?.digest('hex') ?? ''
}

function keep(port: MessagePort, batch: number, wanted: boolean[]): void {
  const held = batches.get(batch)
  if (!held) return
  for (const [i, { as, result: id, plain }] of held.waiting.entries()) {
    if (!wanted[i] || as === 'recalled' || as === 'digest') continue
    if (!pack?.hasRoomFor(plain.length)) sendPack(port)
    pack ??= new PackWriter(keys, rooms.pop())
    pack.add(as, id, plain)
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
