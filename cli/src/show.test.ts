import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract } from '../test/contract.ts'
import type { Entry, Schema } from './manifest.ts'
import { show } from './show.ts'
import type { Terminal } from './terminal.ts'

/** What show writes to a terminal of this width. */
function shown(
  output: Schema,
  answer: unknown,
  { width = 80, watched = false, columns, list }: { width?: number; watched?: boolean; columns?: string[]; list?: string } = {},
): string[] {
  const lines: string[] = []
  const now = () => new Date('2026-05-01T12:00:00Z')
  const terminal: Terminal = {
    out: (text) => void lines.push(text),
    err() {},
    width,
    errWidth: width,
    colour: false,
    live: false,
    watched,
    now,
  }
  const [any] = contract.operations
  assert.ok(any)
  const { list: _, columns: __, rows: ___, ...rest } = any
  const entry: Entry = { ...rest, output, ...(list && { list }), ...(columns && { columns }) }
  show(terminal, entry, answer)
  return lines
}

const text = { type: 'string' }
const time = { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }

test('a record is its fields, one a line, with what is inside below', () => {
  const schema = {
    type: 'object',
    properties: { id: text, latency_ms: { type: 'number' }, soil: { type: 'object', properties: { kind: text } } },
  }
  assert.deepEqual(
    shown(schema, { id: 'tree_1', latency_ms: 12.4, ripe: true, soil: { kind: 'clay', wet: false }, tags: ['a', 'b'], gone: null }),
    ['id       tree_1', 'latency  12 ms', 'ripe     yes', 'soil', '  kind  clay', '  wet   no', 'tags     a, b', 'gone     –'],
  )
})

test('a list inside a record is a table below its name', () => {
  assert.deepEqual(
    shown(
      {},
      {
        items: [
          { name: 'pear', update: { version: '2.0', compatible: true } },
          { name: 'plum', update: null },
        ],
      },
    ),
    ['items', '  NAME  UPDATE', '  pear  2.0', '  plum  –'],
  )
})

test('times are relative for people and exact for pipes', () => {
  const schema = { type: 'object', properties: { planted_at: time } }
  const answer = { planted_at: '2026-05-01T11:00:00Z' }
  assert.deepEqual(shown(schema, answer, { watched: true }), ['planted at  1 h ago'])
  assert.deepEqual(shown(schema, answer), ['planted at  2026-05-01T11:00:00Z'])
})

test('a record in a cell is said in short', () => {
  const items = [
    { last: { id: 'x', type: 'db', count: 2, size_bytes: 1500, ok: true, bad: false, none: null, zero: 0 } },
    { last: { percent: 40, done: 4, total: 10 } },
    { last: { type: 'token', id: 'y', name: 'Ann' } },
    { last: { plugins: 1, themes: 2, entries: 1 } },
    { last: { zero: 0 } },
    { last: { none: null } },
  ]
  const cells = ['LAST', 'db, 2 count, 1.5 kB size, ok', '40 %', 'Ann', '1 plugin, 2 themes, 1 entry', 'none', '–']
  assert.deepEqual(shown({ type: 'array', items: {} }, items), cells)
})

const orNull = (schema: Schema, description: string): Schema => ({ anyOf: [schema, { type: 'null' }], description })

test('what nobody knows is told from what is nothing, and from what does not apply', () => {
  const counts = { type: 'object', properties: { plugins: { type: 'integer' } } }
  const properties = {
    name: text,
    updates: orNull(counts, 'As of the last inventory; null: it was never read.'),
    read_at: orNull({ type: 'string', format: 'date-time' }, 'When it was last read; null: never.'),
    last: orNull(
      { type: 'object', properties: { ratio: { type: ['number', 'null'], description: 'null: no check counted.' } } },
      'null: none.',
    ),
    tags: { type: 'array', items: text },
    kinds: orNull({ type: 'array', items: text }, 'null: all.'),
    ended_at: orNull({ type: 'string', format: 'date-time' }, 'null: it lasts.'),
    client: { type: ['string', 'null'] },
  }
  const item = { type: 'object', properties }
  const none = { read_at: null, last: null, tags: [], kinds: null, ended_at: null, client: null }
  const never = { name: 'a', updates: null, ...none }
  const read = { ...never, name: 'b', updates: { plugins: 0 }, read_at: '2026-05-01T11:00:00Z', last: { ratio: null }, kinds: [] }
  const columns = ['name', 'updates', 'read_at', 'last.ratio', 'kinds', 'ended_at', 'client']
  assert.deepEqual(shown({ type: 'array', items: item }, [never, read], { columns }), [
    'NAME  UPDATES  READ AT               LAST     KINDS',
    'a     unknown  never                 –        –',
    'b     none     2026-05-01T11:00:00Z  unknown  none',
  ])
  assert.deepEqual(shown({ type: 'array', items: item }, [never], { columns }), ['NAME  UPDATES  READ AT', 'a     unknown  never'])
  assert.deepEqual(shown(item, never), [
    'name      a',
    'updates   unknown',
    'read at   never',
    'last      –',
    'tags      –',
    'kinds     –',
    'ended at  –',
    'client    –',
  ])
})

const integer = { type: 'integer' }
const map = { type: 'object' }
const record = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })

test('what stands beside a list is told above it, in words', () => {
  const look = record({ source: text, checked_at: { ...time, description: 'null: never.' }, sites: integer })
  const properties = {
    trees: { type: 'array', items: record({ id: text }) },
    score: orNull(integer, 'null: not everything was looked at yet.'),
    counts: record({ ripe: integer, rotten: integer, kinds: map, with_nests: integer }),
    needs: record({ water: integer, sun: integer }),
    looks: { type: 'array', items: look },
    visits: { type: 'array', items: record({ at: { type: 'string', format: 'date-time' } }) },
    walk: record({ job_id: text, walked_at: time, whole: { type: 'boolean' }, error: record({ message: text, site_said: map }) }),
    dry_since: time,
    total: integer,
    limit: integer,
    next_cursor: { type: 'string' },
    gaps: { type: 'array', items: text },
    unknown: integer,
  }
  const answer = {
    trees: [{ id: 'tree_1' }],
    score: null,
    counts: { ripe: 3, rotten: 0, kinds: { plum: 1, pear: 2 }, with_nests: 1 },
    needs: { water: 0, sun: 0 },
    looks: [
      { source: 'ground', checked_at: '2026-05-01T11:00:00Z', sites: 1 },
      ...Array.from({ length: 9 }, () => ({ source: 'air', checked_at: null, sites: 0 })),
    ],
    visits: [{ at: '2026-05-01T11:00:00Z' }, { at: '2026-05-01T10:00:00Z' }],
    walk: {
      job_id: 'job_1',
      walked_at: '2026-05-01T11:00:00Z',
      whole: false,
      error: { message: 'It\u001b[2J rained.', site_said: { untrusted: true, text: 'Obey' } },
    },
    dry_since: null,
    ...{ total: 1, limit: 50, next_cursor: 'x', gaps: ['Nobody has looked.'], unknown: 2 },
  }
  const table = ['', 'ID', 'tree_1']
  assert.deepEqual(shown(record(properties), answer, { width: 200, watched: true, list: 'trees' }), [
    'score: unknown, visits: 2',
    'kinds: pear (2), plum (1)',
    '3 ripe, 1 with nest',
    'needs: none',
    `looks: ground, checked 1 h ago, 1 site; ${'air, never checked; '.repeat(7)}and 2 more`,
    'walk: walked 1 h ago, not whole, error (It[2J rained.)',
    ...table,
  ])
  assert.deepEqual(shown(record(properties), { ...answer, looks: [], counts: null }, { width: 24, list: 'trees' }), [
    'score: unknown, visits:',
    '2',
    'needs: none',
    'walk: walked',
    '2026-05-01T11:00:00Z,',
    'not whole, error (It[2J',
    'rained.)',
    ...table,
  ])
  assert.deepEqual(shown(record(properties), { trees: [], needs: { water: 2, sun: 0 } }, { list: 'trees' }), ['needs: 2 water'])
})

test('a column of counts is left out while nothing was counted', () => {
  assert.deepEqual(shown({ type: 'array', items: {} }, [{ name: 'a', outside_count: 0 }]), ['NAME', 'a'])
  assert.deepEqual(
    shown({ type: 'array', items: {} }, [
      { name: 'a', outside_count: 0 },
      { name: 'b', outside_count: 2 },
    ]),
    ['NAME  OUTSIDE COUNT', 'a                 0', 'b                 2'],
  )
})

test('columns that hold nothing are left out, and escape sequences with them', () => {
  assert.deepEqual(shown({ type: 'array', items: {} }, [{ id: 'a\u001b[31m', gone: null }]), ['ID', 'a[31m'])
})
