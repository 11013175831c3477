// The body of an answer, no more and no longer than it is told.
import type { Dispatcher } from 'undici'
import { discard } from './discard.ts'
import { FetchError } from './fetch-error.ts'

const WINDOW_MS = 30_000
const MIN_BYTES_PER_WINDOW = 30 * 1024

export type Reading = {
  method: 'GET' | 'HEAD' | 'POST'
  /** More bytes of body than this end the request. */
  maxBytes: number
  /** Takes the body of the answer piece by piece; it is then not kept, and `body` is empty. */
  into?: (piece: Buffer) => Promise<void>
  /** Instead, no more than `maxBytes` are read, and that is the answer. */
  cut?: boolean
}

/** The body of an answer; `late` is aborted, with why, where it is too large or too slow. */
export async function readCapped(response: Dispatcher.ResponseData, request: Reading, late: AbortController): Promise<Buffer> {
  const { method, maxBytes, cut = false, into } = request
  const announced = Number(response.headers['content-length'] ?? 0)
  const isEmpty = method === 'HEAD' || into !== undefined || !(announced <= maxBytes)
  const room = Buffer.allocUnsafeSlow(isEmpty ? 0 : announced)
  const chunks: Buffer[] = []
  let size = 0
  let before = 0
  const pace = setInterval(() => {
    if (size - before < MIN_BYTES_PER_WINDOW) late.abort(new FetchError('timeout', 'The answer came too slowly.'))
    before = size
  }, WINDOW_MS)
  const limit = (bytes: number) => {
    if (bytes <= maxBytes) return
    // Ends the connection too; otherwise the rest would keep coming.
    late.abort(new FetchError('too_large', `The answer is larger than ${maxBytes} bytes.`))
    throw late.signal.reason
  }
  try {
    if (method !== 'HEAD' && !cut) limit(announced)
    for await (const chunk of response.body) {
      if (!cut) limit(size + chunk.length)
      const { length } = chunk
      if (into) await into(chunk)
      else if (size + length <= room.length) keep(chunk, room, size)
      else chunks.push(chunk)
      size += length
      // Leaving the loop ends the connection.
      if (cut && size >= maxBytes) break
    }
    const whole = chunks.length === 0 ? room.subarray(0, size) : Buffer.concat([room.subarray(0, size - lengthOf(chunks)), ...chunks])
    return cut ? whole.subarray(0, maxBytes) : whole
  } finally {
    clearInterval(pace)
  }
}

/** What was read from the network is given back at once, unless the parser has more of it. */
function keep(chunk: Buffer, room: Buffer, at: number): void {
  chunk.copy(room, at)
  discard(chunk)
}

export const lengthOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
