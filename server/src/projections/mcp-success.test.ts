import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { type Agent, agentOf } from '../../test/mcp-agent.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { recordFindings } from '../security/record.ts'
import { tokens } from './mcp-tools.ts'

let world: TestWorld
let agent: Agent
let site_id: string
let job_id: string
let backup_id: string
let canceled_id: string
let finding_id: string

before(async () => {
  world = await aWorld()
  site_id = (await world.site()).id
  agent = agentOf(world, (await world.token('write')).token)
  const started = await agent.call('create_backup', { site_id, type: 'db', idempotency_key: 'one' })
  job_id = String(started.structuredContent?.job_id)
  backup_id = String(started.structuredContent?.backup_id)
  await world.job(job_id)
  canceled_id = String((await world.call('security.check', { site_id })).job_id)
  await world.job(canceled_id)
  await sql`UPDATE jobs SET status = 'canceled' WHERE id = ${canceled_id}`.execute(world.world.db)
  const { findings } = (await world.call('security.list', { site_id })) as { findings: { id: string }[] }
  finding_id = findings[0]?.id ?? ''
  await world.job(String((await world.call('restores.create', { site_id, backup_id })).job_id))
})

after(() => world.close())

/** For every tool, arguments it succeeds with. A new tool needs a line here. */
const calls: Record<string, () => object[]> = {
  list_sites: () => [{}, { q: 'no such site' }, { limit: 1 }, { fields: 'id,connection.last_error' }, { fields: 'all' }],
  get_site: () => [{ site_id }],
  list_backups: () => [{ site_id }],
  create_backup: () => [
    { site_id, type: 'db', idempotency_key: 'one' },
    { every_site: true, type: 'db' },
  ],
  restore_backup: () => [{ site_id, backup_id, dry_run: true }],
  update_site: () => [
    { site_id, dry_run: true },
    { every_site: true, dry_run: true },
  ],
  site_login_url: () => [{ site_id }],
  get_activity: () => [{}, { site_id }],
  log_activity: () => [{ site_id, summary: 'Watered the ferns' }],
  get_inventory: () => [{ site_id }, { site_id, cached: true, has_update: true }, {}, { slug: 'garden', fields: 'site,version' }],
  list_site_tweaks: () => [{ site_id }, { site_id, cached: true }],
  apply_security_fix: () => [
    { site_id, tweak_ids: ['xmlrpc_off'], dry_run: true },
    { site_ids: [site_id], tweak_ids: ['version_hidden'] },
  ],
  get_security: () => [{}, { site_id }, { site_id, severity: 'high', limit: 200 }, { status: 'fixed', q: 'no such thing' }],
  get_uptime: () => [{}, { site_id }, { state: 'down', limit: 5 }],
  get_broken_links: () => [{}, { site_id }, { confidence: 'broken', ignored: true }],
  get_errors: () => [{}, { site_id }, { level: 'fatal', status: 'resolved' }],
  get_performance: () => [{}, { site_id }],
  get_job: () => [{ job_id }, { job_id, wait_seconds: 1, fields: 'all' }],
  cancel_job: () => [{ job_id: canceled_id }],
  ignore_finding: () => [{ site_id, finding_id, reason: 'Known', until: '2999-01-01' }],
  unignore_finding: () => [{ site_id, finding_id }],
  get_default_schedule: () => [{}],
  set_default_schedule: () => [{ enabled: true, at: '02:00' }],
  verify_backup: () => [{ site_id, backup_id }],
  get_schedule: () => [{ site_id }],
  set_schedule: () => [{ site_id, enabled: false, at: '03:00' }],
  undo_restore: () => [{ site_id }],
  list_jobs: () => [{}, { site_id, status: 'completed' }],
}

test('every success of every tool is what its output schema says, in both dialects of JSON Schema', async () => {
  const tools = await agent.tools()
  assert.deepEqual(
    tools.map(({ name }) => name).filter((name) => !(name in calls)),
    [],
  )
  for (const { name, outputSchema } of tools) {
    const validators = [new Ajv({ strict: true }), new Ajv2020({ strict: true })].map((ajv) => ajv.compile(outputSchema))
    for (const given of calls[name]?.() ?? []) {
      const result = await agent.call(name, given)
      assert.equal(result.isError, false, `${name} ${result.content[0]?.text}`)
      assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), result.structuredContent)
      assert.ok(tokens(result) <= 20_000)
      for (const valid of validators) assert.ok(valid(result.structuredContent), `${name}: ${JSON.stringify(valid.errors)}`)
    }
  }
})

test('sixty findings of a site that writes long names stay within what an agent can read', async () => {
  const found = Array.from({ length: 60 }, (_, n) => ({
    ...{ check: 'plugin_outdated', key: `plugin:${n}`, kind: 'outdated' as const, severity: 'critical' as const },
    ...{ title: 'A plugin is out of date', description: 'd'.repeat(5000), fixed_in: '9'.repeat(50), cve: 'CVE-2026-12345' },
    component: { type: 'plugin' as const, slug: 's'.repeat(100), name: 'n'.repeat(5000), version: '1'.repeat(50) },
    fix: { update: { type: 'plugin' as const, slug: 's'.repeat(100), version: '9'.repeat(50) } },
    evidence: Array.from({ length: 50 }, () => 'e'.repeat(5000)),
  }))
  const look = { workspaceId: world.workspaceId, siteId: site_id, source: 'inventory' as const, at: world.world.now() }
  await world.world.db.transaction().execute((db) => recordFindings(db, look, found))
  const result = await agent.call('get_security', { limit: 200 })
  const { findings = [], next_cursor } = (result.structuredContent ?? {}) as { findings?: object[]; next_cursor?: string }
  assert.ok(findings.length > 20 && next_cursor)
  assert.ok(tokens(result) <= 20_000, `${tokens(result)}`)
})

test('page after page, an agent gets each of them once, and each of its calls is recorded once', async () => {
  const all = (await world.call('security.list', { kind: 'outdated', limit: 200 })) as { findings: { id: string }[] }
  const recorded = async () => {
    await world.audited()
    const counted = await sql<{
      n: number
    }>`SELECT count(*)::int AS n FROM audit WHERE face = 'mcp' AND operation = 'security.list'`.execute(world.world.db)
    return counted.rows[0]?.n ?? 0
  }
  for (const limit of [200, 9]) {
    const seen: string[] = []
    const before = await recorded()
    let calls = 0
    for (let cursor: unknown; cursor !== null; calls++) {
      const { structuredContent: page } = await agent.call('get_security', {
        kind: 'outdated',
        limit,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...(page as typeof all).findings.map(({ id }) => id))
      cursor = page?.next_cursor
    }
    assert.deepEqual(
      seen,
      all.findings.map(({ id }) => id),
    )
    assert.ok(calls > 1)
    assert.equal((await recorded()) - before, calls)
  }
})

test('a repeat with the same key does nothing again', async () => {
  const again = await agent.call('create_backup', { site_id, type: 'db', idempotency_key: 'one' })
  assert.equal(again.structuredContent?.job_id, job_id)
  const other = await agent.call('create_backup', { site_id, type: 'full', idempotency_key: 'one' })
  assert.equal(JSON.parse(other.content[0]?.text ?? '').code, 'idempotency_mismatch')
})

test('a revoked token is refused on the connection that stays open', async () => {
  const { token, id } = await world.token('read')
  const short = agentOf(world, token)
  assert.equal((await short.call('list_sites')).isError, false)
  await world.call('tokens.revoke', { token_id: id })
  const reply = await world.rest('POST', '/api/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
  assert.equal(reply.status, 401)
})

test('a site of another workspace is not found, like one that never was', async () => {
  const stranger = agentOf(world, (await world.token('write', { workspaceId: await world.workspace('Strangers') })).token)
  for (const [name, given] of [
    ['get_site', {}],
    ['create_backup', {}],
    ['get_inventory', {}],
    ['site_login_url', {}],
  ] as const) {
    const [foreign, random] = await Promise.all(
      [site_id, 'site_00000000000000000000000000'].map((id) => stranger.call(name, { ...given, site_id: id })),
    )
    const of = (result: typeof foreign) => ({ ...JSON.parse(result?.content[0]?.text ?? ''), request_id: '' })
    assert.equal(of(foreign).code, 'not_found')
    assert.deepEqual(of(foreign), of(random))
  }
})
