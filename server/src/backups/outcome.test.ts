import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notesOf, type Result, toldOf } from './outcome.ts'

const whole: Result = {
  ...{ backup_id: 'backup_1', type: 'full', parent: null, size_bytes: 1, stored_bytes: 1, files_count: 8, files_changed: null },
  ...{ rows_count: 1470, rows_read: null, consistency: 'snapshot', fuzzy_tables: [], skipped_rows: null, omitted_tables: [] },
  ...{ unreadable_count: 0, changed_count: 0, outside_count: 0, omitted: null, roots: [] },
}
const none = { unreadable: [], changed: [], outside: [], tables: [], database: [], neighbours: [], restore: [] }

test('a backup is told in one sentence with all that it lacks, and what moved under it beside that', () => {
  assert.deepEqual(toldOf(whole), { outcome: 'done', summary: 'Backed up files and database: 8 files and 1,470 rows.' })
  assert.deepEqual(toldOf({ ...whole, changed_count: 1 }), {
    outcome: 'done',
    summary: 'Backed up files and database: 8 files and 1,470 rows; 1 file changed or went meanwhile.',
  })
  assert.deepEqual(toldOf({ ...whole, outside_count: 2, unreadable_count: 1, changed_count: 3 }), {
    outcome: 'partly',
    summary:
      'Backed up files and database: 8 files and 1,470 rows, without 1 file that could not be read, 2 places that lead out of the site; 3 files changed or went meanwhile.',
  })
  assert.equal(toldOf({ ...whole, outside_count: null }).outcome, 'done', 'nobody looked')
  const skipped_rows = { count: 1, tables: ['wp_log'], sample: [] }
  assert.equal(
    toldOf({ ...whole, skipped_rows, omitted_tables: ['wp_old', 'wp_2_options'] }).summary,
    'Backed up files and database: 8 files and 1,470 rows, without 1 row too large to send or to take back, 2 tables.',
  )
})

test('tables beyond those that are named count too', () => {
  const omitted = { ...none, tables: ['wp_old'], more: { tables: 1_036, database: 0, neighbours: 0 } }
  assert.match(toldOf({ ...whole, omitted, omitted_tables: omitted.tables }).summary, /, without 1,037 tables\.$/)
})

test('what a restore of the database will leave alone is noted beside the backup', () => {
  assert.deepEqual(notesOf({ ...whole, omitted: none }), {})
  assert.deepEqual(
    notesOf({ ...whole, omitted: { ...none, database: ['Another WordPress lives in the same database.', 'And 7 more.'] } }),
    {
      notes: 'Some of the database is not in the backup, or a restore leaves it alone; omitted of the backup tells what and why.',
    },
  )
})

test('what stands in the way of a restore is told with the backup, and makes it no part of one', () => {
  const shut = { ...whole, omitted: { ...none, restore: ['PHP may not write to the folder of WordPress.'] } }
  assert.equal(toldOf(shut).outcome, 'done')
  assert.deepEqual(notesOf(shut), { notes: 'PHP may not write to the folder of WordPress.' })
})

test('another WordPress in a folder of the site is told to be left out, and is no lack', () => {
  const beside = { ...whole, omitted: { ...none, neighbours: ['clients/a'] } }
  assert.deepEqual(toldOf(beside), {
    outcome: 'done',
    summary: 'Backed up files and database: 8 files and 1,470 rows; another WordPress in a folder of it is left out.',
  })
  assert.match(notesOf(beside).notes ?? '', /^Another WordPress lies in a folder of the site and was left out;/)
})
