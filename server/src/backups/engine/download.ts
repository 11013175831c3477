import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import type { FilePart } from '../../kernel/operation.ts'
import { doubtOf } from './definition.ts'
import { PIECE_BYTES } from './file-plan.ts'
import { type FileEntry, type Manifest, readFiles, readOmissions, readTables, type TableEntry } from './manifest.ts'
import { onlyRows } from './only-rows.ts'
import { PackDamage } from './pack-format.ts'
import type { ReadBlob } from './record-tree.ts'
import { showPath } from './site-path.ts'
import { showRow } from './skipped-rows.ts'
import { dumpLength, dumpParts } from './sql-dump.ts'
import { padding, type TarEntry, tarEnd, tarHeader } from './tar-header.ts'

type Content = { manifest: Manifest; readBlob: ReadBlob }
export type DownloadRequest = Content & { signal: AbortSignal; onDamage?: (error: PackDamage) => Promise<unknown> }
/** Another one when the bytes of a download of the same backup would be others. */
export const TAR_LAYOUT = 'tar 2'

/** A stretch of the archive, whose length is known before any of it is read. */
type Span = { length: number; what: string; read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array> }

const FOLDERS: Readonly<Record<string, string>> = { abspath: 'files', content: 'content', config: 'config' }
const ZSTD = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }
const ALL: FilePart = { from: 0, to: Number.POSITIVE_INFINITY }
const OMISSIONS_SHOWN = 10_000

/**
 * A backup as a plain archive, or a part of its bytes: `files/`, `content/`, `config/`, `database.sql`, `manifest.json`.
 * The same backup is always the same bytes, and what comes before a part is not read.
 * Every digest is checked on the way; damage ends the stream with an error instead of the archive's end.
 */
export function downloadTar({ signal, onDamage, ...request }: DownloadRequest, part: FilePart = ALL): Readable {
  const tar = Readable.from(telling(cut(spansOf(request), part), onDamage), { objectMode: false, highWaterMark: 1024 * 1024 })
  const stop = () => tar.destroy(signal.reason instanceof Error ? signal.reason : new Error('The download was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  tar.once('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return tar
}

/** The length of the whole archive; no content is read for it. */
export async function tarLength(request: Content): Promise<number> {
  let sum = 0
  for await (const { length } of spansOf(request)) sum += length
  return sum
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

async function* cut(spans: AsyncIterable<Span>, { from, to }: FilePart): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0
  for await (const span of spans) {
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

async function* spansOf({ manifest, readBlob }: Content): AsyncGenerator<Span, void, undefined> {
  let folder: string | undefined
  for await (const file of readFiles(manifest, readBlob)) {
    const root = FOLDERS[file.root] ?? file.root
    if (root !== folder)
      yield known(tarHeader({ path: Buffer.from(root), type: 'directory', mode: 0o755, mtime: startOf(manifest), size: 0, target: null }))
    folder = root
    yield* fileSpans(file, root, readBlob)
  }
  if (manifest.database) yield* databaseSpans(manifest, readBlob)
  yield* documentSpans(manifest, await description(manifest, readBlob))
  yield known(tarEnd())
}

const known = (bytes: Uint8Array): Span => ({ length: bytes.length, what: 'the archive', read: () => [bytes] })

function* fileSpans(file: FileEntry, folder: string, read: ReadBlob): Generator<Span, void, undefined> {
  const path = Buffer.concat([Buffer.from(`${folder}/`), file.path])
  yield known(tarHeader({ ...file, path }))
  if (file.type !== 'file') return
  const what = `the file ${showPath(path)}`
  const hash = createHash('sha256')
  let hashed = 0
  const check = (isLast: boolean) => {
    // Of a file whose beginning was not wanted its blobs alone vouch: each has the digest of its content for a name.
    if (isLast && hashed === file.size && hash.digest('hex') !== file.sha256) throw new PackDamage(`${what} is not what was backed up`)
  }
  for (const { ids, length, isLast } of piecesOf(file))
    yield {
      length,
      what,
      async *read() {
        for await (const bytes of contentOf(ids, read)) {
          hash.update(bytes)
          hashed += bytes.length
          yield bytes
        }
        check(isLast)
      },
    }
  yield known(padding(file.size))
}

/** The blobs of a file with the bytes they hold: all but the last hold the same, where a file was read in one go. */
function piecesOf({ size, blobs }: FileEntry): { ids: string[]; length: number; isLast: boolean }[] {
  if (blobs.length !== Math.ceil(size / PIECE_BYTES)) return [{ ids: blobs, length: size, isLast: true }]
  return blobs.map((id, i) => ({ ids: [id], length: Math.min(PIECE_BYTES, size - i * PIECE_BYTES), isLast: i === blobs.length - 1 }))
}

async function* databaseSpans(manifest: Manifest, read: ReadBlob): AsyncGenerator<Span, void, undefined> {
  const parts = () => dumpParts(readTables(manifest, read))
  const size = await dumpLength(parts())
  yield known(tarHeader(document(manifest, 'database.sql', size)))
  for await (const part of parts())
    yield 'text' in part
      ? known(part.text)
      : { length: part.bytes, what: 'a part of the rows of the database', read: () => onlyRows(part, read) }
  yield known(padding(size))
}

async function* contentOf(ids: string[], read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  for (const id of ids) yield await read(id)
}

function* documentSpans(manifest: Manifest, content: unknown): Generator<Span, void, undefined> {
  const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  yield known(tarHeader(document(manifest, 'manifest.json', bytes.length)))
  yield known(bytes)
  yield known(padding(bytes.length))
}

const document = (manifest: Manifest, path: string, size: number): TarEntry => {
  return { path: Buffer.from(path), type: 'file', mode: 0o600, mtime: startOf(manifest), size, target: null }
}

const startOf = (manifest: Manifest) => Math.floor(Date.parse(manifest.started_at) / 1000)

/** The manifest for people: what the backup holds and what it does not, without the names of blobs. */
async function description(manifest: Manifest, read: ReadBlob): Promise<Record<string, unknown>> {
  const tables = new Map<string, { rows: number; skipped_rows: number; consistency: TableEntry['consistency'] }>()
  const omissions: Record<string, string>[] = []
  for (const { table, why } of manifest.database?.omitted ?? []) omissions.push({ kind: 'table', table, why })
  for await (const table of readTables(manifest, read)) {
    const { name, ranges, consistency } = table
    const why = doubtOf(table)
    if (why !== null) {
      if (omissions.at(-1)?.['table'] !== name) omissions.push({ kind: 'table', table: name, why })
      continue
    }
    const { rows, skipped_rows } = tables.get(name) ?? { rows: 0, skipped_rows: 0 }
    const skipped = ranges.flatMap((range) => range.skipped ?? [])
    tables.set(name, {
      rows: ranges.reduce((sum, range) => sum + range.rows, rows),
      skipped_rows: skipped_rows + skipped.length,
      consistency,
    })
    omissions.push(
      ...skipped.slice(0, OMISSIONS_SHOWN - omissions.length).map((row) => ({ kind: 'too_large', table: name, row: showRow(row) })),
    )
  }
  for await (const { kind, root, path, why } of readOmissions(manifest, read)) {
    if (omissions.length >= OMISSIONS_SHOWN) break
    omissions.push({ kind, root, path: path.toString('utf8'), why })
  }
  const { files, database, ...head } = manifest
  const counts = files && { ...files, nodes: undefined, omissions: undefined }
  const rows = database && { ...database, nodes: undefined, omitted: undefined, tables: Object.fromEntries(tables) }
  return { ...head, files: counts, database: rows, omissions }
}
