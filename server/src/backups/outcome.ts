import type { Backup } from './schema.ts'

type Outcome = Pick<
  Backup,
  | 'id'
  | 'type'
  | 'size_bytes'
  | 'stored_bytes'
  | 'files_count'
  | 'files_changed'
  | 'rows_count'
  | 'rows_read'
  | 'consistency'
  | 'fuzzy_tables'
  | 'skipped_rows'
  | 'parent'
>

/** What the job tells of the backup it made. */
export const resultOf = ({
  id,
  type,
  parent,
  size_bytes,
  stored_bytes,
  files_count,
  files_changed,
  rows_count,
  rows_read,
  consistency,
  fuzzy_tables,
  skipped_rows,
}: Outcome) => ({
  backup_id: id,
  type,
  parent,
  size_bytes,
  stored_bytes,
  files_count,
  files_changed,
  rows_count,
  rows_read,
  consistency,
  fuzzy_tables,
  skipped_rows,
})

/** The line in the activity of the site. */
export const summaryOf = (type: Backup['type']) =>
  ({ full: 'Backed up files and database', db: 'Backed up the database', files: 'Backed up the files' })[type]

/** What is said beside that line of a backup that lacks rows. */
export function notesOf({ skipped_rows: skipped }: Pick<Outcome, 'skipped_rows'>): { notes?: string } {
  if (!skipped) return {}
  const rows = skipped.count === 1 ? '1 row was' : `${skipped.count} rows were`
  return { notes: `${rows} too large for the site to send and left out; skipped_rows of the backup names them.` }
}
