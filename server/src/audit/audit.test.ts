import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aBrowser, aPerson } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { FileAnswer } from '../kernel/operation.ts'
import type { AuditRow } from './schema.ts'

describe('the audit log', () => {
  let here: TestWorld
  let site: string
  let ann: string
  let tokenId: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    site = (await here.site()).id
    ann = await aPerson(here, 'ann@example.com', 'owner')
    const token = await here.token('write')
    tokenId = token.id
    await here.rest('GET', `/api/v1/sites/${site}`, { token: token.token })
    // Reads are written down in batches.
    await here.audited()
    await here.rest('POST', '/api/v1/rollouts/rollout_01k0000000000000000000000a/cancel', { token: token.token, body: {} })
    await here.call('sites.set', { site_id: site, tags: ['shop'] }, { caller: here.caller({ id: ann }) })
    await here.audited()
  })
  after(() => here.close())

  const list = async (input = {}, over = {}) =>
    (await here.call('audit.list', { limit: 200, ...input }, over)) as unknown as { audit: AuditRow[]; total: number }
  const told = ({ audit }: { audit: AuditRow[] }) => audit.map(({ by, operation, outcome }) => [by.name, operation, outcome])

  test('tells who did what, by name, and how it ended; each filter narrows it', async () => {
    assert.deepEqual(told(await list({ by: tokenId })), [
      ['test', 'rollouts.cancel', 'not_found'],
      ['test', 'sites.get', 'ok'],
    ])
    assert.deepEqual(told(await list({ by: 'test', outcome: 'refused' })), [['test', 'rollouts.cancel', 'not_found']])
    assert.deepEqual(told(await list({ by: 'Ann@Example.com', operation: 'sites.set' })), [['ann@example.com', 'sites.set', 'ok']])
    assert.deepEqual(
      new Set((await list({ operation: 'sites.' })).audit.map(({ operation }) => operation)),
      new Set(['sites.set', 'sites.get']),
    )
    assert.deepEqual(told(await list({ by: 'test', changes: true })), [['test', 'rollouts.cancel', 'not_found']])
    const ofSite = await list({ site_id: site, operation: 'sites.set' })
    assert.deepEqual([ofSite.total, ofSite.audit[0]?.site_id, typeof ofSite.audit[0]?.site_name], [1, site, 'string'])
    assert.equal((await list({ since: new Date(here.world.now().getTime() + 60_000).toISOString() })).total, 0)
    assert.equal((await list({ until: '2020-01-01' })).total, 0)
  })

  test('another workspace’s rows are never in it, whatever is filtered by', async () => {
    const other = await here.workspace('Elsewhere')
    const caller = here.caller({ workspaceId: other, id: 'user_elsewhere' })
    for (const input of [{}, { by: tokenId }, { by: 'test' }, { by: 'ann@example.com' }, { operation: 'sites.set' }])
      assert.deepEqual(
        (await list(input, { caller })).audit.filter(({ by }) => by.id !== 'user_elsewhere'),
        [],
      )
    await assert.rejects(list({ site_id: site }, { caller }), { code: 'not_found' })
  })

  test('owners and admins read it, nobody else, and no token', async () => {
    for (const scopes of [new Set(['read'] as const), new Set(['read', 'write'] as const)])
      for (const name of ['audit.list', 'audit.export'])
        await assert.rejects(here.call(name, {}, { caller: here.caller({ scopes }) }), { code: 'insufficient_scope' })
  })

  test('it is exported whole, as CSV and as JSON lines; what a name begins with is no formula', async () => {
    await sql`INSERT INTO audit (workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id)
      SELECT ${here.workspaceId}, now(), 'token', ${tokenId}, 'many.times', 'api', 'ok', 'req_' || n FROM generate_series(1, 2500) n`.execute(
      here.world.db,
    )
    await sql`UPDATE tokens SET name = '=cmd|" /C calc"!A0' WHERE id = ${tokenId}`.execute(here.world.db)
    const browser = aBrowser(here)
    await browser.signIn('ann@example.com')
    const csv = await browser.send('GET', '/api/v1/audit/export?operation=many.times')
    assert.equal(csv.status, 200)
    assert.match(String(csv.headers.get('content-disposition')), /attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"/)
    const lines = csv.text.trimEnd().split('\r\n')
    assert.equal(lines.length, 2501)
    assert.equal(lines[0], 'at,by_type,by_id,by_name,operation,outcome,via,site_id,site_name,request_id,id')
    assert.ok(lines[1]?.includes(`,"'=cmd|"" /C calc""!A0",many.times,ok,api,`), lines[1])
    const { open } = (await here.call('audit.export', { operation: 'many.times', format: 'jsonl' })) as unknown as FileAnswer
    const rows = (await text(open()))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRow)
    assert.deepEqual([rows.length, new Set(rows.map(({ request_id }) => request_id)).size], [2500, 2500])
    assert.deepEqual(rows[0]?.by, { type: 'token', id: tokenId, name: '=cmd|" /C calc"!A0' })
  })
})
