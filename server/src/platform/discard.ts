/**
 * Gives the memory of a large buffer back at once. Nobody may look at it any more.
 * The collector sees only small objects, so it would let hundreds of megabytes pile up, and then go through the whole heap for them.
 * A view of a part is left alone: others may have the rest.
 */
export function discard(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength && bytes.byteLength >= SMALLEST) buffer.transfer(0)
}

// Smaller ones may come from memory that is shared and kept.
const SMALLEST = 16 * 1024
