import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { wordfenceFeed, wordfenceRecord } from '../../test/fake-feed.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { followSetting, refreshFeed } from '../vulnerabilities/refresh.ts'
import type { World } from '../world.ts'
import { compareSiteWithFeed, compareWithFeed } from './feed.ts'

interface Row {
  id: string
  site_id: string
  workspace_id: string
  status: string
  severity: string
  title: string
  component: object
  affected_range: string
  fixed_in: string | null
  cve: string | null
  references: string[]
  fix: object | null
  evidence: string[]
  last_seen_at: Date
}

describe('findings from the feed', () => {
  let here: TestWorld
  let world: World
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld({}, undefined, { withoutDuties: ['compare with the feed'] })
    site = await here.site()
    const address = path.join(here.dataDir, 'feed.json')
    world = {
      ...here.world,
      config: { ...here.world.config, vulnerabilityFeed: { sources: [{ kind: 'file', address }], header: undefined } },
    }
  })
  after(() => here.close())
  beforeEach(async () => {
    for (const table of ['findings', 'security_looks', 'feed_looks']) await sql`DELETE FROM ${sql.table(table)}`.execute(here.world.db)
    await followSetting({ ...world, config: { ...world.config, vulnerabilityFeed: { sources: [], header: undefined } } })
  })

  const feed = async (...records: { id: string }[]) => {
    writeFileSync(path.join(here.dataDir, 'feed.json'), wordfenceFeed(...records))
    const [outcome] = await refreshFeed(world, { force: true, acceptSmaller: true })
    assert.equal(outcome?.message, null)
  }
  const rows = async () => (await sql<Row>`SELECT * FROM findings WHERE source = 'feed' ORDER BY rank DESC, id`.execute(here.world.db)).rows
  const looks = async () => (await sql`SELECT 1 FROM security_looks WHERE source = 'feed'`.execute(here.world.db)).rows.length
  const inventory = () => here.call('inventory.get', { site_id: site.id })

  test('without a feed nobody has looked, which is not nothing found', async () => {
    assert.deepEqual([await compareWithFeed(world), await rows(), await looks()], [0, [], 0])
  })

  test('a known vulnerability becomes a finding with its evidence and the update that fixes it', async () => {
    await feed(wordfenceRecord('one'))
    assert.equal(await compareWithFeed(world), 1)
    const [row, ...more] = await rows()
    assert.equal(more.length, 0)
    assert.deepEqual(
      { ...row, id: '', last_seen_at: '' },
      {
        ...row,
        id: '',
        last_seen_at: '',
        site_id: site.id,
        check: 'known_vulnerability',
        component_key: 'one plugin garden',
        kind: 'vulnerability',
        severity: 'high',
        status: 'open',
        component: { type: 'plugin', slug: 'garden', name: 'Garden', version: '1.0.0' },
        affected_range: 'up to 1.0.5',
        fixed_in: '1.0.6',
        cve: 'CVE-2026-10001',
        fix: { update: { type: 'plugin', slug: 'garden', version: '1.0.6' } },
        evidence: ['Installed: version 1.0.0.', 'Affected: up to 1.0.5.', 'Fixed in 1.0.6.'],
      },
    )
    assert.equal(await looks(), 1)
  })

  test('what has not changed is not compared again; a new feed and a new inventory are', async () => {
    await feed(wordfenceRecord('one'))
    assert.deepEqual([await compareWithFeed(world), await compareWithFeed(world)], [1, 0])
    const [before] = await rows()
    here.clock.add(24 * 3_600_000)
    await inventory()
    assert.equal(await compareWithFeed(world), 1)
    const [same] = await rows()
    assert.equal(same?.id, before?.id)
    assert.ok(same && before && same.last_seen_at > before.last_seen_at, 'it was seen again')
    await feed(wordfenceRecord('one'), wordfenceRecord('two', { cve: null, cvss: null }, { patched: false }))
    assert.equal(await compareWithFeed(world), 1)
    const told = await rows()
    assert.deepEqual(
      told.map(({ severity, fix, evidence }) => [severity, fix === null, evidence.at(-1)]),
      [
        ['high', false, 'Fixed in 1.0.6.'],
        ['unknown', true, 'There is no version with a fix.'],
      ],
    )
  })

  test('an update fixes the finding at once, and going back opens the same one again', async () => {
    const [, garden] = site.fake.state.items
    assert.ok(garden)
    await feed(wordfenceRecord('one'))
    await compareWithFeed(world)
    const [{ id } = { id: '' }] = await rows()
    for (const [version, status] of [
      ['1.0.6', 'fixed'],
      ['1.0.0', 'open'],
    ] as const) {
      here.clock.add(60_000)
      garden.version = version
      await inventory()
      await compareSiteWithFeed({ ...world, workspaceId: here.workspaceId }, site.id)
      assert.deepEqual(
        (await rows()).map((row) => [row.id, row.status]),
        [[id, status]],
      )
    }
    assert.equal(await compareWithFeed(world), 0, 'nothing is left to compare')
  })

  test('a record that the feed takes back is fixed, and all sites of all workspaces are compared, each in its own', async () => {
    const other = await here.workspace('Other')
    const foreign = await here.site(other)
    await feed(wordfenceRecord('one'), wordfenceRecord('two', { cve: null }))
    assert.equal(await compareWithFeed(world), 2)
    const told = await rows()
    assert.deepEqual(
      told.map(({ workspace_id, site_id }) => `${workspace_id} ${site_id}`).toSorted(),
      [here.workspaceId, here.workspaceId, other, other].map((id) => `${id} ${id === other ? foreign.id : site.id}`).toSorted(),
    )
    await feed(wordfenceRecord('two', { cve: null }))
    await compareWithFeed(world)
    assert.deepEqual((await rows()).map(({ status }) => status).toSorted(), ['fixed', 'fixed', 'open', 'open'])
  })

  test('a list of sites is narrowed to the vulnerable ones, and says of how many that is not known', async () => {
    const fresh = await here.site()
    const isAmong = async (vulnerable: boolean) => {
      const { sites } = (await here.call('sites.list', { vulnerable })) as { sites: { id: string }[] }
      return sites.some(({ id }) => id === fresh.id)
    }
    const unknown = async () => (await here.call('sites.list', { vulnerable: true })).unknown
    assert.deepEqual([await isAmong(true), await isAmong(false)], [false, false], 'nobody looked, which is neither')
    assert.ok(Number(await unknown()) > 0)
    await feed(wordfenceRecord('one'))
    await compareWithFeed(world)
    assert.deepEqual([await isAmong(true), await isAmong(false), await unknown()], [true, false, 0])
    await feed(wordfenceRecord('one', {}, { slug: 'another' }))
    await compareWithFeed(world)
    assert.deepEqual([await isAmong(true), await isAmong(false), await unknown()], [false, true, 0])
  })

  test('processes that compare at the same time record each finding once', async () => {
    await feed(wordfenceRecord('one'))
    await Promise.all([1, 2, 3].map(() => compareWithFeed(world)))
    const { rows: events } = await sql`SELECT 1 FROM finding_events`.execute(here.world.db)
    assert.equal((await rows()).length, events.length)
  })
})
