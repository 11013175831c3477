import { isMarkedAsUntransferable } from 'node:worker_threads'

// Memory of large buffers, given back at once. The collector sees small objects in a small heap: it would let a hundred megabytes
// pile up and then go through the whole heap for them, again and again. Left to it a full backup took 50 MB more at its peak and a
// tenth more of the processor.

const PAGE_BYTES = 4_096

/** Only for a buffer that nobody else has a view of; a view of a part is left alone. */
export function discard(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) discardAround(bytes)
}

/** With everything that lies around it: only for a part of a buffer whose other parts nobody needs either. */
export function discardAround({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) discardBuffer(buffer)
}

export function discardBuffer(buffer: ArrayBuffer): void {
  // Small buffers of Node's lie together in a pool, which is marked. What is smaller than a page is not worth it.
  if (buffer.byteLength >= PAGE_BYTES && !isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
