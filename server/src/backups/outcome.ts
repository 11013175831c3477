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
})

/** The line in the activity of the site. */
export const summaryOf = (type: Backup['type']) =>
  ({ full: 'Backed up files and database', db: 'Backed up the database', files: 'Backed up the files' })[type]
