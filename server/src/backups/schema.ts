import { z } from 'zod'
import { JobError, JobStarted } from '../jobs/schema.ts'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'

export const BackupType = z.enum(['full', 'db', 'files'])
export type BackupType = z.infer<typeof BackupType>
export const BackupStatus = z.enum(['queued', 'running', 'completed', 'failed', 'canceled'])

/** A site as it was at one moment: files, database or both, encrypted and stored once per workspace. */
export const BackupId = z
  .string()
  .regex(/^backup_[0-9a-z]{26}$/, 'Not a backup id; they look like backup_….')
  .describe('From list_backups.')

/** What of a backup is lost: how many, and some of them by name. */
export const Lost = z.object({ files: z.int(), tables: z.int(), sample: z.array(z.string()) })

export const Trigger = z.enum(['manual', 'schedule', 'pre_update', 'pre_restore', 'agent'])

export const DownloadFormat = z
  .enum(['tar', 'tar.zst'])
  .describe('tar: its length is known, and a download that broke off can go on. tar.zst: smaller, in one go.')
export type DownloadFormat = z.infer<typeof DownloadFormat>

/** What trying a backup out brought out. */
export const VerificationReport = z.object({
  level: z.enum(['content', 'restored', 'imported', 'damaged']),
  files: z.int(),
  tables: z.int(),
  rows: z.int(),
  skipped_rows: z
    .int()
    .default(0)
    .describe('Rows the backup never held, because they were too large for the site to send, or for its database to take back.'),
  bytes: z.int(),
  damage: z.array(z.string()).describe('What is lost, the first twenty; names are given by the site.'),
  doubts: z.array(z.string()).describe('What is there, but could not be restored as it is; names are given by the site.'),
  imported: z
    .object({ ok: z.boolean(), reason: z.string().nullable(), site_said: SiteSaid.nullish(), tables: z.int(), rows: z.int() })
    .nullable()
    .describe('Of the import into a database that is thrown away; null: there was none.'),
})
export type VerificationReport = z.infer<typeof VerificationReport>

export const Backup = z.object({
  id: z.string(),
  type: BackupType,
  status: BackupStatus,
  size_bytes: z.int().nullable().describe('Bytes of the site it holds.'),
  created_at: Time,
  completed_at: Time.nullable(),
  error: JobError.nullable(),
  job_id: z.string(),
  site_id: z.string(),
  trigger: Trigger,
  requested_by: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  stored_bytes: z.int().nullable().describe('Bytes it added to the store.'),
  parent: z.string().nullable().describe('The backup it was compared with; what had not moved since was taken over from there.'),
  increment: z.int().nullable().describe('0: everything was read. n: the n-th since then that read only what had moved.'),
  files_changed: z.int().nullable().describe('Files whose content the parent did not have; null without a parent.'),
  files_count: z.int().nullable(),
  tables_count: z.int().nullable(),
  rows_count: z.int().nullable(),
  consistency: z
    .enum(['snapshot', 'settled', 'fuzzy'])
    .nullable()
    .describe('snapshot: one moment. settled: read until nothing moved. fuzzy: tables moved while they were read.'),
  fuzzy_tables: z.array(z.string()).nullable().describe('The tables that did not hold still, the first hundred.'),
  whole_tables: z
    .array(z.string())
    .nullable()
    .describe('Tables without a usable key, which are read whole when anything in them has changed, the first hundred.'),
  skipped_rows: z
    .object({ count: z.int(), tables: z.array(z.string()), sample: z.array(z.string()) })
    .nullable()
    .describe(
      'Rows too large for the site to send, or for its database to take back: these tables are not whole, and a full restore leaves them as they are. null: none.',
    ),
  rows_read: z.int().nullable().describe('Rows that travelled; the others were as the parent holds them.'),
  excluded: z.object({ count: z.int(), sample: z.array(z.string()) }).nullable(),
  unreadable_count: z.int().nullable(),
  changed_count: z.int().nullable().describe('Files that changed while they were read, or were deleted.'),
  outside_count: z
    .int()
    .nullable()
    .describe(
      'Links and settings that lead to what is not in this backup. null: nobody looked, because it holds no files or the connector is older.',
    ),
  roots: z
    .array(z.object({ id: z.string(), path: z.string() }))
    .nullable()
    .describe(
      'Folders and files outside of WordPress’s own folders that it holds, where settings and links lead; paths are given by the site.',
    ),
  omitted: z
    .object({
      unreadable: z.array(z.string()),
      changed: z.array(z.string()),
      outside: z.array(z.string()).default([]).describe('What leads out of the site, and why that is not here.'),
      tables: z
        .array(z.string())
        .default([])
        .describe(
          'Left out: the database cannot read them, they lie in another one, or what the site sent is no plain definition, or no rows.',
        ),
      database: z.array(z.string()).default([]).describe('What a restore of the database will leave alone.'),
      neighbours: z.array(z.string()).default([]).describe('Folders of another WordPress, which is a site of its own.'),
      restore: z.array(z.string()).default([]).describe('What stood in the way of a restore, of this backup or any, when it was made.'),
      more: z
        .object({ tables: z.int(), database: z.int(), neighbours: z.int() })
        .optional()
        .describe('How many there are beyond those named here; absent: none. Of the others the counts beside this tell.'),
    })
    .nullable()
    .describe('Some of each, with the reason; all are in manifest.json of a download. Names are given by the site. null: none.'),
  verified_at: Time.nullable(),
  verification: z
    .string()
    .nullable()
    .describe(
      'present: all its packs are there. content: all was read back and fits. restored: and written out, each row counted. imported: and its database imported and compared. damaged: something is lost. null: nobody has looked yet.',
    ),
  verification_report: VerificationReport.nullable().describe('Of the last time it was tried out.'),
  lost: Lost.nullable().describe(
    'Of a damaged one: how many files and tables are lost, and the first ten; names are given by the site. null: none is known.',
  ),
  expires_at: Time.nullable().describe('When it is deleted if backups go on as they do; null: not foreseen.'),
  suspect: z.boolean().describe('true: it holds less than half of the one before; nothing is deleted until it was looked at.'),
  wp_version: z.string().nullable(),
})
export type Backup = z.infer<typeof Backup>

export const BackupStarted = JobStarted.extend({ backup_id: z.string(), type: BackupType })
