// `database.sql` of a download: a dump that `mysql` imports as it is.
import { doubtOf } from './definition.ts'
import { type RowShape, rowShape } from './insert-grammar.ts'
import type { DatabaseEvent, TableEntry } from './manifest.ts'
import { onlyRows } from './only-rows.ts'
import type { ReadBlob } from './record-tree.ts'
import { quoted } from './sql-name.ts'
import { eventsIn, triggersOf } from './trigger-dump.ts'

/** A part of the dump: text of ours, or the ids of blobs with INSERTs into one table, of so many bytes in all of them. */
export type DumpPart = { text: Buffer } | { blobs: string[]; bytes: number; shape: RowShape }

/** The parts in order. The same tables always give the same parts, so the length can be known before the first byte is sent. */
export async function* dumpParts(
  tables: AsyncIterable<TableEntry>,
  events: DatabaseEvent[] = [],
): AsyncGenerator<DumpPart, void, undefined> {
  yield text(OPENING)
  const views: TableEntry[] = []
  const triggers: string[] = []
  let open: string | undefined
  for await (const table of tables) {
    if (doubtOf(table) !== null) {
      if (table.name !== open) yield text(OMITTED)
    } else if (table.kind === 'view') views.push(table)
    else {
      if (table.name !== open) {
        yield text(tableOpening(table))
        triggers.push(...triggersOf(table))
      }
      const shape = rowShape(table)
      for (const range of table.ranges) {
        if (range.skipped) yield text(lacking(range.skipped.length))
        yield { blobs: range.blobs, bytes: range.bytes, shape }
      }
    }
    open = table.name
  }
  yield text([...views.map(standIn), ...views.map(viewOpening), ...triggers, ...eventsIn(events)].join(''))
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
    else yield* onlyRows(part, read)
  }
}

const text = (sql: string): DumpPart => ({ text: Buffer.from(sql) })
const ended = (statement: string) => `${statement.trimEnd().replace(/;+$/, '')};\n`

// Text is UTF-8 whatever the charset of the database. Rows keep zero dates and the id 0, and refer to tables that come later.
// A client that was told another charset takes the backslash behind some letters for a part of the letter, and ends texts where they do not
// end. The last statement is a wrong one to such a client (GBK and Big5, Shift-JIS), so that it stops there.
const OPENING = `-- Database of a WordPress site. Import: mysql --binary-mode --default-character-set=utf8mb4 DATABASE < database.sql
/*!40101 SET @svc_charset_client = @@character_set_client, @svc_charset_results = @@character_set_results, @svc_collation = @@collation_connection */;
SET NAMES utf8mb4;
SET @svc_time_zone = @@time_zone, time_zone = '+00:00';
SET @svc_sql_mode = @@sql_mode, sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
SET @svc_unique_checks = @@unique_checks, unique_checks = 0;
SET @svc_foreign_key_checks = @@foreign_key_checks, foreign_key_checks = 0;
SET @svc_charset = '中\\';作\\';';
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
const OMITTED = '\n-- A table is missing here, because its definition is not a plain one. manifest.json names it.\n'
const lacking = (rows: number) =>
  `-- Rows that are missing here, because they were too large to be backed up: ${rows}. manifest.json names them.\n`

const tableOpening = ({ name, create }: TableEntry) => `\nDROP TABLE IF EXISTS ${quoted(name)};\n${ended(create)}`

// Views may use each other in any order: first stand-ins with the same columns, then the views themselves.
const standIn = ({ name, columns }: TableEntry) =>
  `\nDROP TABLE IF EXISTS ${quoted(name)};\nDROP VIEW IF EXISTS ${quoted(name)};\nCREATE VIEW ${quoted(name)} AS SELECT ${columns.map((c) => `1 AS ${quoted(c.name)}`).join(', ') || '1'};\n`
// Who made a view is of the old server; another's user may not name them, and the importing one becomes the definer.
const DEFINER = / DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`/
const viewOpening = ({ name, create }: TableEntry) => `\nDROP VIEW IF EXISTS ${quoted(name)};\n${ended(create.replace(DEFINER, ''))}`
