import { z } from 'zod'
import { JobStarted } from '../jobs/schema.ts'
import { Time } from '../kernel/shapes.ts'
import { BackupStatus, BackupType } from '../sites/schema.ts'

/** A site as it was at one moment: files, database or both, encrypted and stored once per workspace. */
export const BackupId = z
  .string()
  .regex(/^backup_[0-9a-z]{26}$/, 'Not a backup id; they look like backup_….')
  .describe('A backup of this site, as list_backups gives it.')

export const Trigger = z.enum(['manual', 'schedule', 'pre_update', 'pre_restore', 'agent'])

export const Backup = z.object({
  id: z.string(),
  type: BackupType,
  status: BackupStatus,
  size_bytes: z.int().nullable().describe('Bytes of the site it holds.'),
  created_at: Time,
  completed_at: Time.nullable(),
  error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
  job_id: z.string(),
  site_id: z.string(),
  trigger: Trigger,
  requested_by: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  stored_bytes: z.int().nullable().describe('Bytes it added to the store.'),
  files_count: z.int().nullable(),
  tables_count: z.int().nullable(),
  rows_count: z.int().nullable(),
  consistency: z
    .enum(['snapshot', 'settled', 'fuzzy'])
    .nullable()
    .describe('snapshot: one moment. settled: read until nothing moved. fuzzy: tables moved while they were read.'),
  excluded: z.object({ count: z.int(), sample: z.array(z.string()) }).nullable(),
  unreadable_count: z.int().nullable(),
  changed_count: z.int().nullable().describe('Files that changed while they were read.'),
  verified_at: Time.nullable(),
  verification: z.string().nullable().describe('content: all of it was read back and fits. damaged: something did not.'),
  expires_at: Time.nullable(),
  wp_version: z.string().nullable(),
})
export type Backup = z.infer<typeof Backup>

export const BackupStarted = JobStarted.extend({ backup_id: z.string(), type: BackupType })
