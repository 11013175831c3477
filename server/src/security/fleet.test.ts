import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { rowsRead } from '../../test/rows-read.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { cursorAt } from '../kernel/cursor.ts'
import { run } from '../kernel/run.ts'

/** 1,000 sites with 25 findings each, of all severities, a fifth of them fixed or ignored. */
describe('the findings of a thousand sites', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    const { db } = here.world
    await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
      SELECT ${here.workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Site ' || n, 'https://' || n || '.example', 'https://' || n || '.example',
        'connected', 'k1', '', '', '', now(), now() FROM generate_series(1, 1000) n`.execute(db)
    await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, component,
        "references", fix, evidence, status, first_seen_at, last_seen_at)
      SELECT ${here.workspaceId}, 'finding_' || lpad((n * 100 + f)::text, 26, '0'), 'site_' || lpad(n::text, 26, '0'), 'inventory', 'plugin_outdated',
        'plugin:p' || f, 'outdated', (ARRAY['critical', 'high', 'medium', 'low', 'info', 'unknown'])[1 + f % 6], 'A plugin is out of date', 'Words of a description.',
        jsonb_build_object('type', 'plugin', 'slug', 'p' || f, 'name', 'Plugin ' || f, 'version', '1.0'), '[]',
        jsonb_build_object('update', jsonb_build_object('type', 'plugin', 'slug', 'p' || f, 'version', '1.1')),
        jsonb_build_array('Installed: 1.0. Offered: 1.1.'), (ARRAY['open', 'open', 'open', 'open', 'fixed'])[1 + (n + f) % 5], now(), now()
      FROM generate_series(1, 1000) n, generate_series(1, 25) f`.execute(db)
    await sql`INSERT INTO security_looks (workspace_id, site_id, source, checked_at)
      SELECT ${here.workspaceId}, 'site_' || lpad(n::text, 26, '0'), s, now() FROM generate_series(1, 1000) n, unnest(ARRAY['facts', 'inventory', 'outside', 'integrity']) s`.execute(
      db,
    )
    await sql`ANALYZE`.execute(db)
  })
  after(() => here.close())

  /** What is asked, and the most rows that may be read for it; how long that takes is told by `npm run bench:security`. */
  const queries: [string, string, object, number][] = [
    ['all open ones', 'security.list', {}, 30_000],
    ['the critical ones', 'security.list', { severity: 'critical' }, 8000],
    ['those of one plugin', 'security.list', { component: 'p7' }, 8000],
    ['those with a text', 'security.list', { q: 'plugin 7' }, 60_000],
    [
      'a later page',
      'security.list',
      {
        get cursor() {
          const listing = { list: 'findings', workspaceId: here.workspaceId, filter: { status: 'open' } }
          return cursorAt(listing, [5, `finding_${'50013'.padStart(26, '0')}`])
        },
      },
      30_000,
    ],
    ['one site', 'security.list', { site_id: `site_${'500'.padStart(26, '0')}` }, 60],
    ['the score of the fleet', 'security.score', {}, 30_000],
  ]
  test('the score of the fleet is what its deductions leave', async () => {
    const told = (await here.call('security.score')) as unknown as { score: number; forgiven: number; deductions: { points: number }[] }
    const lost = told.deductions.reduce((sum, { points }) => sum + points, 0)
    assert.equal(told.score, Math.round(100 - lost + told.forgiven))
    assert.ok(told.forgiven > 0, 'some sites have lost more than they had')
  })

  test('the fleet is counted by check, as it is narrowed', async () => {
    const checks = async (input: object) => (await here.call('security.list', { limit: 1, ...input })).checks
    assert.deepEqual(await checks({}), [{ check: 'plugin_outdated', severity: 'critical', findings: 20_000, sites: 1000 }])
    assert.deepEqual(await checks({ component: 'p7', severity: 'high' }), [
      { check: 'plugin_outdated', severity: 'high', findings: 800, sites: 800 },
    ])
    const { gaps } = await here.call('security.list', {})
    assert.deepEqual(gaps, ['Nobody looked for known vulnerabilities: there is no feed of them.'])
  })

  for (const [what, operation, input, most] of queries)
    test(`${what}: at most ${most} rows are read`, async () => {
      const { world } = here
      const asked = operations.find(({ name }) => name === operation) ?? assert.fail()
      const read = await world.db
        .connection()
        .execute((on) =>
          rowsRead(on, (db) =>
            run({ ...world, db, shareOf: () => ({ db }) }, asked, { caller: here.caller(), face: 'api', requestId: 'req_1' }, input),
          ),
        )
      assert.ok(read <= most, `${read} rows read`)
    })
})
