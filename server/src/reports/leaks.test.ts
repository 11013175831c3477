import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aYear } from '../../test/fake-year.ts'
import { belongings } from '../../test/heard.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { plainInput } from '../../test/wrong-forms.ts'
import { operations } from '../capabilities.ts'
import { type JsonSchema, manifest } from '../projections/manifest.ts'

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

/** Fields that are written for clients: what stands in them is in the report, the mail or the look of it. */
const forClients = new Set([
  'clients.set name',
  'activity.log summary',
  'reports.annotate note',
  'reports.correct correction',
  'reports.set_settings sender',
])

/** The word as a field takes it; undefined: it takes no words. */
function inField(field: string, { type, enum: choices, format, items, anyOf = [] }: JsonSchema, word: string): unknown {
  if (field.endsWith('_id') || choices || format) return undefined
  if (type === 'array') return items?.type === 'string' && !items.enum && !items.format && !field.endsWith('_ids') ? [word] : undefined
  return type === 'string' || anyOf.some((one) => inField(field, one, word) === word) ? word : undefined
}

describe('a word in every field of every operation that writes', () => {
  test('is read by a client only where the field is for clients; who wrote a note only the team is told', async () => {
    const here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    try {
      const { ids } = await belongings(here)
      const client = { client_id: String(ids.client_id) }
      const mine = () => here.call('sites.set', { site_id: ids.site_id, client: 'Heard Ltd' })
      await mine()
      const planted = new Map<string, string>()
      for (const entry of manifest(operations).operations) {
        if (entry.effect === 'read') continue
        for (const [field, schema] of Object.entries(entry.input.properties ?? {})) {
          const word = `Zorvex${planted.size}x`
          const value = inField(field, schema, word)
          if (value === undefined) continue
          const given = { ...plainInput(entry, ids), [field]: value }
          const done = await here.call(entry.name, given).then(
            () => true,
            () => false,
          )
          if (done) planted.set(`${entry.name} ${field}`, word)
        }
      }
      assert.ok(planted.size >= 20, `only ${planted.size} took a word`)
      await here.call('clients.set', { ...client, name: 'Heard Ltd' })
      await mine()
      const scopes = new Set(['read', 'write'] as const)
      const agent = { caller: here.caller({ type: 'token', id: 'token_zorvexid', name: 'Zorvex Agent', scopes }) }
      const dayOf = (days: number) => new Date(here.world.now().getTime() - days * 86_400_000).toISOString().slice(0, 10)
      const { id: report_id } = await here.call('reports.draft', { ...client, from: dayOf(30), to: dayOf(0) }, agent)
      await here.call('activity.log', { site_id: ids.site_id, summary: 'Zorvex internal', internal: true }, agent)
      const noted = await here.call('reports.annotate', { report_id, section: 'work', note: 'By an agent' }, agent)
      assert.deepEqual((noted.notes as { by: { name: string } }[])[0]?.by.name, 'Zorvex Agent', 'the team is told who wrote it')
      const { token } = await here.token('read')
      const told: [string, string][] = []
      const look = async (what: string, id: unknown) => {
        told.push([`${what}, the page`, (await here.rest('GET', `/api/v1/reports/${id}/html`, { token })).text])
        told.push([`${what}, the mail`, JSON.stringify(await here.call('reports.mail', { report_id: id }))])
        const {
          notes,
          client_name: _,
          ...rest
        } = (await here.call('reports.get', { report_id: id })) as { notes: object[]; client_name: string }
        told.push([`${what}, what is answered`, JSON.stringify({ ...rest, notes: notes.map((note) => ({ ...note, by: null })) })])
      }
      await look('a draft', report_id)
      await here.call('reports.publish', { report_id }, agent)
      const { url } = await here.call('reports.link', { report_id }, agent)
      told.push(['the link', await (await fetch(String(url).replace(/^https?:\/\/[^/]+/, here.url))).text()])
      await look('published', report_id)
      const corrected = await here.call('reports.correct', { report_id, correction: 'A word' }, agent)
      await look('a correction', corrected.id)
      const meant = [...planted].filter(([field]) => forClients.has(field)).map(([, word]) => word)
      for (const [where, text] of told) {
        assert.ok(text.length > 100, where)
        const words = new Set((text.match(/Zorvex\w*/gi) ?? []).filter((word) => !meant.includes(word)))
        assert.deepEqual(
          [...words].map((word) => [...planted].find(([, own]) => own === word)?.[0] ?? word),
          [],
          where,
        )
      }
    } finally {
      await here.close()
    }
  })
})
