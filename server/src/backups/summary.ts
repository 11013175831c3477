import { sql } from 'kysely'
import { z } from 'zod'
import { Moment, Time } from '../kernel/shapes.ts'
import { utc } from '../sites/store.ts'
import { BackupStatus, BackupType } from './schema.ts'
import { sound } from './sound.ts'

const Known = z.object({ id: z.string(), type: BackupType, completed_at: Time }).nullable()
type Known = z.infer<typeof Known>

const ofSite = sql`FROM backups b WHERE (b.workspace_id, b.site_id) = (s.workspace_id, s.id)`

export const summary = {
  last_backup: {
    shape: z
      .object({ id: z.string(), type: BackupType, status: BackupStatus, completed_at: Time.nullable() })
      .nullable()
      .describe('The last one that was begun, whatever became of it.'),
    sql: sql`(SELECT json_build_object('id', b.id, 'type', b.type, 'status', b.status, 'completed_at', ${utc('b.completed_at')})
      ${ofSite} ORDER BY b.created_at DESC, b.id DESC LIMIT 1)`,
  },
  last_good_backup: {
    brief: ['type', 'completed_at'],
    shape: Known.describe('The last one that is complete, neither damaged nor suspect; null: there is none.'),
    sql: sql`(SELECT json_build_object('id', b.id, 'type', b.type, 'completed_at', ${utc('b.completed_at')})
      ${ofSite} AND b.status = 'completed' AND ${sound} ORDER BY b.created_at DESC, b.id DESC LIMIT 1)`,
    filters: {
      not_backed_up_since: {
        input: Moment.optional().describe('A day or time.'),
        keeps: (last: Known, since: Date) => last === null || new Date(last.completed_at) < since,
      },
    },
  },
}
