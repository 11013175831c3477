import { discardBuffer } from './discard.ts'

// A pool of the large buffers that answers are read into. V8 collects a heap once so much memory outside of it was allocated since
// the last time, given back by hand or not: with a new buffer for each answer a backup marked its heap of 55 MB three times a second.

/** Smaller ones are no trouble, larger ones are rare. */
const [LEAST_BYTES, MOST_BYTES] = [1024 * 1024, 10 * 1024 * 1024]
const MOST_POOLED = 3
const IDLE_MS = 2_000

/** The smallest first. */
const pooled: ArrayBuffer[] = []
let idle: NodeJS.Timeout | undefined

/** A buffer of at least so many bytes, with whatever lay there before. */
export function takeBuffer(bytes: number): Buffer<ArrayBuffer> {
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafeSlow(bytes)
  const at = pooled.findIndex(({ byteLength }) => byteLength >= bytes)
  const [buffer] = at < 0 ? [] : pooled.splice(at, 1)
  // Whole megabytes, so that it is large enough for the next answer as well.
  return buffer ? Buffer.from(buffer) : Buffer.allocUnsafeSlow(Math.ceil(bytes / LEAST_BYTES) * LEAST_BYTES)
}

/** Only for what nobody reads any more: every view of it is empty from now on. What lies around it goes too. */
export function returnBuffer({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer)) return
  if (buffer.byteLength < LEAST_BYTES || buffer.byteLength > MOST_BYTES) {
    discardBuffer(buffer)
    return
  }
  // Its memory as a buffer of its own: what still looks at the old one must not see the next answer.
  pooled.push(buffer.transfer())
  pooled.sort((a, b) => a.byteLength - b.byteLength)
  if (pooled.length > MOST_POOLED) discardBuffer(pooled.shift() as ArrayBuffer)
  clearTimeout(idle)
  idle = setTimeout(() => {
    for (const each of pooled.splice(0)) discardBuffer(each)
  }, IDLE_MS).unref()
}
