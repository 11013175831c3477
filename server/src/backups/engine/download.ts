import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import { type FileEntry, type Manifest, readFiles, readOmissions, readTables, type TableEntry } from './manifest.ts'
import { PackDamage } from './pack-format.ts'
import type { ReadBlob } from './record-tree.ts'
import { showPath } from './site-path.ts'
import { showRow } from './skipped-rows.ts'
import { dumpBytes, dumpLength, dumpParts } from './sql-dump.ts'
import { padding, type TarEntry, tarEnd, tarHeader } from './tar-header.ts'

export type DownloadRequest = { manifest: Manifest; readBlob: ReadBlob; signal: AbortSignal }

const FOLDERS: Readonly<Record<string, string>> = { abspath: 'files', content: 'content', config: 'config' }
const ZSTD = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }
const OMISSIONS_SHOWN = 10_000

/**
 * A backup as a plain archive: `files/`, `content/`, `config/`, `database.sql`, `manifest.json`.
 * Every digest is checked on the way; damage ends the stream with an error instead of the archive's end.
 */
export function downloadTarZst(request: DownloadRequest): Readable {
  const compress = createZstdCompress(ZSTD)
  const source = Readable.from(tarBytes(request), { objectMode: false, highWaterMark: 1024 * 1024 })
  source.on('error', (error) => compress.destroy(error))
  compress.on('close', () => source.destroy())
  const abort = () => compress.destroy(abortError(request.signal))
  request.signal.addEventListener('abort', abort, { once: true })
  compress.on('close', () => request.signal.removeEventListener('abort', abort))
  if (request.signal.aborted) abort()
  return source.pipe(compress)
}

const abortError = (signal: AbortSignal) => (signal.reason instanceof Error ? signal.reason : new Error('The download was stopped.'))

async function* tarBytes({ manifest, readBlob }: DownloadRequest): AsyncGenerator<Uint8Array, void, undefined> {
  let folder: string | undefined
  for await (const file of readFiles(manifest, readBlob)) {
    const root = FOLDERS[file.root] ?? file.root
    if (root !== folder)
      yield tarHeader({ path: Buffer.from(root), type: 'directory', mode: 0o755, mtime: startOf(manifest), size: 0, target: null })
    folder = root
    yield* fileBytes(file, root, readBlob)
  }
  if (manifest.database) yield* databaseBytes(manifest, readBlob)
  yield* documentBytes(manifest, await description(manifest, readBlob))
  yield tarEnd()
}

async function* fileBytes(file: FileEntry, folder: string, read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  const path = Buffer.concat([Buffer.from(`${folder}/`), file.path])
  yield tarHeader({ ...file, path })
  if (file.type !== 'file') return
  const hash = createHash('sha256')
  let size = 0
  for (const id of file.blobs) {
    const bytes = await read(id)
    hash.update(bytes)
    size += bytes.length
    if (size <= file.size) yield bytes
  }
  if (size !== file.size || hash.digest('hex') !== file.sha256) throw new PackDamage(`the file ${showPath(path)} is not what was backed up`)
  yield padding(size)
}

async function* databaseBytes(manifest: Manifest, read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  const { database } = manifest
  if (!database) return
  const parts = () => dumpParts(readTables(manifest, read))
  const size = await dumpLength(parts())
  yield tarHeader(document(manifest, 'database.sql', size))
  let sent = 0
  for await (const bytes of dumpBytes(parts(), read)) {
    sent += bytes.length
    if (sent <= size) yield bytes
  }
  if (sent !== size) throw new PackDamage('the rows of the database have another length than was backed up')
  yield padding(size)
}

function* documentBytes(manifest: Manifest, content: unknown): Generator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  yield tarHeader(document(manifest, 'manifest.json', bytes.length))
  yield bytes
  yield padding(bytes.length)
}

const document = (manifest: Manifest, path: string, size: number): TarEntry => {
  return { path: Buffer.from(path), type: 'file', mode: 0o600, mtime: startOf(manifest), size, target: null }
}

const startOf = (manifest: Manifest) => Math.floor(Date.parse(manifest.started_at) / 1000)

/** The manifest for people: what the backup holds and what it does not, without the names of blobs. */
async function description(manifest: Manifest, read: ReadBlob): Promise<Record<string, unknown>> {
  const tables = new Map<string, { rows: number; skipped_rows: number; consistency: TableEntry['consistency'] }>()
  const omissions: Record<string, string>[] = []
  for await (const { name, ranges, consistency } of readTables(manifest, read)) {
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
  const rows = database && { ...database, nodes: undefined, tables: Object.fromEntries(tables) }
  return { ...head, files: counts, database: rows, omissions }
}
