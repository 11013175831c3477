import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aYear } from '../../test/fake-year.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'

/** What no client may ever read: test/fake-year.ts and this file write it wherever something internal stands. */
const internal = /secret|Foreign|tok_|internal thing/i

describe('what a report never tells', () => {
  let here: TestWorld
  let token: string
  let reportId: string
  before(async () => {
    here = await aWorld()
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    const [site = ''] = await aYear(here, { client: 'Mine', sites: 3, from: '2026-03-01T00:00:00Z', days: 31 })
    await aYear(here, { client: 'Foreigner', sites: 2, from: '2026-03-01T00:00:00Z', days: 31, words: (what, n) => `Foreign ${what} ${n}` })
    // Every kind of entry, all of it internal or written by the service itself.
    for (const category of ['maintenance', 'update', 'fix', 'security', 'other'])
      for (const [kind, isInternal] of [
        ['event', true],
        ['event', false],
        ['maintenance', true],
      ] as const)
        await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, notes, performed_at, performed_by, internal, in_reports, actor, source, created_at)
          VALUES (${here.workspaceId}, ${`act_${category}${kind}${isInternal}`}, ${site}, ${kind}, ${category}, 'An internal thing', 'secret', '2026-03-09', 'Secret',
            ${isInternal}, ${!isInternal}, '{"type": "token", "id": "tok_1", "name": "Secret"}', 'mcp', '2026-03-09')`.execute(
          here.world.db,
        )
    await sql`UPDATE sites SET notes = 'A secret note', tags = '{secret}' WHERE id = ${site}`.execute(here.world.db)
    const report = await here.call('reports.draft', { client_id: 'Mine', month: '2026-03' })
    reportId = String(report.id)
    token = (await here.token('write')).token
  })
  after(() => here.close())

  const pageOf = async () => (await here.rest('GET', `/api/v1/reports/${reportId}/html`, { token })).text

  test('no internal entry, note, name, message or reason, and nothing of another client', async () => {
    const page = await pageOf()
    assert.doesNotMatch(page, internal)
    assert.match(page, /Entry 0/)
    assert.doesNotMatch(page, /Entry 1</, 'it is internal')
  })

  test('nothing of it is in any field that an operation answers, or that is kept of the report', async () => {
    const reads = operations.filter(({ name, effect, bytes }) => name.startsWith('reports.') && effect === 'read' && !bytes)
    assert.ok(reads.length >= 3)
    for (const { name, input } of reads)
      assert.doesNotMatch(JSON.stringify(await here.call(name, 'report_id' in input.shape ? { report_id: reportId } : {})), internal, name)
    const { rows } = await sql<{ facts: object }>`SELECT facts FROM reports WHERE id = ${reportId}`.execute(here.world.db)
    const walk = (value: unknown, path: string): void => {
      if (value !== null && typeof value === 'object') for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`)
      else assert.doesNotMatch(String(value), internal, path)
    }
    walk(rows[0]?.facts, 'facts')
  })

  test('names only where that was chosen, and of those who did the work alone', async () => {
    await here.call('clients.set', { client_id: 'Mine', shows_names: true })
    await here.call('reports.refresh', { report_id: reportId })
    const page = await pageOf()
    assert.equal(page.match(/<bdi>Secret Agent<\/bdi>/g)?.length, 18)
    assert.doesNotMatch(page.replaceAll('<bdi>Secret Agent</bdi>', ''), internal)
    await here.call('clients.set', { client_id: 'Mine', shows_names: false })
    await here.call('reports.refresh', { report_id: reportId })
    assert.doesNotMatch(await pageOf(), internal)
  })

  test('what the service wrote itself, until a person chooses it', async () => {
    await sql`UPDATE activity SET id = 'act_00000000000000000000000001' WHERE id = 'act_othereventtrue'`.execute(here.world.db)
    await here.call('activity.show', { activity_id: 'act_00000000000000000000000001', in_reports: true })
    await here.call('reports.refresh', { report_id: reportId })
    assert.equal((await pageOf()).match(/An internal thing/g)?.length, 1)
    await here.call('activity.show', { activity_id: 'act_00000000000000000000000001', in_reports: false })
    await here.call('reports.refresh', { report_id: reportId })
    assert.doesNotMatch(await pageOf(), internal)
  })

  test('who made it with, unless that is wanted', async () => {
    assert.doesNotMatch(await pageOf(), /Svc|Made with/)
    await here.call('reports.set_settings', { sender: 'Fern Agency', mentions_product: true })
    const page = await pageOf()
    assert.match(page, /From Fern Agency/)
    assert.match(page, /Made with Svc/)
  })

  test('a token that sees some sites only is told nothing of reports and clients', async () => {
    const seeing = await here.call('tokens.create', { name: 'Some', scope: 'write', sees: { client: 'Mine' } })
    for (const path of ['/clients', '/reports', `/reports/${reportId}`, `/reports/${reportId}/html`, '/report-settings', '/clients/Mine'])
      assert.equal((await here.rest('GET', `/api/v1${path}`, { token: String(seeing.token) })).status, 403, path)
  })
})
