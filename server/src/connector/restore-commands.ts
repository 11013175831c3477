// The verbs of a restore (connector/PROTOCOL.md §6): parameters and answers, with caps on everything.
import { z } from 'zod'
import { Event, Trigger } from './database-commands.ts'
import { count, identifier, Place, RootId, SitePath, text, unix } from './site-text.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Xor = z.string().regex(/^[0-9a-f]{32}$/)
const Keyed = z
  .array(z.base64().max(16 * 1024))
  .min(1)
  .max(16)
  .nullable()
const job = { job: z.string(), fence: z.int() }
const budget = { budget_ms: z.int().min(1) }
const table = { n: count, table: z.string() }
const Done = z.object({ done: z.boolean() })
/** Names of keys, views and events that the database does not let be made again. */
const Lacks = z.array(identifier(64)).max(5_000).optional()
/** Of foreign keys between tables that were exchanged and others: how many rows refer to what is not there. */
const Orphans = z
  .array(z.object({ table: identifier(64), key: identifier(64), rows: count }))
  .max(5_000)
  .optional()
/** Of such keys: how many could not be looked through within the time there is. */
const Unlooked = count.optional()

/** One piece: of a content named by its digest, or of the rows of table number `q`. */
const UploadPiece = z.strictObject({ h: Sha256.optional(), q: count.optional(), s: count, o: count, n: count })

const RestorePhase = z.enum(['none', 'staging', 'armed', 'swapping', 'swapped', 'committed', 'rolling_back', 'rolled_back'])

const write = { write: true, slice: false } as const
const read = { write: false, slice: false } as const

export const RESTORE_VERBS = {
  'files.digest': {
    params: z.strictObject({ root: RootId, items: z.array(SitePath).min(1).max(10_000), ...budget }),
    result: z.object({ digests: z.array(Sha256.nullable()).min(1).max(10_000) }),
    ...read,
  },
  'restore.survey': {
    params: z.strictObject({
      files: z.boolean(),
      tables: z.array(z.string()).max(5_000),
      extra: z.array(z.string()).max(5_000).optional(),
      // Of the tables, those with triggers and with keys in the backup.
      triggers: z.array(z.string()).max(5_000).optional(),
      keys: z.array(z.string()).max(5_000).optional(),
      // As the backup has them: those that the site lacks or has in another form.
      creates: z
        .array(z.strictObject({ table: z.string(), create: z.string() }))
        .max(5_000)
        .optional(),
      // Tied to those by keys, and exchanged too, but not known to this request: the keys are not tried.
      apart: z.array(z.string()).max(5_000).optional(),
      bytes: count,
    }),
    result: z.object({
      obstacle: text(300),
      // The obstacle is gone within minutes, whatever anybody does.
      passes: z.boolean().optional(),
      leave: z.array(z.object({ r: RootId, p: SitePath })).max(200),
      free: count.nullable(),
      // Other disks on which there are roots.
      disks: z
        .array(z.object({ roots: z.array(RootId).max(50), free: count }))
        .max(50)
        .optional(),
      prefix: identifier(64),
      modes: z.boolean().optional(),
      // `files.list` tells of each folder whether PHP may write in it.
      folders: z.boolean().optional(),
      // A backslash and a drive letter are letters of a name there. Older connectors refuse them.
      letters: z.boolean().optional(),
      // Of older connectors: takes no keys, triggers and views.
      ties: z.boolean().optional(),
      // Tables of another installation in the same database.
      beside: z.array(identifier(64)).max(5_000).optional(),
      // Of those that would go: others refer to them.
      needed: z.array(identifier(64)).max(5_000).optional(),
      // What hangs on them cannot be made: triggers, keys; or not the table itself: definition.
      hindered: z
        .array(z.object({ table: identifier(64), why: text(30) }))
        .max(5_000)
        .optional(),
      // Of the definitions those for which, or for a key of which, there was no time.
      untried: z.array(identifier(64)).max(5_000).optional(),
      // Whether PHP can make links.
      links: z.boolean().optional(),
    }),
    ...read,
  },
  'restore.begin': {
    params: z.strictObject({
      ...job,
      files: z.boolean(),
      tables: z.array(z.string()).max(5_000),
      extra: z.array(z.string()).max(5_000),
      views: z.array(z.string()).max(5_000).optional(),
      events: z.array(z.string()).max(1_000).optional(),
      bytes: count,
    }),
    result: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/) }),
    ...write,
  },
  'restore.have': {
    params: z.strictObject({ ...job, items: z.array(Sha256).min(1).max(10_000) }),
    result: z.object({ have: z.array(z.boolean()).max(10_000) }),
    ...read,
  },
  'restore.put': {
    params: z.strictObject({ ...job, items: z.array(UploadPiece).min(1).max(10_000) }),
    result: z.object({ stored: count }),
    ...write,
  },
  'restore.load': {
    params: z.strictObject({
      ...job,
      ...table,
      create: z.string(),
      columns: z.array(z.string()).max(4_096),
      size: count,
      triggers: z.array(Trigger).optional(),
      view: z.literal(true).optional(),
      event: Event.optional(),
      ...budget,
    }),
    result: z.object({ offset: count, rows: count, xor: Xor, done: z.boolean() }),
    ...write,
  },
  'restore.check': {
    params: z.strictObject({ ...job, ...table, after: Keyed, offset: count, ...budget }),
    result: z.object({ rows: count, xor: Xor, after: Keyed, offset: count, done: z.boolean() }),
    ...read,
  },
  'restore.prepare': {
    params: z.strictObject({ ...job, plan: Sha256, from: count, ...budget }),
    // Live paths of files that PHP may not give the group they have to have.
    result: z.object({ next: count, done: z.boolean(), ungrouped: z.array(Place).max(1_000).optional() }),
    ...write,
  },
  'restore.arm': {
    params: z.strictObject({ ...job, probe: Sha256, opens: z.boolean().optional() }),
    result: z.object({ deadline: unix }),
    ...write,
  },
  'restore.swap': { params: z.strictObject(job), result: Done, ...write },
  'restore.rollback': { params: z.strictObject(job), result: Done, ...write },
  'restore.status': {
    params: z.strictObject({}),
    result: z.object({
      phase: RestorePhase,
      job: text(64),
      id: text(16),
      kept_until: unix,
      marker: text(64),
      lacks: Lacks,
      orphans: Orphans,
      unlooked: Unlooked,
    }),
    ...read,
  },
  'restore.commit': {
    params: z.strictObject(job),
    result: z.object({ kept_until: unix, lacks: Lacks, orphans: Orphans, unlooked: Unlooked }),
    ...write,
  },
  'restore.purge': { params: z.strictObject({ ...job, ...budget }), result: Done, ...write },
} as const
