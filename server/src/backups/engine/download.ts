import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import type { FilePart } from '../../kernel/operation.ts'
import type { Content, Span } from './archive.ts'
import { PackDamage } from './pack-format.ts'
import { spansFrom, type TarMap } from './tar-map.ts'

export type DownloadRequest = Content & { map?: TarMap; signal: AbortSignal; onDamage?: (error: PackDamage) => Promise<unknown> }

const ZSTD = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }
const ALL: FilePart = { from: 0, to: Number.POSITIVE_INFINITY }

/**
 * A backup as a plain archive, or a part of its bytes: `files/`, `content/`, `config/`, `database.sql`, `manifest.json`.
 * The same backup is always the same bytes. What comes before a part is not read, nor are the lists of it where there is a map.
 * Every digest is checked on the way; damage ends the stream with an error instead of the archive's end.
 */
export function downloadTar({ signal, onDamage, map, ...content }: DownloadRequest, part: FilePart = ALL): Readable {
  const tar = Readable.from(telling(cut(spansFrom(content, part.from, map), part), onDamage), {
    objectMode: false,
    highWaterMark: 1024 * 1024,
  })
  const stop = () => tar.destroy(signal.reason instanceof Error ? signal.reason : new Error('The download was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  tar.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return tar
}

/** The same, compressed: how long it will be nobody knows before its end. */
export function downloadTarZst(request: DownloadRequest): Readable {
  // What becomes of either stream becomes of the other; whoever reads is told by the second.
  return pipeline(downloadTar(request), createZstdCompress(ZSTD), () => undefined)
}

async function* telling(
  bytes: AsyncIterable<Uint8Array>,
  onDamage: DownloadRequest['onDamage'],
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* bytes
  } catch (error) {
    if (error instanceof PackDamage) await onDamage?.(error)
    throw error
  }
}

async function* cut(begun: ReturnType<typeof spansFrom>, { from, to }: FilePart): AsyncGenerator<Uint8Array, void, undefined> {
  let { at } = begun
  for await (const span of begun.spans) {
    if (at + span.length > from && span.length > 0) yield* within(span, from - at, to - at)
    at += span.length
    if (at >= to) return
  }
}

async function* within({ length, what, read }: Span, from: number, to: number): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0
  for await (const bytes of read()) {
    const wanted = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at))
    at += bytes.length
    if (at <= length && wanted.length > 0) yield wanted
  }
  if (at !== length) throw new PackDamage(`${what} is not what was backed up`)
}
