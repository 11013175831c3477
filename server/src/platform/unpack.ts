// Pages that come packed although nobody asked for that.
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const { Z_SYNC_FLUSH: finishFlush, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants
/** Each takes what was cut off as far as it goes. */
const unpackers: Record<string, () => ReturnType<typeof createGunzip>> = {
  gzip: () => createGunzip({ finishFlush }),
  deflate: () => createInflate({ finishFlush }),
  br: () => createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ finishFlush: ZSTD_e_flush }),
}

/** What an answer says, `most` bytes of it; as it came where it is not packed, or does not unpack. */
export async function unpacked({ headers, body }: { headers: Record<string, string>; body: Buffer }, most: number): Promise<Buffer> {
  const unpacker = unpackers[headers['content-encoding']?.trim().toLowerCase() ?? '']?.()
  if (!unpacker || body.length === 0) return body
  const pieces: Buffer[] = []
  let bytes = 0
  unpacker.end(body)
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= most) break
    }
  } catch {
    if (bytes === 0) return body
  }
  return Buffer.concat(pieces).subarray(0, most)
}
