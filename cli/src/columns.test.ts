import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { titlesOf } from './cell.ts'
import { plain, typeOf } from './describe.ts'
import { nounHelp, overview, verbHelp } from './help.ts'
import { type Entry, type Manifest, nounsOf, type Schema } from './manifest.ts'
import { ownWords } from './own-words.ts'
import { show } from './show.ts'
import { continued, fold, widthOf } from './text.ts'

const manifest = JSON.parse(readFileSync(new URL('../../contract/operations.json', import.meta.url), 'utf8')) as Manifest
const operations = manifest.operations.filter(({ scope, personal }) => scope !== 'manage' && !personal)
const called = (name: string) => operations.find((each) => each.name === name) ?? assert.fail(name)

/** What people must see of each item, however narrow the terminal. A new list needs a line here. */
const matters: Record<string, string[]> = {
  'sites.list': ['url', 'status', 'updates available'],
  'fleet.list': ['url', 'needs', 'status'],
  'jobs.list': ['created at', 'type', 'site', 'outcome', 'summary'],
  'activity.list': ['performed at', 'summary', 'site name', 'notes'],
  'approvals.list': ['created at', 'status', 'title'],
  'security.list': ['severity', 'site', 'title'],
  'backups.list': ['created at', 'type', 'status', 'size', 'verification', 'suspect', 'omitted tables'],
  'updates.rules': ['name', 'allow', 'delay days'],
  'updates.windows': ['at', 'weekday', 'tag', 'next at'],
  'inventory.things': ['name', 'sites', 'with update'],
  'rollouts.list': ['created at', 'kind', 'status', 'counts'],
  'uptime.list': ['name', 'state', 'problem'],
  'uptime.incidents': ['started at', 'site name', 'kind', 'message'],
  'links.list': ['confidence', 'url', 'site name', 'reason'],
  'performance.list': ['name', 'direction', 'ttfb'],
  'errors.list': ['level', 'message', 'site name', 'component', 'count'],
  'clients.list': ['name', 'sites', 'schedule'],
  'reports.list': ['first day', 'client name', 'status'],
  'notifications.list': ['happened at', 'site name', 'kind', 'message'],
  'notifications.deliveries': ['created at', 'channel name', 'status', 'error'],
}

/** A value of this schema, as long as such values are. */
function sample(schema: Schema, field: string): unknown {
  const { properties, items, enum: values, format } = plain(schema)
  const type = typeOf(schema)
  if (type === 'object' && !properties) return { unreachable: 1, connected: 7 }
  if (values) return values[0]
  if (format === 'date-time') return '2026-05-01T11:00:00Z'
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sample(inner, name)]))
  if (items) return [sample(items, field)]
  if (type === 'integer' || type === 'number') return 12_345
  if (type === 'boolean') return true
  if (/summary|title|reason|message|notes/.test(field))
    return 'The front page answers with 500 after the update, and everything was taken back.'
  if (/(^|_)id$/.test(field)) return `${field}_01k0000000000000000000000a`
  if (/url|home|^site$/.test(field)) return 'https://a-rather-long-name.example.com'
  return 'some words'
}

/** An item with null wherever its schema lets it be. */
const emptied = (schema: Schema) =>
  Object.fromEntries(
    Object.entries(plain(schema).properties ?? {}).map(([field, inner]) => [
      field,
      [inner, ...(inner.anyOf ?? [])].some(({ type }) => [type].flat().includes('null')) ? null : sample(inner, field),
    ]),
  )

function shown(entry: Entry, answer: unknown, width: number): { lines: string[]; said: string } {
  const lines: string[] = []
  const said: string[] = []
  const here = { width, errWidth: width, colour: false, live: false, watched: true, now: () => new Date('2026-05-01T12:00:00Z') }
  show({ ...here, out: (line) => void lines.push(line), err: (text) => void said.push(text) }, entry, answer)
  return { lines, said: said.join('') }
}

test('every list has a line here', () => {
  const lists = operations.filter(({ list }) => list).map(({ name }) => name)
  assert.deepEqual(lists.toSorted(), Object.keys(matters).toSorted())
})

for (const [name, wanted] of Object.entries(matters))
  for (const width of [40, 80, 120])
    test(`${name} at ${width} columns shows what matters, nothing wider than the terminal, and names what it leaves out`, () => {
      const entry = called(name)
      const item = plain(plain(entry.output ?? {}).properties?.[entry.list ?? ''] ?? {}).items ?? {}
      const { lines, said } = shown(entry, [sample(item, ''), sample(item, '')], width)
      for (const line of [...lines, ...said.split('\n')]) assert.ok(widthOf(line) <= width, `${widthOf(line)}: ${line}`)
      const text = lines.join('\n').toLowerCase()
      for (const title of wanted) assert.ok(text.includes(title), `${title} is missing:\n${lines.join('\n')}`)
      const columns = entry.columns ?? []
      for (const title of titlesOf(columns))
        assert.ok(`${text} ${said.replaceAll('\n', ' ')}`.includes(title), `${title} is neither shown nor named as left out`)
      assert.match(columns.at(-1) ?? '', /^((site_)?id|slug)$/)
    })

/** What people must see above the table of a list, from a whole answer. */
const above: Record<string, string[]> = {
  'sites.list': ['status: connected (7), unreachable (1)', '12345 with updates, 12345 never read'],
  'fleet.list': ['all: 12345', 'needs: 12345 down', 'not known: 12345 down'],
  'activity.list': ['some words maintenance, 12345 entries'],
  'security.list': [
    'score: 12345',
    '12345 critical',
    'checks: some words critical, 12345 findings',
    'looks: facts, checked 1 h ago',
    'feed: ',
  ],
  'uptime.list': ['12345 up, 12345 down', 'watch troubled since: 1 h ago', 'checks: 1'],
  'errors.list': ['12345 fatal', 'collection: collected 1 h ago, capturing', 'sites collected: 12345'],
  'links.list': ['12345 broken', 'scan: ', 'sites scanned: 12345'],
  'inventory.things': ['sites: 12345'],
  'performance.list': ['window days: 12345', 'trends: ttfb_ms better'],
  'jobs.list': [],
}

for (const [name, wanted] of Object.entries(above))
  for (const width of [40, 80, 120])
    test(`${name} at ${width} columns tells above its table what stands beside it, and nothing wider than the terminal`, () => {
      const entry = called(name)
      const whole = sample(entry.output ?? {}, '') as Record<string, unknown>
      const { lines } = shown(entry, whole, width)
      const { lines: alone } = shown(entry, whole[entry.list ?? ''], width)
      const told = lines.slice(0, lines.length - alone.length)
      for (const line of told) assert.ok(widthOf(line) <= width, `${widthOf(line)}: ${line}`)
      for (const each of wanted) assert.ok(told.join(' ').includes(each), `${each} is missing:\n${told.join('\n')}`)
      assert.deepEqual(lines.slice(told.length), alone)
      assert.equal(told.at(-1), wanted.length > 0 ? '' : undefined)
      assert.doesNotMatch(told.join(' '), /\b(?:total|limit|next cursor|gaps)\b/)
    })

test('a row of the fleet begins with what it is about, its site among it', () => {
  for (const [name, head] of [
    ['jobs.list', /^CREATED AT +TYPE +SITE +STATUS +OUTCOME/],
    ['errors.list', /^LEVEL +SITE NAME +COMPONENT/],
    ['links.list', /^CONFIDENCE +SITE NAME/],
  ] as const) {
    const item = plain(plain(called(name).output ?? {}).properties?.[called(name).list ?? ''] ?? {}).items ?? {}
    const told = { ...(sample(item, '') as object), site: 'example.com', url: `https://example.com/${'a'.repeat(30)}` }
    assert.match(shown(called(name), [told], 80).lines[0] ?? '', head)
  }
})

/** What null stands for in each list, by its schema: what nobody knows is said, what does not apply is not. */
const ofNull: Record<string, string[]> = {
  'sites.list': ['updates available: unknown', 'wp version: unknown', 'php version: unknown', 'last good backup: never'],
  'fleet.list': ['updates available: unknown', 'last good backup: never'],
  'jobs.list': [],
  'activity.list': [],
  'backups.list': ['verification: unknown'],
  'performance.list': ['score: none', 'collected at: unknown'],
  'uptime.list': ['ratio 24h: unknown', 'ratio 30d: unknown', 'app up: unknown', 'connector silent: unknown'],
}

for (const [name, wanted] of Object.entries(ofNull))
  test(`${name} says what is unknown of an item of which nothing is known`, () => {
    const entry = called(name)
    const item = plain(plain(entry.output ?? {}).properties?.[entry.list ?? ''] ?? {}).items ?? {}
    const { lines } = shown(entry, [emptied(item)], 40)
    assert.deepEqual(
      lines.map((line) => line.trim()).filter((line) => /: (unknown|never|none)$/.test(line)),
      wanted,
    )
  })

test('a backup that lacks something does not look whole', () => {
  const item = plain(plain(called('backups.list').output ?? {}).properties?.backups ?? {}).items ?? {}
  const omitted = Object.fromEntries(
    ['unreadable', 'changed', 'outside', 'tables', 'database', 'neighbours', 'restore'].map((each) => [each, []]),
  )
  const whole = { ...emptied(item), verification: 'content', suspect: false, roots: [] }
  const lacking = {
    ...whole,
    ...{ suspect: true, skipped_rows: { count: 3, tables: ['wp_posts'], sample: [] }, roots: [{ id: 'r', path: '/srv/shared' }] },
    omitted: {
      ...omitted,
      tables: ['wp_blobs (the database cannot read it)'],
      neighbours: ['shop (a site of its own)'],
      restore: ['No room.'],
    },
  }
  const { lines } = shown(called('backups.list'), [lacking, { ...whole, omitted }], 400)
  const [head = '', first = '', second = ''] = lines
  assert.match(head, /SUSPECT +OMITTED TABLES +SKIPPED ROWS .*OMITTED NEIGHBOURS +OMITTED RESTORE +ROOTS/)
  assert.doesNotMatch(head, /OMITTED DATABASE/)
  assert.match(first, / yes +wp_blobs \(the database cannot read it\) +3 .* shop \(a site of its own\) +No room\. +\/srv\/shared/)
  assert.match(second, / no +– +– .* – +– +none/)
  assert.match(shown(called('backups.list'), [lacking, whole], 80).lines.join('\n'), /^ {2}omitted tables: wp_blobs/m)
})

/** The same of reads that answer a record with rows in it. A new one needs a line here. */
const within: Record<string, [rows: string, ...wanted: string[]]> = {
  'inventory.get': ['items', 'site', 'slug', 'version', 'update'],
  'tweaks.list': ['tweaks', 'id', 'name', 'state', 'risk', 'reason'],
  'timetable.get': ['items', 'what', 'enabled', 'last at', 'next at'],
  'rollouts.get': ['sites', 'url', 'status', 'reason', 'wave'],
  'uptime.checks': ['checks', 'at'],
  'notifications.channels': ['channels', 'name'],
  'notifications.rules': ['rules', 'kinds', 'id'],
}

for (const [name, [rows, ...wanted]] of Object.entries(within))
  for (const width of [40, 80, 120])
    test(`${name} at ${width} columns shows what matters of its rows, and nothing wider than the terminal`, () => {
      const entry = called(name)
      const output = plain(entry.output ?? {})
      const item = plain(output.properties?.[rows] ?? {}).items ?? {}
      const { lines } = shown(entry, { ...(sample(output, '') as object), [rows]: [sample(item, ''), sample(item, '')] }, width)
      for (const line of lines) assert.ok(widthOf(line) <= width, `${widthOf(line)}: ${line}`)
      const below = lines.join('\n').toLowerCase()
      const [, text = ''] = new RegExp(`^${rows}\\n((?:(?: .*)?\\n)*)`, 'm').exec(`${below}\n`) ?? []
      for (const title of wanted) assert.match(text, new RegExp(`\\b${title}\\b`), `${title} is missing:\n${lines.join('\n')}`)
    })

test('what became of the items of an update, and why, is seen at 80 columns', () => {
  const items = ['updated', 'rolled_back'].map((status, n) => ({
    ...{
      type: 'plugin',
      slug: `plugin-${n}`,
      file: `plugin-${n}/plugin-${n}.php`,
      name: `A plugin with a name ${n}`,
      from_version: '1.0.0',
      to_version: '1.1.0',
    },
    ...{ status, reason: n ? 'The front page answers with 500, where it answered with 200 before.' : null, seconds: 12, site_said: null },
  }))
  const { lines } = shown(called('jobs.get'), { id: 'job_1', status: 'completed', result: { items } }, 80)
  const text = lines.join('\n')
  for (const part of [/SLUG +NAME +STATUS/, /plugin-1 .*rolled_back/, /reason: The front page answers with 500/]) assert.match(text, part)
  for (const line of lines) assert.ok(widthOf(line) <= 80, line)
})

/** What cannot be broken: a word, or what is quoted in a command. */
const isOne = (line: string) => /^\s*(?:'[^']*'|\\'|[^\s'])+(?: \\)?$/.test(line)

for (const width of [40, 80, 120])
  test(`help at ${width} columns is no wider than the terminal: the overview, each noun, each verb`, () => {
    const texts = [
      overview(manifest, width),
      ...nounsOf(manifest).map((noun) => nounHelp(manifest, noun, width)),
      ...operations.map((entry) => verbHelp(manifest, entry, width)),
    ]
    for (const text of texts)
      for (const line of text.split('\n')) assert.ok(widthOf(line) <= width || isOne(line), `${widthOf(line)}: ${line}`)
  })

test('an example in several lines is the command that the shell reads in one', () => {
  for (const width of [40, 80])
    for (const { command } of operations) {
      const lines = continued(command, width)
      assert.equal(lines.join('\n').replaceAll(/ \\\n +/g, ' '), command)
    }
  assert.deepEqual(continued("svc trees set north 'tree 1' --note 'it'\\''s dry here' --liters 2 --wait", 40), [
    "svc trees set north 'tree 1' \\",
    "  --note 'it'\\''s dry here' --liters 2 \\",
    '  --wait',
  ])
})

test('what is said on stderr is no wider than it either', () => {
  const text = `svc: There is no such site in this workspace.\n  svc sites list shows those there are; a change takes an id or a domain.\n    ${'svc sites get example.com '.repeat(3)}`
  for (const line of fold(text, 40).split('\n')) assert.ok(widthOf(line) <= 40, line)
  assert.equal(fold(text, Number.POSITIVE_INFINITY), text)
  assert.equal(fold(text, 40).match(/ \\$/gm)?.length, 2, 'the command alone goes on with one')
})

test('help says how to say no', () => {
  assert.match(verbHelp(manifest, called('restores.create'), 80), /--\[no-\]safety-backup/)
  assert.match(verbHelp(manifest, called('restores.create'), 80), /--dry-run\b/)
})

test('no help names a tool, an operation or a route: what can be typed is told as it is typed', () => {
  const names = new Set(manifest.operations.flatMap(({ name, tool }) => (tool ? [name, tool] : [name])))
  const texts = [
    overview(manifest, 80),
    ...nounsOf(manifest).map((noun) => nounHelp(manifest, noun, 80)),
    ...operations.map((entry) => verbHelp(manifest, entry, 80)),
  ]
  for (const text of texts) {
    const words = text.match(/\b[a-z]+(?:[._][a-z]+)+\b/g) ?? []
    assert.deepEqual(
      words.filter((word) => names.has(word)),
      [],
      text,
    )
    assert.doesNotMatch(text, /\b(?:GET|POST|PUT|PATCH|DELETE) \//, text)
  }
  assert.match(verbHelp(manifest, called('clients.create'), 200), /svc sites set says so/)
  assert.match(verbHelp(manifest, called('rollouts.start'), 400), /in place of --wave-size\./)
})

test('tools and routes are told as commands', () => {
  const told = ownWords(
    manifest,
    'There is no such job. list_jobs (GET /jobs) shows the recent ones; get_security too, GET /rollouts, and no_such_tool not.',
  )
  assert.equal(
    told,
    'There is no such job. svc jobs list shows the recent ones; svc security list too, svc rollouts list, and no_such_tool not.',
  )
})

test('of what updates sites the help says which command is for one, which for many, and where that is listed', () => {
  const help = (name: string) => verbHelp(manifest, called(name), 200)
  assert.match(help('updates.apply'), /one site.*Of many sites: svc rollouts start\./)
  assert.match(help('rollouts.start'), /one site, or many in waves, a rollout/)
  assert.match(help('rollouts.list'), /updates of many sites, as svc rollouts start begins them/)
})
