// What a download is put together from: stretches of a tar, whose lengths are known before any of them is read.
import { createHash, type Hash } from 'node:crypto'
import { doubtOf } from './definition.ts'
import { PIECE_BYTES } from './file-plan.ts'
import type { FileEntry } from './file-record.ts'
import { type Manifest, readFileChunks, readOmissions, readTables, type TableEntry } from './manifest.ts'
import { onlyRows } from './only-rows.ts'
import { PackDamage } from './pack-format.ts'
import type { ReadBlob } from './record-tree.ts'
import { showPath } from './site-path.ts'
import { showRow } from './skipped-rows.ts'
import { dumpLength, dumpParts } from './sql-dump.ts'
import { headerLength, padding, paddingLength, type TarEntry, tarEnd, tarHeader } from './tar-header.ts'

export type Content = { manifest: Manifest; readBlob: ReadBlob }
export type Span = { length: number; what: string; read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array> }
/** A chunk of the list of files, and the folder of the archive that was open before it. */
export type Chunk = { chunk: number; folder: string }

const FOLDERS: Readonly<Record<string, string>> = { abspath: 'files', content: 'content', config: 'config' }
const OMISSIONS_SHOWN = 10_000

/** The files from a chunk of their list on. Each chunk has to be read to its end before the next. */
export async function* filesFrom(
  { manifest, readBlob }: Content,
  { chunk, folder }: Chunk,
): AsyncGenerator<Chunk & { spans: Iterable<Span> }, void, undefined> {
  let [at, open] = [chunk, folder]
  function* spansOf(files: Iterable<FileEntry>): Generator<Span, void, undefined> {
    for (const file of files) {
      const root = FOLDERS[file.root] ?? file.root
      if (root !== open)
        yield header({ path: Buffer.from(root), type: 'directory', mode: 0o755, mtime: startOf(manifest), size: 0, target: null })
      open = root
      yield* fileSpans(file, root, readBlob)
    }
  }
  for await (const files of readFileChunks(manifest, readBlob, chunk)) yield { chunk: at++, folder: open, spans: spansOf(files) }
}

/** Whoever only counts makes none of them. */
const made = (length: number, make: () => Uint8Array): Span => ({ length, what: 'the archive', read: () => [make()] })
const known = (bytes: Uint8Array) => made(bytes.length, () => bytes)
const header = (entry: TarEntry) => made(headerLength(entry), () => tarHeader(entry))
const zeros = (size: number) => made(paddingLength(size), () => padding(size))

function* fileSpans(file: FileEntry, folder: string, read: ReadBlob): Generator<Span, void, undefined> {
  const path = Buffer.concat([Buffer.from(`${folder}/`), file.path])
  yield header({ ...file, path })
  if (file.type !== 'file') return
  const what = `the file ${showPath(path)}`
  let hash: Hash | undefined
  let hashed = 0
  const check = (isLast: boolean) => {
    // Of a file whose beginning was not wanted its blobs alone vouch: each has the digest of its content for a name.
    if (isLast && hashed === file.size && hash?.digest('hex') !== file.sha256) throw new PackDamage(`${what} is not what was backed up`)
  }
  for (const { ids, length, isLast } of piecesOf(file))
    yield {
      length,
      what,
      async *read() {
        hash ??= createHash('sha256')
        for await (const bytes of contentOf(ids, read)) {
          hash.update(bytes)
          hashed += bytes.length
          yield bytes
        }
        check(isLast)
      },
    }
  yield zeros(file.size)
}

/** The blobs of a file with the bytes they hold: all but the last hold the same, where a file was read in one go. */
function piecesOf({ size, blobs }: FileEntry): { ids: string[]; length: number; isLast: boolean }[] {
  if (blobs.length !== Math.ceil(size / PIECE_BYTES)) return [{ ids: blobs, length: size, isLast: true }]
  return blobs.map((id, i) => ({ ids: [id], length: Math.min(PIECE_BYTES, size - i * PIECE_BYTES), isLast: i === blobs.length - 1 }))
}

async function* contentOf(ids: string[], read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  for (const id of ids) yield await read(id)
}

/** The bytes of `database.sql`. */
export const databaseSize = ({ manifest, readBlob }: Content) =>
  dumpLength(dumpParts(readTables(manifest, readBlob), manifest.database?.events))

export async function* databaseSpans({ manifest, readBlob }: Content, size: number): AsyncGenerator<Span, void, undefined> {
  if (!manifest.database) return
  yield header(document(manifest, 'database.sql', size))
  for await (const part of dumpParts(readTables(manifest, readBlob), manifest.database?.events))
    yield 'text' in part
      ? known(part.text)
      : { length: part.bytes, what: 'a part of the rows of the database', read: () => onlyRows(part, readBlob) }
  yield zeros(size)
}

/** `manifest.json` and the end of the archive. */
export async function* lastSpans({ manifest, readBlob }: Content): AsyncGenerator<Span, void, undefined> {
  const bytes = Buffer.from(`${JSON.stringify(await description(manifest, readBlob), null, 2)}\n`)
  yield header(document(manifest, 'manifest.json', bytes.length))
  yield known(bytes)
  yield zeros(bytes.length)
  yield known(tarEnd())
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
