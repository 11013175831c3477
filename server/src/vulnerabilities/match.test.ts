import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { wordfenceFeed, wordfenceRecord } from '../../test/fake-feed.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { matchInventory, vulnerabilitiesFixed } from './match.ts'
import { refreshFeed } from './refresh.ts'

const range = (from_version: string, to_version: string, from_inclusive = true, to_inclusive = false) => ({
  from_version,
  from_inclusive,
  to_version,
  to_inclusive,
})
const core = {
  type: 'core',
  slug: 'wordpress',
  affected_versions: { a: range('6.7', '6.7.4'), b: range('6.8', '6.8.2') },
  patched_versions: ['6.8.2', '6.7.4'],
}
const records = [
  wordfenceRecord('low', { cve: 'CVE-2026-10001', cvss: { score: 2.2 } }),
  wordfenceRecord(
    'critical',
    { cve: null, cvss: { score: 9.8 } },
    { affected_versions: { x: range('1.0', '2.0') }, patched_versions: ['3.0', '2.0'] },
  ),
  wordfenceRecord('nobody-knows', { cve: null, cvss: null }, { affected_versions: { x: range('*', '*') }, patched: false }),
  wordfenceRecord('info', { cve: null, informational: true }, { affected_versions: { x: range('*', '*') }, patched: false }),
  wordfenceRecord('first', { cve: 'CVE-2026-20001' }, { slug: 'orchard' }),
  wordfenceRecord('second', { cve: 'CVE-2026-20001' }, { slug: 'orchard' }),
  wordfenceRecord('core', { cve: null }, core),
  wordfenceRecord('theme', { cve: null }, { type: 'theme', slug: 'Meadow', affected_versions: { x: range('*', '*') } }),
]
const scan = {
  wordpresses: { '6.8.1': { changelog_url: 'https://x', vulnerabilities: [{ id: 9, title: 'By version', fixed_in: '6.8.3' }] } },
  plugins: {
    garden: {
      vulnerabilities: [
        { id: 1, title: 'The same', references: { cve: ['2026-10001'] }, fixed_in: '1.0.6' },
        { id: 2, title: 'Another', fixed_in: '1.0.7' },
      ],
    },
  },
}

describe('matching', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    const sources = Object.entries({ 'wf.json': wordfenceFeed(...records), 'wpscan.json': JSON.stringify(scan) }).map(
      ([name, document]) => {
        const address = path.join(here.dataDir, name)
        writeFileSync(address, document)
        return { kind: 'file' as const, address }
      },
    )
    await refreshFeed({ ...here.world, config: { ...here.world.config, vulnerabilityFeed: { sources, header: undefined } } })
  })
  after(() => here.close())

  const match = async (type: string, slug: string, version: string) =>
    (await matchInventory(here.world, [{ type, slug, version }]))[0] ?? []
  const ids = async (type: string, slug: string, version: string) => (await match(type, slug, version)).map(({ id }) => id)

  test('what is installed has the vulnerabilities whose ranges its version lies in, worst first', async () => {
    assert.deepEqual(await ids('plugin', 'garden', '1.0.0'), ['critical', '2', 'nobody-knows', 'low', 'info'])
    assert.deepEqual(await ids('plugin', 'garden', '1.0.5'), ['critical', '2', 'nobody-knows', 'low', 'info'])
    assert.deepEqual(await ids('plugin', 'garden', '1.0.6'), ['critical', '2', 'nobody-knows', 'info'])
    assert.deepEqual(await ids('plugin', 'garden', '2.0'), ['nobody-knows', 'info'])
    assert.deepEqual(await ids('plugin', 'garden', '2.0-beta1'), ['critical', 'nobody-knows', 'info'])
    assert.deepEqual(
      await ids('plugin', 'garden', ''),
      ['nobody-knows', 'info'],
      'of an unknown version only what is in all of them is known',
    )
    assert.deepEqual(await ids('plugin', 'garden-pro', '1.0.0'), [])
  })

  test('a match tells all there is to know', async () => {
    const [worst] = await match('plugin', 'garden', '1.0.0')
    assert.deepEqual(worst, {
      id: 'critical',
      title: 'Garden <= 1.0.5 - Unauthenticated Stored Cross-Site Scripting',
      description:
        'The Garden plugin for WordPress is vulnerable to Stored Cross-Site Scripting in all versions up to, and including, 1.0.5.',
      cve: null,
      severity: 'critical',
      cvss: 9.8,
      informational: false,
      affected: 'from 1.0 before 2.0',
      fixed_in: '2.0',
      references: ['https://www.wordfence.com/threat-intel/vulnerabilities/id/critical?source=api-prod', 'https://example.org/advisory'],
      published: '2026-02-23T00:00:00.000Z',
    })
    const told = await match('plugin', 'garden', '1.0.0')
    assert.deepEqual(
      told.map(({ severity, fixed_in }) => [severity, fixed_in]),
      [
        ['critical', '2.0'],
        ['unknown', '1.0.7'],
        ['unknown', null],
        ['low', '1.0.6'],
        ['info', null],
      ],
    )
  })

  test('WordPress is one thing whatever it is called, its fix is of its own branch, and single versions count too', async () => {
    assert.deepEqual(
      (await match('core', 'core', '6.7.1')).map(({ id, fixed_in }) => [id, fixed_in]),
      [['core', '6.7.4']],
    )
    assert.deepEqual(
      (await match('core', 'wordpress', '6.8.1')).map(({ id, fixed_in }) => [id, fixed_in]),
      [
        ['core', '6.8.2'],
        ['9', '6.8.3'],
      ],
    )
    assert.deepEqual(await ids('core', 'wordpress', '6.8.2'), [])
  })

  test('folders are found however they are written; kinds are not mixed up; drop-ins are nobody’s', async () => {
    assert.deepEqual(await ids('theme', 'MEADOW', '1'), ['theme'])
    assert.deepEqual(await ids('plugin', 'meadow', '1'), [])
    assert.deepEqual(await ids('theme', 'garden', '1.0.0'), [])
    assert.deepEqual((await ids('mu_plugin', 'Garden', '1.0.0')).length, 5)
    assert.deepEqual(await ids('dropin', 'garden', '1.0.0'), [])
  })

  test('many are answered in their order, equal ones once', async () => {
    const items = ['1.0.0', '2.0', '1.0.0'].map((version) => ({ type: 'plugin', slug: 'garden', version }))
    const [first, second, third] = await matchInventory(here.world, items)
    assert.deepEqual([first?.length, second?.length], [5, 2])
    assert.equal(first, third)
    assert.deepEqual(await matchInventory(here.world, []), [])
  })

  test('what two feeds tell of one CVE is told once, what one feed tells twice is two', async () => {
    assert.deepEqual(
      (await match('plugin', 'garden', '1.0.0')).filter(({ cve }) => cve === 'CVE-2026-10001').map(({ id }) => id),
      ['low'],
    )
    assert.deepEqual(await ids('plugin', 'orchard', '1.0'), ['first', 'second'])
  })

  test('an update fixes what the old version has and the new one has not', async () => {
    const fixed = async (from: string, to: string) =>
      (await vulnerabilitiesFixed(here.world, { type: 'plugin', slug: 'garden' }, from, to)).map(({ id }) => id)
    assert.deepEqual(await fixed('1.0.0', '1.0.6'), ['low'])
    assert.deepEqual(await fixed('1.0.0', '2.0'), ['critical', '2', 'low'])
    assert.deepEqual(await fixed('2.0', '3.0'), [])
  })

  test('the inventory of a site tells them, with whose they are', async () => {
    const { id } = await here.site()
    const told = (await here.call('inventory.get', { site_id: id })) as unknown as {
      vulnerability_feed: { records: number; notices: string[] }
      items: { file: string; vulnerabilities: Record<string, unknown>[]; vulnerabilities_total: number }[]
    }
    assert.deepEqual(told.vulnerability_feed.records, 11)
    assert.deepEqual(told.vulnerability_feed.notices, ['Copyright 2012-2026 Example Inc.', 'Copyright 1999-2026 Example Corporation'])
    assert.deepEqual(
      told.items.map(({ file, vulnerabilities, vulnerabilities_total }) => [file, vulnerabilities.length, vulnerabilities_total]),
      [
        ['core', 2, 2],
        ['garden/garden.php', 5, 5],
        ['svc-connector/svc-connector.php', 0, 0],
        ['meadow', 1, 1],
      ],
    )
    assert.ok(!('description' in (told.items[1]?.vulnerabilities[0] ?? { description: '' })))
    const cached = (await here.call('inventory.get', { site_id: id, cached: true })) as unknown as typeof told
    assert.deepEqual(cached.items, told.items)
  })
})
