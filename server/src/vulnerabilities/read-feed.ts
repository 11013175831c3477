import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { type Entry, EntryCutter } from './cut-entries.ts'
import { FeedTrouble } from './feed-trouble.ts'
import type { FeedRecord, SoftwareType } from './record.ts'
import { isWordfence, readWordfence } from './wordfence.ts'
import { isWpscan, readWpscan, wpscanGroups } from './wpscan.ts'

export type Format = 'wordfence' | 'wpscan'

export interface FeedLimits {
  /** Bytes of the whole, unpacked. */
  bytes: number
  /** Bytes of one entry; the largest of today, a library that is in a thousand plugins, has half a megabyte. */
  entry: number
  entries: number
  depth: number
}

export const feedLimits: FeedLimits = { bytes: 1024 ** 3, entry: 8 * 1024 ** 2, entries: 500_000, depth: 64 }

const pieceBytes = 256 * 1024
/** 32 MB: what one unpacking may hold. */
const zstdWindow = 25

/** What a piece of a feed held. */
export interface FeedPiece {
  format: Format | undefined
  records: FeedRecord[]
  /** Entries that were not as the format has them. */
  unreadable: number
}

/** Reads a feed from a file, packed by gzip or zstd or not at all, a piece at a time. Throws a FeedTrouble. */
export async function* readFeed(file: string, named: SoftwareType, limits: FeedLimits = feedLimits): AsyncGenerator<FeedPiece> {
  const cutter = new EntryCutter(new Set(Object.keys(wpscanGroups)), limits)
  let [bytes, entries] = [0, 0]
  let format: Format | undefined
  for await (const chunk of unpacked(file)) {
    bytes += chunk.length
    if (bytes > limits.bytes) throw new FeedTrouble(`The feed is larger than ${limits.bytes} bytes when it is unpacked.`)
    const piece: FeedPiece = { format, records: [], unreadable: 0 }
    for (const entry of cutter.push(chunk)) {
      if (++entries > limits.entries) throw new FeedTrouble(`The feed has more than ${limits.entries} entries.`)
      format ??= formatOf(entry)
      const found = recordsOf(format, entry, named)
      if (found) piece.records.push(...found)
      else piece.unreadable++
    }
    yield { ...piece, format }
  }
  cutter.end()
}

async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const magic = await firstBytes(file)
  const source = createReadStream(file, { highWaterMark: pieceBytes })
  const packed = magic.startsWith('1f8b') ? createGunzip({ chunkSize: pieceBytes }) : magic === '28b52ffd' ? zstd() : undefined
  // pipe() passes no error of the source on.
  source.on('error', (error) => packed?.destroy(error))
  try {
    for await (const chunk of packed ? source.pipe(packed) : source) yield chunk as Buffer
  } catch (error) {
    if (packed && isUnpacking(error)) throw new FeedTrouble('The feed is packed (gzip or zstd), and broken or cut off.', { cause: error })
    throw error
  } finally {
    source.destroy()
    packed?.destroy()
  }
}

const zstd = (): Duplex => createZstdDecompress({ chunkSize: pieceBytes, params: { [constants.ZSTD_d_windowLogMax]: zstdWindow } })

const isUnpacking = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZLIB|ERR__ZSTD)|^ZLIB/.test(String(error.code))

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead).toString('hex')
  } finally {
    await handle.close()
  }
}

function formatOf({ group, value }: Entry): Format {
  if (group === undefined && isWordfence(value)) return 'wordfence'
  if (isWpscan(value)) return 'wpscan'
  throw new FeedTrouble('The feed is JSON, but neither as Wordfence Intelligence v3 nor as WPScan has it.')
}

function recordsOf(format: Format, { group, key, value }: Entry, named: SoftwareType): FeedRecord[] | undefined {
  if (format === 'wpscan') return readWpscan(group === undefined ? typeOf(value, named) : (wpscanGroups[group] ?? named), key, value)
  const record = readWordfence(value)
  return record && [record]
}

/** Files of plugins and of themes look alike, so their names tell; those of WordPress itself are told by what only they have. */
function typeOf(value: unknown, named: SoftwareType): SoftwareType {
  return typeof value === 'object' && value !== null && 'changelog_url' in value ? 'core' : named
}
