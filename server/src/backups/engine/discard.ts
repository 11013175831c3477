/**
 * Gives the memory of a large buffer back at once. Only for buffers that nobody else has a view of.
 * The collector sees small objects in a small heap, so in a packing thread it would let tens of megabytes pile up.
 */
export function discard(bytes: Uint8Array): void {
  const { buffer } = bytes
  const isWhole = buffer.byteLength === bytes.byteLength && bytes.byteLength >= SMALLEST
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

// Smaller ones may lie in memory that is shared and kept.
const SMALLEST = 16 * 1024
