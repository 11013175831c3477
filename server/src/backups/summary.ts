import { sql } from 'kysely'
import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { utc } from '../sites/store.ts'
import { BackupStatus, BackupType } from './schema.ts'

export const summary = {
  last_backup: {
    brief: true,
    shape: z.object({ id: z.string(), type: BackupType, status: BackupStatus, completed_at: Time.nullable() }).nullable(),
    sql: sql`(SELECT json_build_object('id', b.id, 'type', b.type, 'status', b.status, 'completed_at', ${utc('b.completed_at')})
      FROM backups b WHERE (b.workspace_id, b.site_id) = (s.workspace_id, s.id) ORDER BY b.created_at DESC, b.id DESC LIMIT 1)`,
  },
}
