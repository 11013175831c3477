import { counted, type JobSummary } from '../kernel/job.ts'
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
  | 'unreadable_count'
  | 'changed_count'
  | 'outside_count'
  | 'roots'
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
  unreadable_count,
  changed_count,
  outside_count,
  roots,
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
  unreadable_count,
  changed_count,
  outside_count,
  omitted,
  roots,
})

export type Result = ReturnType<typeof resultOf>

/** What the job's result comes to. */
export function toldOf({
  type,
  files_count: files,
  rows_count: rows,
  unreadable_count: unreadable,
  outside_count: outside,
  ...it
}: Result): JobSummary {
  const tables = it.omitted_tables.length + (it.omitted?.more?.tables ?? 0)
  const has = [...(files === null ? [] : [counted(files, 'file')]), ...(rows === null ? [] : [counted(rows, 'row')])].join(' and ')
  const lacks = [
    ...(unreadable ? [`${counted(unreadable, 'file')} that could not be read`] : []),
    ...(it.skipped_rows ? [`${counted(it.skipped_rows.count, 'row')} too large to send or to take back`] : []),
    ...(tables > 0 ? [counted(tables, 'table')] : []),
    ...(outside ? [counted(outside, 'place that leads out of the site', 'places that lead out of the site')] : []),
  ]
  const but = lacks.length > 0 ? `, without ${lacks.join(', ')}` : ''
  // A site that is in use moves: these are as they were read, so they make no backup a part of one.
  const moved = it.changed_count ? `; ${counted(it.changed_count, 'file')} changed or went meanwhile` : ''
  const beside = (it.omitted?.neighbours ?? []).length > 0 ? '; another WordPress in a folder of it is left out' : ''
  return { outcome: lacks.length > 0 ? 'partly' : 'done', summary: `${summaryOf(type)}: ${has}${but}${moved}${beside}.` }
}

/** The line in the activity of the site. */
export const summaryOf = (type: Backup['type']) =>
  ({ full: 'Backed up files and database', db: 'Backed up the database', files: 'Backed up the files' })[type]

type Lacking = Pick<Outcome, 'skipped_rows' | 'omitted' | 'unreadable_count' | 'changed_count' | 'outside_count' | 'roots'>

/** What is said beside that line of what a backup lacks, and of what it holds from elsewhere; names are the site's, so the backup itself tells them. */
export function notesOf({ skipped_rows: skipped, omitted, roots, ...counts }: Lacking): { notes?: string } {
  const notes: string[] = []
  if (roots && roots.length > 0) notes.push(`Taken from outside of WordPress’s own folders: ${roots.map(({ id }) => id).join(', ')}.`)
  const { unreadable_count: unreadable, changed_count: changed, outside_count: outside } = counts
  if (unreadable) notes.push(`${counted(unreadable, 'file')} could not be read; omitted of the backup names the first of them.`)
  if (changed)
    notes.push(`${counted(changed, 'file')} changed or went while the backup ran; omitted of the backup names the first of them.`)
  if (outside)
    notes.push(
      `${counted(outside, 'place leads', 'places lead')} out of the site to what was not taken; omitted of the backup names the first of them.`,
    )
  if ((omitted?.neighbours ?? []).length > 0)
    notes.push('Another WordPress lies in a folder of the site and was left out; omitted of the backup names the first such folders.')
  if (skipped) {
    notes.push(
      `${counted(skipped.count, 'row was', 'rows were')} too large for the site to send, or for its database to take back, and left out; skipped_rows of the backup names them.`,
    )
  }
  if (omitted?.tables.length) notes.push('Tables were left out; omitted of the backup names them and says why.')
  if (omitted?.database.length)
    notes.push('Some of the database is not in the backup, or a restore leaves it alone; omitted of the backup tells what and why.')
  notes.push(...(omitted?.restore ?? []))
  return notes.length > 0 ? { notes: notes.join('\n') } : {}
}
