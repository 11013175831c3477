import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { recordFindings } from './record.ts'
import type { NewFinding, Observation } from './schema.ts'
import { openFindingsByTweak } from './store.ts'

const found = (check: string, over: Partial<NewFinding> = {}): NewFinding => ({
  check,
  key: '',
  kind: 'misconfiguration',
  severity: 'medium',
  title: `About ${check}`,
  description: 'Words.',
  evidence: ['Seen.'],
  ...over,
})

describe('what a look has found', () => {
  let here: TestWorld
  let siteId: string
  let minute = 0
  before(async () => {
    here = await aWorld()
    siteId = (await here.site()).id
    await sql`DELETE FROM findings`.execute(here.world.db)
    await sql`DELETE FROM security_looks`.execute(here.world.db)
  })
  after(() => here.close())

  const record = (findings: NewFinding[], look: Partial<Observation> = {}) => {
    minute += 1
    const at = new Date(Date.UTC(2026, 0, 1, 0, minute))
    const whole = { workspaceId: here.workspaceId, siteId, source: 'facts' as const, at, ...look }
    return here.world.db.transaction().execute((db) => recordFindings(db, whole, findings))
  }
  const rows = async (check: string) => {
    const select = sql<{ id: string; status: string; severity: string; first_seen_at: Date; last_seen_at: Date; ignored: object | null }>`
      SELECT id, status, severity, first_seen_at, last_seen_at, ignored FROM findings WHERE "check" = ${check} ORDER BY component_key`
    return (await select.execute(here.world.db)).rows
  }
  const events = async (id = '') => {
    const { rows } = await sql<{ event: string }>`SELECT event FROM finding_events WHERE finding_id = ${id} ORDER BY seq`.execute(
      here.world.db,
    )
    return rows.map(({ event }) => event)
  }

  test('opens once, stays the same finding, is fixed when it is no longer reported, and opens again when it comes back', async () => {
    const { opened } = await record([found('a')])
    assert.equal(opened.length, 1)
    const [first] = await rows('a')
    assert.deepEqual(await record([found('a', { severity: 'high' })]), { opened: [], reopened: [], fixed: [] })
    const [still] = await rows('a')
    assert.deepEqual([still?.id, still?.severity, still?.first_seen_at], [first?.id, 'high', first?.first_seen_at])
    assert.ok(still && first && still.last_seen_at > first.last_seen_at)
    assert.deepEqual((await record([])).fixed, opened)
    assert.deepEqual((await record([])).fixed, [], 'told once')
    assert.deepEqual((await record([found('a')])).reopened, opened)
    assert.deepEqual(await events(first?.id), ['opened', 'fixed', 'reopened'])
  })

  test('what another source reported stays', async () => {
    await record([found('b')], { source: 'outside' })
    await record([])
    assert.equal((await rows('b'))[0]?.status, 'open')
  })

  test('what could not be checked this time stays', async () => {
    await record([found('c'), found('d')])
    await record([], { checked: ['d'] })
    assert.deepEqual([(await rows('c'))[0]?.status, (await rows('d'))[0]?.status], ['open', 'fixed'])
  })

  test('one check has a finding for each component', async () => {
    await record([found('e', { key: 'plugin:x' }), found('e', { key: 'plugin:y' })])
    await record([found('e', { key: 'plugin:y' })])
    assert.deepEqual(
      (await rows('e')).map(({ status }) => status),
      ['fixed', 'open'],
    )
  })

  test('a look that took longer than the next one changes nothing', async () => {
    await record([found('f')])
    const late = await record([], { at: new Date(Date.UTC(2025, 0, 1)) })
    assert.deepEqual(late, { opened: [], reopened: [], fixed: [] })
    assert.equal((await rows('f'))[0]?.status, 'open')
  })

  test('an ignored finding stays ignored while it is there, and is open when it comes back after it was fixed', async () => {
    await record([found('g')])
    await sql`UPDATE findings SET status = 'ignored', ignored = '{}' WHERE "check" = 'g'`.execute(here.world.db)
    await record([found('g')])
    assert.equal((await rows('g'))[0]?.status, 'ignored')
    await record([])
    await record([found('g')])
    assert.deepEqual([(await rows('g'))[0]?.status, (await rows('g'))[0]?.ignored], ['open', null])
  })

  test('texts of any length end up short', async () => {
    await record([found('h', { evidence: Array(500).fill('😀'.repeat(5000)), description: 'x'.repeat(99_999) })])
    const { rows: sizes } = await sql<{ n: number }>`SELECT pg_column_size(f) AS n FROM findings f WHERE "check" = 'h'`.execute(
      here.world.db,
    )
    assert.ok((sizes[0]?.n ?? 99_999) < 30_000)
  })

  test('the open ones that a tweak fixes are found by it', async () => {
    await record([found('i', { fix: { tweak_id: 'xmlrpc_off' } }), found('j', { fix: { tweak_id: 'xmlrpc_off' } }), found('k')])
    const byTweak = await openFindingsByTweak({ db: here.world.db, workspaceId: here.workspaceId }, siteId)
    assert.deepEqual([...byTweak.keys()], ['xmlrpc_off'])
    assert.equal(byTweak.get('xmlrpc_off')?.length, 2)
  })

  test('the site says how many are open and how bad the worst is, and null before anybody looked', async () => {
    await record([found('l', { severity: 'critical' }), found('m', { severity: 'low' })])
    const unseen = (await here.site()).id
    const read = async (id: string) =>
      (await here.call('sites.get', { site_id: id })).security as { open: number; worst_severity: string } | null
    here.world.changed(here.workspaceId, [siteId])
    const { rows: counted } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM findings WHERE status = 'open'`.execute(here.world.db)
    const security = await read(siteId)
    assert.deepEqual([security?.open, security?.worst_severity], [counted[0]?.n, 'critical'])
    assert.equal(await read(unseen), null)
  })
})
