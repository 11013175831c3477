// What a site can be asked about its database (connector/PROTOCOL.md §4).
import { z } from 'zod'
import { count, identifier, text } from './site-text.ts'

const Table = z.object({
  name: identifier(64),
  kind: z.enum(['table', 'view']),
  rows: count,
  bytes: count,
  create: z.string().max(512 * 1024),
  auto_increment: count.nullable(),
  columns: z.array(z.object({ name: identifier(64), type: text(2_000), binary: z.boolean(), generated: z.boolean() })).max(4_096),
  key: z.array(identifier(64)).max(16),
})
const Tables = z.object({
  engine: z.enum(['mysql', 'mariadb', 'sqlite']),
  version: text(100),
  charset: text(100),
  sql_mode: text(1_000),
  tables: z.array(Table).max(5_000),
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
  'db.tables': { params: z.strictObject({}), result: Tables, write: false, slice: false },
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
