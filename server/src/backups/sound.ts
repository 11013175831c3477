import { sql } from 'kysely'

/** Of a completed backup: it can be relied on, as far as is known. */
export const sound = sql.raw(`manifest IS NOT NULL AND NOT suspect AND verification IS DISTINCT FROM 'damaged'`)
