import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { TweakId } from '../tweaks/schema.ts'
import { checks } from './checks.ts'
import { checksPage, checksPageFile } from './checks-page.ts'
import { differences, judgeCore } from './integrity.ts'
import { endedOn } from './lifetimes.ts'
import { outdated, unmaintained } from './outdated.ts'
import { judgeTls } from './outside/web.ts'

const now = new Date('2026-11-20T12:00:00Z')
const checksOf = (findings: { check: string }[]) => findings.map(({ check }) => check)

test('the page of the checks is what the table says', async () => {
  assert.equal(await readFile(checksPageFile, 'utf8'), checksPage(), 'run `node server/src/security/checks-page.ts` and commit it')
})

test('every check has its own id, words that end, and a fix that exists', () => {
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length)
  for (const { id, title, description, how, fix } of checks) {
    assert.match(id, /^[a-z][a-z0-9_]+$/)
    assert.ok(/[^.]$/.test(title) && title.length <= 80 && /\.$/.test(description) && /\.$/.test(how), id)
    if (fix !== null && fix !== 'update') assert.ok(TweakId.safeParse(fix.tweak_id).success, id)
  }
})

test('the end of life is told by branch, from the day after the last one', () => {
  const at = (day: string) => new Date(`${day}T12:00:00Z`)
  assert.equal(endedOn('php', '8.1.30', at('2025-12-31')), undefined)
  assert.equal(endedOn('php', '8.1.30', at('2026-01-01')), '2025-12-31')
  assert.equal(endedOn('php', '5.3.29', now), '2018-12-31', 'older than the table')
  assert.equal(endedOn('php', '9.9.0', now), undefined, 'newer than the table')
  assert.equal(endedOn('mariadb', '5.5.5-10.6.18-MariaDB-log', now), '2026-07-06')
  assert.equal(endedOn('mariadb', '10.11.6-MariaDB-0+deb12u1', now), undefined)
  assert.equal(endedOn('mariadb', '11.2.3', now), undefined, 'not in the table')
  assert.equal(endedOn('mysql', '8.0.35', now), '2026-04-30')
  assert.equal(endedOn('mysql', 'nonsense', now), undefined)
})

test('certificates: valid, soon over, over, not trusted, and old protocols', () => {
  const facts = { trusted: true, why: null, expiresAt: new Date('2027-02-01'), protocol: 'TLSv1.3', oldProtocol: false }
  assert.deepEqual(judgeTls(facts, now), [])
  assert.deepEqual(checksOf(judgeTls({ ...facts, expiresAt: new Date('2026-12-01') }, now)), ['certificate_expiring'])
  assert.deepEqual(checksOf(judgeTls({ ...facts, expiresAt: new Date('2026-11-19'), trusted: false }, now)), ['certificate_expired'])
  assert.deepEqual(checksOf(judgeTls({ ...facts, trusted: false, why: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, now)), ['certificate_invalid'])
  assert.deepEqual(checksOf(judgeTls({ ...facts, oldProtocol: true }, now)), ['tls_outdated'])
  assert.deepEqual(checksOf(judgeTls({ ...facts, protocol: 'TLSv1.1' }, now)), ['tls_outdated'])
})

const sums = (files: Record<string, string>) => new Map(Object.entries(files).map(([path, sum]) => [path, [sum]] as const))

test('core: changed, foreign and missing files are told apart; what cannot be read is not judged', () => {
  const published = sums({
    'index.php': 'a',
    'wp-admin/a.php': 'b',
    'wp-includes/c.js': 'c',
    'readme.html': 'd',
    'wp-config-sample.php': 'e',
    'wp-content/x.php': 'f',
  })
  const clean = new Map(
    [...published].filter(([path]) => !/readme|sample|content/.test(path)).map(([path, [sum = '']]) => [path, sum] as const),
  )
  assert.deepEqual(judgeCore(published, clean, '7.0').found, [])
  const changed = new Map([...clean, ['index.php', 'x'], ['wp-includes/evil.php', 'y'], ['wp-includes/c.js', ''], ['own.php', 'z']])
  changed.delete('wp-admin/a.php')
  assert.deepEqual(
    judgeCore(published, changed, '7.0').found.map(({ check, evidence }) => [check, evidence]),
    [
      ['core_modified', ['index.php']],
      ['core_unknown', ['wp-includes/evil.php']],
      ['core_missing', ['wp-admin/a.php']],
    ],
  )
})

test('plugins: a newer readme is no change, foreign PHP is, foreign pictures are not', () => {
  const published = sums({ 'a.php': 'a', 'readme.txt': 'r', 'b.js': 'b' })
  assert.deepEqual(
    differences(
      published,
      new Map([
        ['a.php', 'a'],
        ['readme.txt', 'other'],
        ['logo.png', 'p'],
      ]),
    ),
    [],
  )
  assert.deepEqual(
    differences(
      published,
      new Map([
        ['a.php', 'x'],
        ['b.js', ''],
        ['lib/evil.php', 'e'],
      ]),
    ),
    ['changed: a.php', 'not part of it: lib/evil.php'],
  )
})

const item = (over: object = {}) => ({
  ...{
    type: 'plugin' as const,
    slug: 'garden',
    file: 'garden/garden.php',
    name: 'Garden',
    version: '1.0',
    active: true,
    auto_update: false,
  },
  ...{ update: null, author: '', uri: '', vulnerabilities: [], vulnerabilities_total: 0 },
  ...over,
})

test('an update that cannot be applied says why, and one of an idle plugin is low', () => {
  const update = { version: '2.0', requires_wp: '9.0', requires_php: '', compatible: false, package: false }
  const [finding] = outdated([item({ update, active: false })])
  assert.deepEqual(
    [finding?.severity, finding?.evidence.length, finding?.fix],
    ['low', 4, { update: { type: 'plugin', slug: 'garden', version: '2.0' } }],
  )
})

test('abandoned and closed plugins are judged only where they are surely the same, and a silent directory says nothing', async () => {
  const listing = { name: 'Garden', closed: false, closed_date: null, reason: null, last_updated: '2024-01-01' }
  const judged = async (told: object | 'unknown' | 'silent', listed: string[] = []) =>
    (await unmaintained([item()], new Set(listed), { plugin: async () => told as never }, now))?.map(({ check }) => check)
  assert.deepEqual(await judged(listing), ['plugin_abandoned'])
  assert.deepEqual(await judged({ ...listing, last_updated: '2026-01-01' }), [])
  assert.deepEqual(await judged({ ...listing, last_updated: null }), [])
  assert.deepEqual(await judged({ ...listing, name: 'Other' }), [], 'another plugin of that folder')
  assert.deepEqual(await judged({ ...listing, name: 'Renamed' }, ['garden/garden.php']), ['plugin_abandoned'])
  assert.deepEqual(await judged({ ...listing, name: 'GARDEN &#8211; ', closed: true }), ['plugin_closed'])
  assert.deepEqual(await judged({ ...listing, name: 'Other', closed: true }, ['garden/garden.php']), [])
  assert.deepEqual(await judged('unknown'), [])
  assert.equal(await judged('silent'), undefined)
})
