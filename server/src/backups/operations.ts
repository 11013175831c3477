import { z } from 'zod'
import { anyLimit, Cursor, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { Backup, BackupId, BackupStarted, DownloadFormat } from './schema.ts'
import { acceptBackup, deleteBackup, downloadBackup, pageOfBackups, startVerify } from './service.ts'

export const list = siteOperation({
  name: 'backups.list',
  tool: 'list_backups',
  http: 'GET /sites/{site_id}/backups',
  title: 'List backups',
  summary: 'Backups of one site, newest first: type, status, size, what they lack, whether proven (verification).',
  guidance: 'While one runs poll get_job, not this.',
  scope: 'read',
  effect: 'read',
  list: 'backups',
  columns: [
    ...['created_at', 'type', 'status', 'size_bytes', 'verification', 'suspect', 'omitted.tables', 'skipped_rows.count', 'trigger'],
    ...['error.message', 'unreadable_count', 'changed_count', 'outside_count', 'omitted.database', 'omitted.neighbours'],
    ...['omitted.restore', 'roots', 'id'],
  ],
  brief: [
    ...['id', 'type', 'status', 'trigger', 'size_bytes', 'created_at', 'completed_at', 'error.code', 'error.message', 'wp_version'],
    ...['verified_at', 'verification', 'suspect', 'consistency', 'unreadable_count', 'skipped_rows.count'],
  ],
  briefWhere: ['outside_count', 'changed_count', 'omitted.tables', 'omitted.database', 'omitted.neighbours', 'omitted.restore', 'roots'],
  briefLimit: 20,
  input: z.strictObject({ site_id: SiteId, limit: anyLimit(1000), cursor: Cursor }),
  output: page('backups', Backup),
  example: { site_id: 'example.com', limit: 5 },
  handle: (context, { limit, cursor }) => pageOfBackups(context, context.site, { limit, cursor }),
})

export const download = siteOperation({
  name: 'backups.download',
  http: 'GET /sites/{site_id}/backups/{backup_id}/download',
  title: 'Download a backup',
  summary: 'One backup as a plain archive: the files, database.sql and a manifest; nothing of this service is needed to use it.',
  guidance: 'A tar has a known length and an ETag, and can be resumed with Range and If-Range; a tar.zst is smaller and comes in one go.',
  scope: 'write', // it holds password hashes and wp-config.php
  effect: 'read',
  bytes: true,
  input: z.strictObject({ site_id: SiteId, backup_id: BackupId, format: DownloadFormat.default('tar') }),
  output: z.unknown(),
  example: { site_id: 'example.com', backup_id: 'backup_01k0000000000000000000000a' },
  handle: (context, { backup_id, format }) => downloadBackup(context, context.site, backup_id, format),
})

export const accept = siteOperation({
  name: 'backups.accept',
  http: 'POST /sites/{site_id}/backups/{backup_id}/accept',
  title: 'Accept a suspect backup',
  summary: 'Say that a backup marked suspect is right: the site did shrink. Old backups are then deleted in their time again.',
  scope: 'manage', // a ruined site's backups would push the good ones out
  effect: 'change',
  idempotent: true,
  input: z.strictObject({ site_id: SiteId, backup_id: BackupId }),
  output: Backup,
  example: { site_id: 'example.com', backup_id: 'backup_01k0000000000000000000000a' },
  handle: (context, { backup_id }) => acceptBackup(context, context.site, backup_id),
})

export const verify = siteOperation({
  name: 'backups.verify',
  tool: 'verify_backup',
  http: 'POST /sites/{site_id}/backups/{backup_id}/verify',
  title: 'Verify a backup',
  summary: 'Try one backup out without touching the site: restore it into a scratch folder of the service and look at every byte and row.',
  scope: 'write',
  effect: 'create',
  policy: 'backups',
  status: 202,
  input: z.strictObject({ site_id: SiteId, backup_id: BackupId }),
  output: BackupStarted,
  example: { site_id: 'example.com', backup_id: 'backup_01k0000000000000000000000a' },
  handle: (context, { backup_id }) => startVerify(context, context.site.id, backup_id),
})

export const remove = siteOperation({
  name: 'backups.delete',
  http: 'DELETE /sites/{site_id}/backups/{backup_id}',
  title: 'Delete a backup',
  summary: 'Delete one backup for good. What other backups need of it stays.',
  scope: 'manage',
  effect: 'destroy',
  input: z.strictObject({ site_id: SiteId, backup_id: BackupId }),
  output: z.object({ id: z.string() }),
  example: { site_id: 'example.com', backup_id: 'backup_01k0000000000000000000000a' },
  handle: (context, { backup_id }) => deleteBackup(context, context.site, backup_id),
})
