import { discardBuffer } from './discard.ts'

// Large buffers that answers are read into, one after another. V8 collects a heap once so much memory outside of it has come since
// the last time, given back by hand or not: with a new buffer for each answer a backup marked its 55 MB heap three times a second.

/** Smaller ones are no trouble, larger ones are rare. */
const [LEAST_BYTES, MOST_BYTES] = [1024 * 1024, 10 * 1024 * 1024]
const MOST_KEPT = 3
const IDLE_MS = 2_000

const kept: ArrayBuffer[] = []
let idle: NodeJS.Timeout | undefined

/** A buffer of at least so many bytes, with whatever lay there before. */
export function takeRoom(bytes: number): Buffer<ArrayBuffer> {
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafeSlow(bytes)
  const at = kept.findIndex(({ byteLength }) => byteLength >= bytes)
  const [room] = at < 0 ? [] : kept.splice(at, 1)
  // Whole megabytes, so that it is large enough for the next answer as well.
  return room ? Buffer.from(room) : Buffer.allocUnsafeSlow(Math.ceil(bytes / LEAST_BYTES) * LEAST_BYTES)
}

/** Only for what nobody reads any more: every view of it is empty from now on. What lies around it goes too. */
export function giveBack({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer)) return
  if (buffer.byteLength < LEAST_BYTES || buffer.byteLength > MOST_BYTES) {
    discardBuffer(buffer)
    return
  }
  // The memory in a buffer of its own: what still looks at the old one must not see the next answer.
  kept.push(buffer.transfer())
  kept.sort((a, b) => a.byteLength - b.byteLength)
  if (kept.length > MOST_KEPT) discardBuffer(kept.shift() as ArrayBuffer)
  clearTimeout(idle)
  idle = setTimeout(() => {
    for (const room of kept.splice(0)) discardBuffer(room)
  }, IDLE_MS).unref()
}
