import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { copyrights, wordfenceFeed, wordfenceRecord } from '../../test/fake-feed.ts'
import { FeedTrouble } from './feed-trouble.ts'
import { type FeedLimits, feedLimits, readFeed } from './read-feed.ts'
import type { FeedRecord, SoftwareType } from './record.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'svc-feed-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const file = path.join(dir, 'feed.json')

async function read(content: string | Buffer, { named = 'plugin' as SoftwareType, limits = {} as Partial<FeedLimits> } = {}) {
  writeFileSync(file, content)
  const records: FeedRecord[] = []
  let [unreadable, format] = [0, '']
  for await (const piece of readFeed(file, named, { ...feedLimits, ...limits })) {
    records.push(...piece.records)
    unreadable += piece.unreadable
    format = piece.format ?? format
  }
  return { records, unreadable, format }
}

test('a record of Wordfence is read with ranges, fixes, score, references and notices', async () => {
  const { records, format } = await read(wordfenceFeed(wordfenceRecord('one')))
  assert.equal(format, 'wordfence')
  assert.deepEqual(records, [
    {
      id: 'one',
      about: {
        title: 'Garden <= 1.0.5 - Unauthenticated Stored Cross-Site Scripting',
        description:
          'The Garden plugin for WordPress is vulnerable to Stored Cross-Site Scripting in all versions up to, and including, 1.0.5.',
        cve: 'CVE-2026-10001',
        cvss: 7.2,
        severity: 'high',
        informational: false,
        references: ['https://www.wordfence.com/threat-intel/vulnerabilities/id/one?source=api-prod', 'https://example.org/advisory'],
        published: '2026-02-23T00:00:00.000Z',
      },
      affected: [{ type: 'plugin', slug: 'garden', ranges: [[null, '1.0.5', 3]], patched: ['1.0.6'] }],
      notices: [copyrights.defiant, copyrights.mitre],
    },
  ])
})

test('scores become severities as CVSS v3.1 has it, and no score stays unknown', async () => {
  const scores = [10, 9, 8.9, 7, 6.9, 4, 3.9, 0.1, 0, null, '9.8', 'high', 11, -1]
  const { records } = await read(
    wordfenceFeed(...scores.map((score, i) => wordfenceRecord(`r${i}`, { cvss: score === null ? null : { score } }))),
  )
  assert.deepEqual(
    records.map(({ about }) => about.severity),
    [
      'critical',
      'critical',
      'high',
      'high',
      'medium',
      'medium',
      'low',
      'low',
      'info',
      'unknown',
      'critical',
      'unknown',
      'unknown',
      'unknown',
    ],
  )
  const { records: told } = await read(wordfenceFeed(wordfenceRecord('i', { informational: true, cvss: { score: 9 } })))
  assert.deepEqual([told[0]?.about.severity, told[0]?.about.cvss], ['info', 9])
})

test('what the scanner’s feed leaves out, PHP’s empty lists and a missing fix do no harm', async () => {
  const { cvss, cwe, description, published, copyrights: gone, ...scanner } = wordfenceRecord('s')
  const { records, unreadable } = await read(
    wordfenceFeed(
      scanner,
      wordfenceRecord('n', {}, { patched: false, patched_versions: ['9.9'] }),
      wordfenceRecord('e', {}, { affected_versions: [] }),
    ),
  )
  assert.deepEqual([records.length, unreadable, records[0]?.about.severity, records[0]?.about.published], [3, 0, 'unknown', null])
  assert.deepEqual([records[1]?.affected[0]?.patched, records[2]?.affected[0]?.ranges], [[], []])
})

test('a record that is not as the format has it is counted and left out', async () => {
  const lies = [{ id: 7 }, { software: 'garden' }, { title: null }]
  const softwareLies = [
    { slug: '' },
    { affected_versions: { x: { from_version: 1 } } },
    { affected_versions: { x: { from_version: 'x'.repeat(65) } } },
  ]
  const records = [...lies.map((lie) => wordfenceRecord('a', lie)), ...softwareLies.map((lie) => wordfenceRecord('b', {}, lie))]
  const document = JSON.stringify(Object.fromEntries([wordfenceRecord('good'), ...records].map((each, i) => [String(i), each])))
  const told = await read(document)
  assert.deepEqual([told.records.map(({ id }) => id), told.unreadable], [['good'], 6])
})

test('texts of a feed are cleaned, and of its links only https ones are kept, ten at most', async () => {
  const many = Array.from({ length: 30 }, (_, i) => `https://example.org/${i}`)
  const bad = [
    'javascript:alert(1)',
    'http://example.org/',
    'https://',
    `https://example.org/${'x'.repeat(600)}`,
    'https://example.org/a b',
    '//x',
  ]
  const { records } = await read(
    wordfenceFeed(wordfenceRecord('x', { title: '\u202eEvil\u0000\n\u{e0041}title', references: [...bad, ...many] })),
  )
  assert.equal(records[0]?.about.title, 'Evil title')
  assert.deepEqual(records[0]?.about.references, many.slice(0, 10))
})

const scan = {
  friendly_name: 'Garden',
  latest_version: '2.0',
  last_updated: '2026-01-01T00:00:00.000Z',
  popular: false,
  vulnerabilities: [
    {
      id: '5e0c1ddd-fdd0-421b-bdbe-3eee6b75c919',
      title: 'Garden < 1.2 - XSS',
      created_at: '2026-02-05T16:50:40.000Z',
      published_date: '2026-02-05T00:00:00.000Z',
      vuln_type: 'XSS',
      references: { url: ['https://example.org/x'], cve: ['2026-6389'] },
      cvss: { score: '6.1', vector: 'CVSS:3.1/AV:N' },
      fixed_in: '1.2',
      introduced_in: '1.0',
    },
    { id: 8000, title: 'Garden - never fixed', references: {}, cvss: null, fixed_in: null },
  ],
}

test('a file of WPScan is read: slugs with their lists, from the first to the first repaired version', async () => {
  const { records, format } = await read(JSON.stringify({ Garden: scan }))
  assert.equal(format, 'wpscan')
  assert.deepEqual(
    records.map(({ id, about, affected }) => [id, about.cve, about.cvss, about.severity, affected]),
    [
      [
        '5e0c1ddd-fdd0-421b-bdbe-3eee6b75c919',
        'CVE-2026-6389',
        6.1,
        'medium',
        [{ type: 'plugin', slug: 'garden', ranges: [['1.0', '1.2', 1]], patched: ['1.2'] }],
      ],
      ['8000', null, null, 'unknown', [{ type: 'plugin', slug: 'garden', ranges: [[null, null, 1]], patched: [] }]],
    ],
  )
  assert.equal(records[0]?.about.references[0], 'https://wpscan.com/vulnerability/5e0c1ddd-fdd0-421b-bdbe-3eee6b75c919/')
})

test('WPScan’s files tell what they are about by their name, by what only WordPress has, or by their groups', async () => {
  const core = {
    '4.9.4': {
      release_date: '2018-02-06',
      changelog_url: 'https://x',
      status: 'insecure',
      vulnerabilities: scan.vulnerabilities.slice(0, 1),
    },
  }
  const typesOf = async (document: object, named: SoftwareType = 'plugin') =>
    (await read(JSON.stringify(document), { named })).records.map(({ affected }) => [affected[0]?.type, affected[0]?.slug])
  const one = { meadow: { ...scan, vulnerabilities: scan.vulnerabilities.slice(1) } }
  assert.deepEqual(await typesOf(one, 'theme'), [['theme', 'meadow']])
  assert.deepEqual(await typesOf(core), [['core', 'wordpress@4.9.4']])
  assert.deepEqual(await typesOf({ wordpresses: core, plugins: one, themes: one }), [
    ['core', 'wordpress@4.9.4'],
    ['plugin', 'meadow'],
    ['theme', 'meadow'],
  ])
})

test('it may be packed by gzip or zstd', async () => {
  const document = wordfenceFeed(...Array.from({ length: 500 }, (_, i) => wordfenceRecord(`r${i}`)))
  for (const pack of [gzipSync, zstdCompressSync]) assert.equal((await read(pack(document))).records.length, 500)
})

const zeros = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(64 * 1024 ** 2, 0x61)])
const sound = wordfenceFeed(wordfenceRecord('one'), wordfenceRecord('two'))
const hostile: [string, () => string | Buffer, RegExp, Partial<FeedLimits>?][] = [
  ['a web page', () => '  <html><body>Sign in</body></html>', /web page/],
  ['another JSON', () => '{"error":{"message":"no"}}', /neither as Wordfence/],
  ['a list', () => '[]', /does not begin/],
  ['an empty file', () => '', /not complete/],
  ['a feed that was cut off', () => sound.slice(0, -20), /not complete|not proper/],
  ['a packed feed that was cut off', () => gzipSync(sound).subarray(0, -30), /packed/],
  ['a packed feed with a changed byte', () => damaged(gzipSync(sound)), /packed|not proper/],
  ['a zstd frame that was cut off', () => zstdCompressSync(sound).subarray(0, -10), /packed/],
  ['a gzip bomb of one record', () => gzipSync(zeros), /larger than any record/],
  ['a zstd bomb of one record', () => zstdCompressSync(zeros), /larger than any record/],
  ['a gzip bomb of spaces', () => gzipSync(Buffer.alloc(64 * 1024 ** 2, 0x20)), /larger than 10000000 bytes/, { bytes: 10_000_000 }],
  ['more records than any feed has', () => sound, /more than 1 entries/, { entries: 1 }],
  ['bytes that are not UTF-8', () => Buffer.from(sound.replaceAll('Garden', 'G\u00e4rden'), 'latin1'), /UTF-8/],
]
for (const [what, content, says, limits = {}] of hostile)
  test(`${what} is refused with a reason`, async () => {
    await assert.rejects(read(content(), { limits }), (error) => error instanceof FeedTrouble && says.test(error.message))
  })

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 0xff
  return copy
}
