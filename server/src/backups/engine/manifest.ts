// What one backup holds. The manifest is a small JSON blob that names record trees: files, tables, and what was left out.
// All of it is blobs of type `manifest`, found again by scanning the packs alone: the one with this `format` is the beginning.
import { z } from 'zod'
import { Place, pathBytes, SitePath, sitePath } from '../../connector/site-text.ts'
import { type FileEntry, fileEntry } from './file-record.ts'
import { type ReadBlob, readChunks, readRecords, type StoreBlob, TreeNode, treeBlobs } from './record-tree.ts'

export const MANIFEST_FORMAT = 'svc-backup-1'

/** How far the rows of a table are of one moment; shown to people as it is. */
export const Consistency = z.enum(['snapshot', 'settled', 'fuzzy'])
export type Consistency = z.infer<typeof Consistency>

/** A row that was too large to travel, so that a backup does not hold it: by its key, or in a table without one by its place. */
export const SkippedRow = z.strictObject({ key: z.array(z.string()).nullable(), offset: z.int(), bytes: z.int() })
export type SkippedRow = z.infer<typeof SkippedRow>

/**
 * The rows after the key `after` (base64 values; null is the beginning), the last of them `until`: `bytes` of SQL, cut into blobs.
 * `digest` is the site's of exactly these rows and of the keys of those that were too large; null where that is not certain.
 */
export const TableRange = z.strictObject({
  after: z.array(z.string()).nullable(),
  until: z.array(z.string()).nullable().default(null),
  offset: z.int(),
  rows: z.int(),
  bytes: z.int(),
  blobs: z.array(z.string()),
  digest: z.string().nullable(),
  // not among `rows`; absent where there are none
  skipped: z.array(SkippedRow).optional(),
})
export type TableRange = z.infer<typeof TableRange>

const TableColumn = z.strictObject({ name: z.string(), type: z.string(), binary: z.boolean(), generated: z.boolean() })
const TableTrigger = z.strictObject({
  name: z.string(),
  create: z.string(),
  sql_mode: z.string(),
  charset: z.string(),
  collation: z.string(),
})
export type TableTrigger = z.infer<typeof TableTrigger>
const DatabaseEvent = TableTrigger.extend({ time_zone: z.string() })
export type DatabaseEvent = z.infer<typeof DatabaseEvent>
export const TableEntry = z.strictObject({
  name: z.string(),
  kind: z.enum(['table', 'view']),
  create: z.string(),
  columns: z.array(TableColumn),
  key: z.array(z.string()),
  auto_increment: z.int().nullable(),
  consistency: Consistency,
  ranges: z.array(TableRange),
  // absent where there are none
  triggers: z.array(TableTrigger).optional(),
})
export type TableEntry = z.infer<typeof TableEntry>

/** Something the backup does not hold, or holds with a reservation. `outside`: a place that leads out of all roots; a link there is itself in the backup. */
export type Omission = { kind: 'excluded' | 'unreadable' | 'changed' | 'outside'; root: string; path: Buffer; why: string }

/** Why a folder of another installation is excluded. */
export const NEIGHBOUR = 'another WordPress'

const Count = z.int().min(0)
/** What a backup of a database lacks: rows that were too large. All their tables, and some of the rows in words. */
export const SkippedRows = z.object({ count: Count, tables: z.array(z.string()), sample: z.array(z.string()) })
export type SkippedRows = z.infer<typeof SkippedRows>

/** Where a root lay: the folder, the names in it that belong to the root, and where it, or the first of these, stood for WordPress. */
const RootPlace = z.strictObject({ id: z.string(), path: Place, at: Place, only: z.array(Place).optional() })
export type RootPlace = z.infer<typeof RootPlace>

export const FilesPart = z.strictObject({
  roots: z.array(z.string()),
  places: z.array(RootPlace).default([]),
  // the site told what leads out of its roots
  looked: z.boolean().default(false),
  nodes: z.array(TreeNode),
  omissions: z.array(TreeNode),
  files: Count,
  directories: Count,
  links: Count,
  bytes: Count,
  excluded: Count,
  unreadable: Count,
  changed: Count,
  outside: Count.default(0),
  // files whose content the backup before did not have under that name
  renewed: Count.default(0),
})
export type FilesPart = z.infer<typeof FilesPart>

export const DatabasePart = z.strictObject({
  engine: z.string(),
  version: z.string(),
  charset: z.string(),
  sql_mode: z.string(),
  consistency: Consistency,
  fuzzy_tables: z.array(z.string()),
  nodes: z.array(TreeNode),
  tables: Count,
  rows: Count,
  bytes: Count,
  // tables that cannot be compared in parts: no key, or no digests
  whole_tables: z.array(z.string()).default([]),
  // the backup that unchanged ranges were taken over from; how many there were since one that read everything
  parent: z.string().nullable().default(null),
  increment: Count.nullable().default(null),
  // what travelled
  read: z.strictObject({ rows: Count, bytes: Count }).nullable().default(null),
  skipped: SkippedRows.nullable().default(null),
  // what the site sent for these tables is no definition, or no rows
  omitted: z.array(z.strictObject({ table: z.string(), why: z.string() })).default([]),
  // tables beyond those, which the site counted and did not name
  unnamed: Count.default(0),
  events: z.array(DatabaseEvent).default([]),
  // names of events that are somebody else's; null: nobody could tell which events there were
  other_events: z.array(z.string()).nullable().default(null),
  // prefixes of other installations in the same database
  beside: z.array(z.string()).default([]),
  // what of the database is in no backup, and what a restore will leave alone
  notes: z.array(z.string()).default([]),
})
export type DatabasePart = z.infer<typeof DatabasePart>

export const Manifest = z.strictObject({
  format: z.literal(MANIFEST_FORMAT),
  workspace: z.string(),
  site: z.string(),
  backup: z.string(),
  parent: z.string().nullable(),
  type: z.enum(['full', 'db', 'files']),
  started_at: z.string(),
  finished_at: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  files: FilesPart.nullable(),
  database: DatabasePart.nullable(),
})
export type Manifest = z.infer<typeof Manifest>

/** Stores the beginning of a manifest whose parts are stored; the id it answers is what a backup row keeps. */
export const writeManifest = (manifest: Manifest, store: StoreBlob) => store(Buffer.from(JSON.stringify(Manifest.parse(manifest))))

export async function readManifest(id: string, read: ReadBlob): Promise<Manifest> {
  return Manifest.parse(JSON.parse(Buffer.from(await read(id)).toString('utf8')))
}

const OmissionRecord = z.strictObject({
  k: z.enum(['excluded', 'unreadable', 'changed', 'outside']),
  r: z.string(),
  p: SitePath,
  why: z.string(),
})
export const omissionRecord = (o: Omission): z.infer<typeof OmissionRecord> => ({ k: o.kind, r: o.root, p: sitePath(o.path), why: o.why })

/** The files in walk order, root by root. */
export async function* readFiles(manifest: Manifest, read: ReadBlob): AsyncGenerator<FileEntry, void, undefined> {
  for await (const files of readFileChunks(manifest, read)) yield* files
}

/** The same, chunk by chunk of their list; the chunks before `from` are not read. */
export async function* readFileChunks(manifest: Manifest, read: ReadBlob, from = 0): AsyncGenerator<Iterable<FileEntry>, void, undefined> {
  for await (const records of readChunks(manifest.files?.nodes ?? [], read, from)) yield fileEntries(records)
}

function* fileEntries(records: Iterable<unknown>): Generator<FileEntry, void, undefined> {
  for (const record of records) yield fileEntry(record)
}

export async function* readOmissions(manifest: Manifest, read: ReadBlob): AsyncGenerator<Omission, void, undefined> {
  for await (const record of readRecords(manifest.files?.omissions ?? [], read)) {
    const { k, r, p, why } = OmissionRecord.parse(record)
    yield { kind: k, root: r, path: pathBytes(p), why }
  }
}

/** The tables in the site's order. A table written in several records comes out as several entries of one name, in order. */
export async function* readTables(manifest: Manifest, read: ReadBlob): AsyncGenerator<TableEntry, void, undefined> {
  for await (const record of readRecords(manifest.database?.nodes ?? [], read)) yield TableEntry.parse(record)
}

/** Every blob a backup needs, its manifest included. May name one twice. */
export async function* manifestBlobs(id: string, read: ReadBlob): AsyncGenerator<string, void, undefined> {
  const manifest = await readManifest(id, read)
  yield id
  yield* listBlobs(manifest, read)
  for await (const file of readFiles(manifest, read)) yield* file.blobs
  for await (const table of readTables(manifest, read)) for (const range of table.ranges) yield* range.blobs
}

/** The blobs that hold its lists: what it has and what was left out. The lists themselves are not read. */
export async function* listBlobs(manifest: Manifest, read: ReadBlob): AsyncGenerator<string, void, undefined> {
  const trees = [manifest.files?.nodes, manifest.files?.omissions, manifest.database?.nodes]
  for (const nodes of trees) yield* treeBlobs(nodes ?? [], read)
}
