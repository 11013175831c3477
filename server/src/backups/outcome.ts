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
  | 'omitted'
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
  omitted,
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
  omitted_tables: omitted?.tables ?? [],
})

/** The line in the activity of the site. */
export const summaryOf = (type: Backup['type']) =>
  ({ full: 'Backed up files and database', db: 'Backed up the database', files: 'Backed up the files' })[type]

/** What is said beside that line of a backup that lacks rows or tables; their names are the site's, so the backup itself tells them. */
export function notesOf({ skipped_rows: skipped, omitted }: Pick<Outcome, 'skipped_rows' | 'omitted'>): { notes?: string } {
  const notes: string[] = []
  if (skipped) {
    const rows = skipped.count === 1 ? '1 row was' : `${skipped.count} rows were`
    notes.push(`${rows} too large for the site to send and left out; skipped_rows of the backup names them.`)
  }
  if (omitted?.tables.length)
    notes.push(`Tables were left out, because what the site sent for them is no plain table; omitted of the backup names them.`)
  return notes.length > 0 ? { notes: notes.join('\n') } : {}
}
