import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseNotes } from './database-notes.ts'

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

test('of each kind the first are named, and how many more there are is said', () => {
  const notes = databaseNotes({
    tables: [],
    beside: many(100, 'wp_'),
    unnamed: { beside: 7, elsewhere: 0 },
    hindered: many(31, 'held').map((table) => ({ table, why: 'elsewhere' })),
    other_events: many(83, 'ev'),
  })
  assert.deepEqual(
    notes.filter((note) => note.startsWith('And')),
    ['And 77 more installations of WordPress.', 'And 53 more events.', 'And 1 more table.'],
  )
  assert.deepEqual(notes.length, 93)
  assert.ok(notes[29]?.includes('wp_29') && notes[60]?.includes('ev29') && notes[91]?.includes('held29'))
})

test('where all are named nothing more is said', () => {
  const notes = databaseNotes({ tables: [], beside: many(30, 'wp_'), other_events: many(30, 'ev') })
  assert.deepEqual([notes.length, notes.some((note) => note.startsWith('And'))], [60, false])
})
