// What a site can be asked about its database (connector/PROTOCOL.md §4).
import { z } from 'zod'
import { count, identifier, text } from './site-text.ts'

/** What SHOW CREATE TRIGGER tells. */
export const Trigger = z.object({
  name: identifier(64),
  create: z.string().max(64 * 1024),
  sql_mode: text(1_000),
  charset: text(64),
  collation: text(64),
})
/** What SHOW CREATE EVENT tells. */
export const Event = Trigger.extend({ time_zone: text(64) })
const Table = z.object({
  name: identifier(64),
  kind: z.enum(['table', 'view']),
  rows: count,
  bytes: count,
  create: z.string().max(512 * 1024),
  auto_increment: count.nullable(),
  columns: z.array(z.object({ name: identifier(64), type: text(2_000), binary: z.boolean(), generated: z.boolean() })).max(4_096),
  key: z.array(identifier(64)).max(16),
  // In the order in which they act; absent in answers of older connectors, as are the fields below.
  triggers: z.array(Trigger).max(200).optional(),
  /** How many seconds ago it was written to; null: the database does not know. */
  written_s: count.nullable().optional(),
})
const Tables = z.object({
  engine: z.enum(['mysql', 'mariadb', 'sqlite']),
  version: text(100),
  charset: text(100),
  sql_mode: text(1_000),
  tables: z.array(Table).max(5_000),
  /** False where there are more, by name behind the last of these. An older connector tells all at once. */
  done: z.boolean().default(true),
  /** Prefixes of other installations in the same database, whose tables are not among these. */
  beside: z.array(identifier(64)).max(100).optional(),
  /** Tables that WordPress reads and this database does not have: a drop-in keeps them in another one. */
  elsewhere: z.array(identifier(200)).max(100).optional(),
  /** How many of either there are beyond those. */
  unnamed: z.object({ beside: count, elsewhere: count }).optional(),
  /** Tables that cannot be exchanged for others: a table of another database refers to them, or a trigger could not be made again. */
  hindered: z
    .array(z.object({ table: identifier(64), why: text(30) }))
    .max(5_000)
    .optional(),
  events: z.array(Event).max(500).optional(),
  /** Names of events that are somebody else's, or of several. */
  other_events: z.array(identifier(64)).max(5_000).optional(),
  /** How many functions and procedures the database has; none is in a backup. */
  routines: count.optional(),
  /** What the database does not show to the site's user: TRIGGER, EVENT. */
  unseen: z.array(text(30)).max(10).optional(),
  /** A restore makes what stands in conditional comments, which MySQL 8 has around much. */
  conditional: z.boolean().optional(),
})

const Position = z
  .array(z.base64().max(16 * 1024))
  .min(1)
  .max(16)
/** Rows that were too large to travel: by key, or in a table without one by their place. */
const Skipped = z
  .array(z.object({ key: Position.nullable(), offset: count, bytes: count }))
  .max(1_000)
  .default([])
const RowsMeta = z.object({
  rows: count,
  after: Position.nullable(),
  offset: count,
  done: z.boolean(),
  encoding: z.enum(['identity', 'gzip']),
  skipped: Skipped,
})

/** Two halves of 64 bits: adjoining ranges combine by XOR of the first and addition of the second. */
const RangeDigest = z.string().regex(/^[0-9a-f]{32}$/)
const RangeFound = z.object({ until: Position.nullable(), rows: count, bytes: count, digest: RangeDigest.nullable() })
const Digests = z.object({ tables: z.array(z.object({ ranges: z.array(RangeFound).max(10_000), done: z.boolean() })).max(5_000) })
const SnapshotMeta = z.object({
  complete: z.boolean(),
  tables: z
    .array(
      z.object({
        create: Table.shape.create,
        ranges: z.array(RangeFound.extend({ size: count.nullable(), skipped: Skipped })).max(10_000),
      }),
    )
    .max(5_000),
  encoding: z.enum(['identity', 'gzip']),
})
// Bytes above which a row is left out; a connector that does not know the parameter leaves out none.
const skip_above = z.int().min(1).optional()
const tableBounds = { table: z.string(), bounds: z.array(Position), step: z.int().min(1) }

const budget = { max_bytes: z.int().min(1), budget_ms: z.int().min(1) }

export const DATABASE_VERBS = {
  'db.tables': {
    params: z.strictObject({ after: z.string().optional(), max_items: z.int().min(1), budget_ms: z.int().min(1) }),
    result: Tables,
    write: false,
    slice: false,
  },
  'db.rows': {
    params: z.strictObject({
      table: z.string(),
      after: Position.nullable(),
      until: Position.optional(),
      offset: count,
      max_items: z.int().min(1),
      skip_above,
      ...budget,
    }),
    result: RowsMeta,
    write: false,
    slice: true,
  },
  'db.digests': {
    params: z.strictObject({
      tables: z.array(z.strictObject({ ...tableBounds, after: Position.nullable(), tail: z.boolean() })).min(1),
      bytes: z.int().min(1),
      skip_above,
      max_items: z.int().min(1),
      budget_ms: z.int().min(1),
    }),
    result: Digests,
    write: false,
    slice: false,
  },
  'db.snapshot': {
    params: z.strictObject({
      tables: z.array(z.strictObject({ ...tableBounds, digests: z.array(RangeDigest.nullable()) })).min(1),
      bytes: z.int().min(1),
      skip_above,
      ...budget,
    }),
    result: SnapshotMeta,
    write: false,
    slice: true,
  },
} as const
