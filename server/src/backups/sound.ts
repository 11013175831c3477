import { sql } from 'kysely'

/** Of a completed backup: it can be relied on, as far as is known. */
export const sound = sql.raw(`manifest IS NOT NULL AND NOT suspect AND verification IS DISTINCT FROM 'damaged'`)

/** When the last backup of the row `s` of `sites` was completed. */
export const lastCompleted = sql`(SELECT max(completed_at) FROM backups x WHERE (x.workspace_id, x.site_id, x.status) = (s.workspace_id, s.id, 'completed'))`
