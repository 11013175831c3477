import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type Agent, agentOf } from '../../test/mcp-agent.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { tokens } from './mcp-tools.ts'

/** Sites, each with so many plugins: what an agency has. */
const fleet = { sites: 300, plugins: 40 }
/** What the answer to one question may take of a model's context. */
const most = 3000

let world: TestWorld
let agent: Agent

before(async () => {
  world = await aWorld()
  const { db } = world.world
  const items = sql`(SELECT jsonb_agg(jsonb_build_object('type', 'plugin', 'slug', 'plugin-' || p, 'file', 'plugin-' || p || '/plugin-' || p || '.php',
      'name', 'A plugin called ' || p, 'version', '1.' || (n + p) % 5, 'active', true, 'auto_update', false, 'author', 'Somebody', 'uri', '',
      'update', CASE WHEN (n + p) % 5 < 4 THEN jsonb_build_object('version', '1.4', 'requires_wp', '6.0', 'requires_php', '7.4',
        'compatible', true, 'package', true, 'url', 'https://wordpress.org/plugins/plugin-' || p || '/') END))
    FROM generate_series(1, ${fleet.plugins}::int) p)`
  await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, tags, wp_version, php_version, inventory, synced_at, updates_plugins,
      keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
    SELECT ${world.workspaceId}, 'site_' || lpad(n::text, 26, '0'), 'Customer number ' || n, 'https://www.customer-' || n || '.example.com',
      'https://www.customer-' || n || '.example.com', 'connected', CASE WHEN n % 10 = 0 THEN ARRAY['shops'] ELSE '{}' END,
      '6.' || n % 7, '8.' || n % 4, jsonb_build_object('collected_at', 1793000000, 'updates_checked_at', null, 'translations', 0, 'items', ${items}),
      now(), 32, 'k1', 'x', 'x', 'x', now(), now() FROM generate_series(1, ${fleet.sites}::int) n`.execute(db)
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, outcome, summary, requested_by, input, created_at, completed_at)
    SELECT ${world.workspaceId}, 'job_' || lpad(n::text, 26, '0'), 'update', 'site_' || lpad(n::text, 26, '0'), 'completed', 'taken_back',
      'A plugin called 7 was taken back: the front page answers with 500, where it answered with 200 before.',
      '{"type":"token","id":"tok_1","name":"agent"}', '{}', now(), now() FROM generate_series(1, ${fleet.sites}::int) n`.execute(db)
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, performed_at, performed_by, internal, in_reports, actor, source, created_at)
    SELECT ${world.workspaceId}, 'act_' || lpad(n::text, 26, '0'), 'site_' || lpad(n::text, 26, '0'), 'event', 'update', 'Updated A plugin called 7 to 1.4',
      now(), 'agent', false, true, '{"type":"token","id":"tok_1","name":"agent"}', 'mcp', now() FROM generate_series(1, ${fleet.sites}::int) n`.execute(
    db,
  )
  await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, component, "references", fix,
      evidence, status, first_seen_at, last_seen_at)
    SELECT ${world.workspaceId}, 'finding_' || lpad((n * 10 + f)::text, 26, '0'), 'site_' || lpad(n::text, 26, '0'), 'inventory', 'plugin_outdated',
      'plugin:plugin-' || f, 'outdated', 'low', 'A plugin called ' || f || ' is out of date', 'Words of a description.',
      jsonb_build_object('type', 'plugin', 'slug', 'plugin-' || f, 'name', 'A plugin called ' || f, 'version', '1.0'), '[]',
      jsonb_build_object('update', jsonb_build_object('type', 'plugin', 'slug', 'plugin-' || f, 'version', '1.4')),
      jsonb_build_array('Installed: 1.0. Offered: 1.4.'), 'open', now(), now()
    FROM generate_series(1, ${fleet.sites}::int) n, generate_series(1, 5) f`.execute(db)
  world.world.changed(world.workspaceId)
  agent = agentOf(world, (await world.token('read')).token)
})

after(() => world.close())

interface Answer {
  total?: number
  counts?: { with_updates: number }
  found?: object[]
  found_total?: number
  checks?: object[]
  would?: object[]
}

/** One question, one call, and what the answer must tell. */
const questions: [string, string, object, (told: Answer) => unknown, unknown][] = [
  ['which sites are on PHP 8.1', 'list_sites', { php_version: '8.1' }, ({ total }) => total, 75],
  ['how the fleet is', 'list_sites', {}, ({ counts }) => counts?.with_updates, 300],
  ['which were not backed up for a week', 'list_sites', { not_backed_up_since: '2026-11-01' }, ({ total }) => total, 300],
  ['which have no schedule', 'list_sites', { scheduled: false }, ({ total }) => total, 300],
  [
    'who has a plugin, in which version',
    'get_inventory',
    { slug: 'plugin-7' },
    ({ found }) => found?.[0],
    {
      ...{ type: 'plugin', slug: 'plugin-7', name: 'A plugin called 7', sites: 300, with_update: 240 },
      versions: { '1.0': 60, '1.1': 60, '1.2': 60, '1.3': 60, '1.4': 60 },
    },
  ],
  ['who has an old one', 'get_inventory', { slug: 'plugin-7', version_below: '1.1' }, ({ total }) => total, 60],
  ['what waits everywhere', 'get_inventory', { has_update: true }, ({ found_total }) => found_total, fleet.plugins],
  [
    'how secure the fleet is',
    'get_security',
    {},
    ({ checks }) => checks,
    [{ check: 'plugin_outdated', severity: 'low', findings: 1500, sites: 300 }],
  ],
  ['what was taken back', 'list_jobs', { outcome: 'taken_back' }, ({ total }) => total, 300],
  ['what was updated this year', 'get_activity', { category: 'update', since: '2020-01-01' }, ({ total }) => total, 300],
  [
    'what an update of all but the shops would do',
    'update_site',
    { every_site: true, except: ['shops'], dry_run: true },
    ({ total, would }) => [total, would?.length],
    [270, 40],
  ],
]

for (const [question, tool, given, tells, answer] of questions)
  test(`of three hundred sites: ${question}, in one call within ${most} tokens`, async () => {
    const { isError, structuredContent, content } = await agent.call(tool, given)
    assert.equal(isError, false, content[0]?.text)
    assert.deepEqual(tells(structuredContent as Answer), answer)
    assert.ok(tokens(structuredContent) <= most, `${tokens(structuredContent)} tokens`)
  })

test('whose site it is stands in the list, where it is somebody’s', async () => {
  const clients = async () => {
    const { sites } = (await agent.call('list_sites', { q: 'Customer number 77' })).structuredContent as { sites: { client?: string }[] }
    return sites.map(({ client }) => client)
  }
  assert.deepEqual(await clients(), [undefined])
  await world.call('sites.set', { site_id: `site_${'77'.padStart(26, '0')}`, client: 'Ann & Sons' })
  assert.deepEqual(await clients(), ['Ann & Sons'])
})

test('what nobody has looked at is said, not left out', async () => {
  const { score, gaps } = (await agent.call('get_security')).structuredContent as { score: number | null; gaps: string[] }
  assert.equal(score, null)
  assert.ok(gaps.includes('Nobody looked for known vulnerabilities: there is no feed of them.'))
  assert.ok(gaps.some((gap) => /on 300 of 300 sites/.test(gap)))
  const { items } = (await agent.call('get_inventory', { slug: 'plugin-1', limit: 1 })).structuredContent as {
    items: { vulnerabilities_total: null }[]
  }
  assert.equal(items[0]?.vulnerabilities_total, null)
})

test('tweaks on three hundred sites are told in counts, and those that are disconnected as left out', async () => {
  const { db, changed, queue } = world.world
  await sql`UPDATE sites SET status = 'disconnected' WHERE id LIKE '%00'`.execute(db)
  changed(world.workspaceId)
  const writer = agentOf(world, (await world.token('write')).token)
  const fix = async (more: object) => {
    const given = { every_site: true, tweak_ids: ['xmlrpc_off', 'file_editor_off'], ...more }
    const { isError, structuredContent, content } = await writer.call('apply_security_fix', given)
    assert.equal(isError, false, content[0]?.text)
    return structuredContent as Record<string, unknown>
  }
  const planned = await fix({ dry_run: true })
  assert.partialDeepStrictEqual(planned, { total: 297, skipped: 3, jobs: null, rollout_id: null })
  assert.partialDeepStrictEqual(planned.would, [
    { tweak_id: 'xmlrpc_off', will: 'apply', sites: 297, never_looked: 297, risk: 'medium' },
    { tweak_id: 'file_editor_off', will: 'apply', sites: 297, never_looked: 297, risk: 'low' },
  ])
  assert.ok(tokens(planned) <= most, `${tokens(planned)} tokens`)
  // What begins is asked of no site here.
  world.world.queue = { ...queue, send: async () => undefined }
  const { job_id, rollout_id, ...begun } = await fix({}).finally(() => Object.assign(world.world, { queue }))
  assert.equal(rollout_id, job_id)
  assert.partialDeepStrictEqual(begun, { status: 'running', next: 'get_job', total: 297, skipped: 3, jobs: null })
  assert.ok(tokens(begun) <= 100, `${tokens(begun)} tokens`)
})
