// Reading the bodies of verified answers: results in JSON, and slices with bytes behind a small JSON header.
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { siteSaid } from './clean.ts'
import { SiteError } from './site-error.ts'
import { parseJson } from './verify.ts'

const unzip = promisify(gunzip)
const META_CAP = 4 * 1024 * 1024
// DEFLATE cannot do better than about 1,032 to 1; what claims more is not text that was packed.
const RATIO = 1_040
// A trip to another thread costs more than this.
const UNZIPPED_HERE = 64 * 1024
const LARGEST_CHUNK = 1024 * 1024

export type Slice = { result: Record<string, unknown>; payload: Buffer }

/** The `result` of a JSON answer. */
export function decodeResult(body: Buffer): Record<string, unknown> {
  const json = parseJson(body)
  const result = isObject(json) ? json.result : undefined
  // PHP writes an empty object as [].
  if (Array.isArray(result) && result.length === 0) return {}
  if (!isObject(result)) throw malformed('The connector’s answer is not the JSON it should be.')
  return result
}

/** 4 bytes big-endian length, the meta as JSON, then the payload. */
export function decodeSlice(body: Buffer): Slice {
  const length = body.length >= 4 ? body.readUInt32BE(0) : Number.NaN
  const meta = length <= META_CAP && length <= body.length - 4 ? parseJson(body.subarray(4, 4 + length)) : undefined
  if (!isObject(meta)) throw malformed('A slice of the site’s data cannot be read.')
  return { result: meta, payload: body.subarray(4 + length) }
}

/** Plain bytes of one payload; never more than `maxBytes`, whatever the packed bytes pretend. */
export async function plainBytes(packed: Buffer, encoding: 'identity' | 'gzip', maxBytes: number): Promise<Buffer> {
  if (encoding === 'identity') {
    if (packed.length > maxBytes) throw new SiteError('too_large', `The site sent more than the ${maxBytes} bytes that were asked for.`)
    return packed
  }
  try {
    const maxOutputLength = Math.max(1, Math.min(maxBytes, packed.length * RATIO))
    if (maxOutputLength <= UNZIPPED_HERE) return gunzipSync(packed, { maxOutputLength, chunkSize: Math.max(64, maxOutputLength) })
    return await unzip(packed, { maxOutputLength, chunkSize: Math.min(maxOutputLength, LARGEST_CHUNK) })
  } catch (cause) {
    const tooLarge = cause instanceof RangeError
    if (tooLarge) throw new SiteError('too_large', `The site’s data unpacks to more than ${maxBytes} bytes.`, { cause })
    throw new SiteError('malformed', 'The site’s packed data cannot be unpacked.', { cause })
  }
}

/** `named`: what the site calls the thing it is about. */
export function malformed(message: string, { named = '', cause }: { named?: string; cause?: unknown } = {}): SiteError {
  return new SiteError('malformed', message, { siteSaid: siteSaid(named), cause })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
