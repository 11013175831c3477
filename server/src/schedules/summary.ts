import { sql } from 'kysely'
import { z } from 'zod'
import { BackupType } from '../backups/schema.ts'
import { Policy } from './schema.ts'

const Scheduled = z
  .object({ type: BackupType, at: Policy.shape.at, inherited: z.boolean().describe('true: as the workspace has it.') })
  .nullable()
  .describe('When it is backed up by itself; null: it is not.')

export const summary = {
  schedule: {
    shape: Scheduled,
    sql: sql`(SELECT CASE WHEN p.enabled THEN json_build_object('type', p.type, 'at', p.at, 'inherited', p.site_id IS NULL) END
      FROM schedules p WHERE p.workspace_id = s.workspace_id AND (p.site_id = s.id OR p.site_id IS NULL) ORDER BY p.site_id NULLS LAST LIMIT 1)`,
    filters: {
      scheduled: {
        input: z.boolean().optional().describe('Backed up by itself.'),
        keeps: (schedule: z.infer<typeof Scheduled>, wanted: boolean) => (schedule !== null) === wanted,
      },
    },
  },
}
