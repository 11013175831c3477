// Memory of large buffers, given back at once. The collector sees small objects in a small heap: it would let a hundred megabytes
// pile up and then go through the whole heap for them, again and again.

// Smaller ones may lie in memory that is shared and kept.
const SMALLEST = 16 * 1024

/** Only for a buffer that nobody else has a view of; a view of a part is left alone. */
export function discard(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) discardAround(bytes)
}

/** With everything that lies around it: only for a part of a buffer whose other parts nobody needs either. */
export function discardAround({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= SMALLEST) buffer.transfer(0)
}
