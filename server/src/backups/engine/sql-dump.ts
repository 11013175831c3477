// `database.sql` of a download: a dump that `mysql` imports as it is.
import type { TableEntry } from './manifest.ts'
import type { ReadBlob } from './record-tree.ts'

/** A part of the dump: text of ours, or the id of a blob with INSERTs of so many bytes in all its blobs. */
export type DumpPart = { text: Buffer } | { blobs: string[]; bytes: number }

/** The parts in order. The same tables always give the same parts, so the length can be known before the first byte is sent. */
export async function* dumpParts(tables: AsyncIterable<TableEntry>): AsyncGenerator<DumpPart, void, undefined> {
  yield text(OPENING)
  const views: TableEntry[] = []
  let open: string | undefined
  for await (const table of tables) {
    if (table.kind === 'view') views.push(table)
    else {
      if (table.name !== open) yield text(tableOpening(table))
      open = table.name
      for (const range of table.ranges) {
        if (range.skipped) yield text(lacking(range.skipped.length))
        yield { blobs: range.blobs, bytes: range.bytes }
      }
    }
  }
  yield text([...views.map(standIn), ...views.map(viewOpening)].join(''))
  yield text(CLOSING)
}

export async function dumpLength(parts: AsyncIterable<DumpPart>): Promise<number> {
  let length = 0
  for await (const part of parts) length += 'text' in part ? part.text.length : part.bytes
  return length
}

export async function* dumpBytes(parts: AsyncIterable<DumpPart>, read: ReadBlob): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const part of parts) {
    if ('text' in part) yield part.text
    else for (const id of part.blobs) yield await read(id)
  }
}

const text = (sql: string): DumpPart => ({ text: Buffer.from(sql) })
const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
const ended = (statement: string) => `${statement.trimEnd().replace(/;+$/, '')};\n`

// Text is UTF-8 whatever the charset of the database. Rows keep zero dates and the id 0, and refer to tables that come later.
const OPENING = `-- Database of a WordPress site. Import: mysql DATABASE < database.sql
/*!40101 SET @svc_charset_client = @@character_set_client, @svc_charset_results = @@character_set_results, @svc_collation = @@collation_connection */;
SET NAMES utf8mb4;
SET @svc_time_zone = @@time_zone, time_zone = '+00:00';
SET @svc_sql_mode = @@sql_mode, sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
SET @svc_unique_checks = @@unique_checks, unique_checks = 0;
SET @svc_foreign_key_checks = @@foreign_key_checks, foreign_key_checks = 0;
`

const CLOSING = `
SET foreign_key_checks = @svc_foreign_key_checks;
SET unique_checks = @svc_unique_checks;
SET sql_mode = @svc_sql_mode;
SET time_zone = @svc_time_zone;
/*!40101 SET character_set_client = @svc_charset_client, character_set_results = @svc_charset_results, collation_connection = @svc_collation */;
-- End of the database.
`

// Without words of the site: a client reads this file as it is.
const lacking = (rows: number) =>
  `-- Rows that are missing here, because they were too large to be backed up: ${rows}. manifest.json names them.\n`

const tableOpening = ({ name, create }: TableEntry) => `\nDROP TABLE IF EXISTS ${quoted(name)};\n${ended(create)}`

// Views may use each other in any order: first stand-ins with the same columns, then the views themselves.
const standIn = ({ name, columns }: TableEntry) =>
  `\nDROP TABLE IF EXISTS ${quoted(name)};\nDROP VIEW IF EXISTS ${quoted(name)};\nCREATE VIEW ${quoted(name)} AS SELECT ${columns.map((c) => `1 AS ${quoted(c.name)}`).join(', ') || '1'};\n`
// Who made a view is of the old server; another's user may not name them, and the importing one becomes the definer.
const DEFINER = / DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`/
const viewOpening = ({ name, create }: TableEntry) => `\nDROP VIEW IF EXISTS ${quoted(name)};\n${ended(create.replace(DEFINER, ''))}`
