import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aSite, aYear } from '../../test/fake-year.ts'
import { asMember } from '../../test/people.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

const month = { client_id: 'Garden Ltd', month: '2026-03' }

describe('a report', () => {
  let here: TestWorld
  let token: string
  let siteIds: string[]
  before(async () => {
    here = await aWorld()
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    await here.call('clients.create', { name: 'Garden Ltd', time_zone: 'Europe/Berlin' })
    siteIds = await aYear(here, { client: 'Garden Ltd', sites: 3, from: '2026-03-01T00:00:00Z', days: 31 })
    token = (await here.token('write')).token
  })
  after(() => here.close())

  const pageOf = async (id: unknown) => (await here.rest('GET', `/api/v1/reports/${id}/html`, { token })).text
  const draft = async (input: object = month) => here.call('reports.draft', input)
  /** Each test has a time of its own. */
  let day = 1
  const fresh = async () => {
    const at = `2026-03-${String(day++).padStart(2, '0')}`
    return draft({ client_id: 'Garden Ltd', from: at, to: '2026-03-31' })
  }

  test('has the figures of the client’s own month, and is the same draft when it is asked for again', async () => {
    const report = await draft()
    assert.deepEqual([report.period_from, report.period_to, report.sites], ['2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z', 3])
    assert.equal((await draft()).id, report.id)
    const page = await pageOf(report.id)
    for (const words of [
      'Report for Garden Ltd',
      'March 1, 2026 – March 31, 2026',
      'One site did not answer',
      '18 pieces of work',
      'Site 2',
    ])
      assert.ok(page.includes(words), words)
  })

  test('says of how many days nobody knows whether the sites were available, and has a place for each', async () => {
    const { id, summary } = await draft({ client_id: 'Garden Ltd', from: '2026-03-30', to: '2026-04-04' })
    assert.ok((summary as string[]).includes('Of 3 days it is not known whether they were available.'), String(summary))
    const bars = /<svg class="bars"[\s\S]*?<\/svg>/.exec(await pageOf(id))?.[0] ?? ''
    assert.equal(bars.match(/fill="none"/g)?.length, 3)
    assert.match(bars, /Availability by day: Mar 30, 2026 to Apr 4, 2026/)
  })

  test('leaves out what this client is not to see, in new drafts alone', async () => {
    const { id: before } = await fresh()
    await here.call('clients.set', { client_id: 'Garden Ltd', hidden: ['performance', 'links'] })
    const { id } = await fresh()
    await here.call('clients.set', { client_id: 'Garden Ltd', hidden: [] })
    const page = await pageOf(id)
    assert.doesNotMatch(
      page,
      /<section id="(performance|links)">|id="def-(performance|links)"|more slowly|link was mended|links were mended/,
    )
    assert.match(page, /<section id="uptime">/)
    assert.match(await pageOf(before), /<section id="performance">/)
  })

  test('does not know how many updates wait on a site that nobody asks any more', async () => {
    const waiting = async (from: string) => {
      const page = await pageOf((await draft({ client_id: 'Garden Ltd', from, to: '2026-03-31' })).id)
      return [...page.matchAll(/<tr><td><bdi>Site \d<\/bdi>.*?<td[^>]*>([^<]*)<\/td><\/tr>/g)].slice(0, 3).map(([, last]) => last)
    }
    assert.deepEqual(await waiting('2026-03-27'), ['2', '2', '2'])
    await sql`UPDATE sites SET status = 'disconnected' WHERE id = ${siteIds[0]}`.execute(here.world.db)
    assert.deepEqual(await waiting('2026-03-28'), ['not known', '2', '2'])
    await sql`UPDATE sites SET status = 'connected' WHERE id = ${siteIds[0]}`.execute(here.world.db)
  })

  for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Auckland', 'Pacific/Pago_Pago'])
    test(`tells its days as they are in ${time_zone}, published too, when the client has moved`, async () => {
      const { id: client_id } = await here.call('clients.create', { name: `In ${time_zone}`, time_zone })
      const { id } = await draft({ client_id, month: '2026-03' })
      const days = async () => {
        const { first_day, last_day } = await here.call('reports.get', { report_id: id })
        const [listed] = (await here.call('reports.list', { client_id })).reports as { first_day: string; last_day: string }[]
        assert.deepEqual([listed?.first_day, listed?.last_day], [first_day, last_day])
        return [first_day, last_day]
      }
      assert.deepEqual(await days(), ['2026-03-01', '2026-03-31'])
      await here.call('reports.publish', { report_id: id })
      await here.call('clients.set', { client_id, time_zone: 'UTC' })
      assert.deepEqual(await days(), ['2026-03-01', '2026-03-31'])
    })

  test('leaves out what it has nothing to tell of, and says what is not known', async () => {
    await here.call('clients.create', { name: 'Nobody', language: 'de' })
    await aSite(here, { id: 'site_00000000000000000000000000', name: 'Bare', client: 'Nobody' })
    const report = await draft({ client_id: 'Nobody', month: '2026-03' })
    assert.deepEqual(report.shown, ['state'])
    assert.deepEqual(report.summary, [
      'Von einer Website ist nicht bekannt, ob sie antwortet, weil niemand nachgesehen hat: Bare.',
      'Die Sicherheit einer Website wurde nie untersucht; ihre Probleme sind nicht bekannt: Bare.',
      'Von einer Website gibt es keine gute Sicherung: Bare.',
      'Wie lange die Websites erreichbar waren, ist nicht bekannt: Niemand hat nachgesehen.',
    ])
    assert.doesNotMatch((await pageOf(report.id)).replace(/<style>.*<\/style>/s, ''), /\d\s*%|<h2>Erreichbarkeit/)
  })

  test('tells what was noted, and nothing of what was hidden, at its beginning neither', async () => {
    const { id } = await fresh()
    await here.call('reports.annotate', { report_id: id, section: 'work', note: 'All by hand.\nReally.' })
    const { shown, hidden } = await here.call('reports.annotate', { report_id: id, section: 'security', hidden: true })
    assert.deepEqual([hidden, (shown as string[]).includes('security')], [['security'], false])
    const page = await pageOf(id)
    assert.match(page, /<p dir="auto">All by hand\.<\/p><p dir="auto">Really\.<\/p>/)
    assert.doesNotMatch(page, /Open problems|security problem|vulnerability/i)
    await here.call('reports.annotate', { report_id: id, section: 'security', hidden: false })
    await here.call('reports.annotate', { report_id: id, section: 'work', note: '' })
    const again = await pageOf(id)
    assert.match(again, /Open problems/)
    assert.doesNotMatch(again, /All by hand/)
    await assert.rejects(here.call('reports.annotate', { report_id: id, section: 'summary', hidden: true }), { code: 'invalid_payload' })
  })

  test('once published stays byte for byte what it was, whatever changes', async () => {
    const { id } = await fresh()
    const { digest } = await here.call('reports.get', { report_id: id })
    const published = await here.call('reports.publish', { report_id: id, digest })
    assert.deepEqual([published.status, published.digest], ['published', digest])
    const page = await pageOf(id)
    assert.equal(hash('sha256', page, 'hex'), digest)
    assert.doesNotMatch(page, /class="draft"/)
    await here.call('clients.set', { client_id: 'Garden Ltd', colour: '#ff0000', language: 'de' })
    await here.call('reports.set_settings', { sender: 'Somebody else' })
    await sql`UPDATE sites SET name = 'Renamed' WHERE id = ${siteIds[0]}`.execute(here.world.db)
    assert.equal(await pageOf(id), page)
    assert.equal((await here.call('reports.publish', { report_id: id })).digest, digest, 'publishing it again is the same')
    for (const [name, more] of [
      ['reports.annotate', { section: 'work', note: 'More' }],
      ['reports.refresh', {}],
      ['reports.discard', {}],
    ] as const)
      await assert.rejects(here.call(name, { report_id: id, ...more }), { code: 'conflict' }, name)
    for (const column of ['facts', 'html', 'notes', 'status', 'digest'])
      await assert.rejects(
        sql`UPDATE reports SET ${sql.ref(column)} = ${sql.ref(column)} WHERE id = ${id}`.execute(here.world.db),
        /stays as it is/,
      )
    await here.call('clients.set', { client_id: 'Garden Ltd', colour: '#0b5fb0', language: 'en' })
    await sql`UPDATE sites SET name = 'Site 0' WHERE id = ${siteIds[0]}`.execute(here.world.db)
  })

  test('is not published when it is not what was read', async () => {
    const { id } = await fresh()
    const { digest } = await here.call('reports.get', { report_id: id })
    await here.call('reports.annotate', { report_id: id, section: 'summary', note: 'One more thing' })
    await assert.rejects(here.call('reports.publish', { report_id: id, digest }), { code: 'conflict' })
    assert.equal((await here.call('reports.get', { report_id: id })).status, 'draft')
  })

  test('never tells an entry that was made internal after it was drafted', async () => {
    const { activity } = (await here.call('activity.list', { site_id: siteIds[0], limit: 200 })) as unknown as {
      activity: { id: string; internal: boolean }[]
    }
    const shown = activity.find(({ internal }) => !internal)?.id
    const { id } = await fresh()
    await here.call('activity.show', { activity_id: shown, in_reports: false })
    await assert.rejects(here.call('reports.publish', { report_id: id }), { code: 'conflict', message: /no longer for clients/ })
    await here.call('reports.refresh', { report_id: id })
    assert.equal((await here.call('reports.publish', { report_id: id })).status, 'published')
    await here.call('activity.show', { activity_id: shown, in_reports: true })
  })

  test('shows nobody a site that was given to another client, or names that are no longer told, until its figures are made anew', async () => {
    const [lost = '', ...left] = siteIds
    await here.call('clients.set', { client_id: 'Garden Ltd', shows_names: true })
    const { id } = await fresh()
    const refused = async (why: RegExp) => {
      const { digest, shown, summary, stale } = await here.call('reports.get', { report_id: id })
      assert.deepEqual([digest, shown, summary], [null, [], []])
      assert.match((stale as string[]).join(' '), why)
      for (const [name, more] of [
        ...[['reports.publish', {}] as const, ['reports.publish', { dry_run: true }] as const],
        ...[['reports.html', {}] as const, ['reports.mail', {}] as const, ['reports.test_mail', { to: 'me@example.com' }] as const],
      ])
        await assert.rejects(
          here.call(name, { report_id: id, ...more }),
          (error: { code: string; message: string }) =>
            error.code === 'conflict' && why.test(error.message) && /reports\.refresh/.test(error.message),
          name,
        )
    }
    assert.match(await pageOf(id), /Site 0<[\s\S]*Secret Agent/)
    await here.call('clients.set', { client_id: 'Garden Ltd', shows_names: false })
    await refused(/^It says who did the work/)
    await here.call('sites.set', { site_id: lost, client: 'Somebody else' })
    await refused(new RegExp(`sites that are no longer of this client: ${lost}\\..*who did the work`))
    const { stale, sites } = await here.call('reports.refresh', { report_id: id })
    assert.deepEqual([stale, sites], [[], left.length])
    assert.doesNotMatch(await pageOf(id), /Site 0<|Secret Agent/)
    await here.call('sites.set', { site_id: lost, client: 'Garden Ltd' })
    assert.equal((await here.call('reports.publish', { report_id: id })).status, 'published', 'one more site is no reason')
  })

  test('keeps the days that it was drafted of when the client’s time zone is another', async () => {
    const { id } = await fresh()
    const days = /<title>[^<]*/.exec(await pageOf(id))?.[0]
    await here.call('clients.set', { client_id: 'Garden Ltd', time_zone: 'America/Los_Angeles' })
    await here.call('reports.refresh', { report_id: id })
    assert.equal(/<title>[^<]*/.exec(await pageOf(id))?.[0], days)
    await here.call('clients.set', { client_id: 'Garden Ltd', time_zone: 'Europe/Berlin' })
  })

  test('is corrected by a new version that says so, to which links lead once it is published', async () => {
    const { id } = await fresh()
    await here.call('reports.annotate', { report_id: id, section: 'summary', note: 'A word' })
    await here.call('reports.publish', { report_id: id })
    const { url } = await here.call('reports.link', { report_id: id })
    const visit = async () => (await fetch(String(url).replace(/^https?:\/\/[^/]+/, here.url))).text()
    const first = await visit()
    const next = await here.call('reports.correct', { report_id: id, correction: 'The <figures> were wrong' })
    assert.deepEqual([next.version, next.root_id, next.status], [2, id, 'draft'])
    assert.equal(await visit(), first)
    await assert.rejects(here.call('reports.correct', { report_id: id, correction: 'Again' }), { code: 'conflict' })
    await here.call('reports.publish', { report_id: next.id })
    const second = await visit()
    assert.match(second, /Version 2, which corrects the one before: The &#60;figures&#62; were wrong/)
    assert.match(second, /A word/)
    assert.equal(await pageOf(id), first, 'the first one is as it was')
    await assert.rejects(here.call('reports.correct', { report_id: id, correction: 'The old one' }), { code: 'conflict' })
  })

  test('is drafted and annotated by an agent, and published when a person lets it be', async () => {
    const asker = (await here.token('write', { approval_only: true })).id
    const agent = here.caller({ type: 'token', id: asker, name: 'Agent', scopes: new Set(['read', 'write']), approvalOnly: true })
    const { id } = await here.call('reports.draft', { client_id: 'Garden Ltd', from: '2026-03-20', to: '2026-03-25' }, { caller: agent })
    const noted = await here.call('reports.annotate', { report_id: id, section: 'summary', note: 'By me' }, { caller: agent })
    assert.deepEqual((noted.notes as { by: object }[])[0]?.by, { type: 'token', id: asker, name: 'Agent' })
    const asked = await here.call('reports.publish', { report_id: id }, { caller: agent })
    assert.equal(asked.status, 'awaiting_approval')
    assert.equal((await here.call('reports.get', { report_id: id })).status, 'draft')
    const owner = await asMember(here)
    const { plan_digest } = await here.call('approvals.get', { approval_id: asked.approval_id })
    await here.call('approvals.approve', { approval_id: asked.approval_id, plan_digest }, { caller: owner })
    assert.equal((await here.call('reports.get', { report_id: id })).status, 'published')
    assert.doesNotMatch(await pageOf(id), /Agent/)
  })

  test('that was annotated after an agent had asked to publish it is not what was looked at, and is not published', async () => {
    const scopes = new Set(['read', 'write'] as const)
    const { id: asker } = await here.token('write', { approval_only: true })
    const agent = here.caller({ type: 'token', id: asker, name: 'Agent', scopes, approvalOnly: true })
    const owner = await asMember(here)
    const { id } = await fresh()
    await here.call('reports.annotate', { report_id: id, section: 'work', note: 'All is well' }, { caller: agent })
    const { approval_id } = await here.call('reports.publish', { report_id: id }, { caller: agent })
    const { plan, plan_digest } = (await here.call('approvals.get', { approval_id })) as unknown as {
      plan: { answer: { client_name: string; digest: string; notes: { text: string }[] } } | null
      plan_digest: string
    }
    const { digest } = await here.call('reports.get', { report_id: id })
    assert.deepEqual(
      [plan?.answer.client_name, plan?.answer.digest, plan?.answer.notes[0]?.text],
      ['Garden Ltd', digest, 'All is well'],
      'whoever decides is shown what would be published',
    )
    await here.call('reports.annotate', { report_id: id, section: 'work', note: 'Something else' }, { caller: agent })
    await assert.rejects(here.call('approvals.approve', { approval_id, plan_digest }, { caller: owner }), { code: 'conflict' })
    assert.equal((await here.call('approvals.get', { approval_id })).status, 'void')
    assert.equal((await here.call('reports.get', { report_id: id })).status, 'draft')
  })

  for (const [what, input, path] of [
    ['a month that has not begun', { month: '2027-02' }, 'month'],
    ['a month and days', { month: '2026-03', from: '2026-03-01', to: '2026-03-02' }, 'month'],
    ['half of the days', { from: '2026-03-01' }, 'to'],
    ['days the wrong way round', { from: '2026-03-05', to: '2026-03-03' }, 'to'],
    ['more than a year', { from: '2024-01-01', to: '2026-03-03' }, 'to'],
  ] as const)
    test(`is not drafted of ${what}`, async () => {
      await assert.rejects(
        draft({ client_id: 'Garden Ltd', ...input }),
        (error: { errors: { path: string }[] }) => error.errors[0]?.path === path,
      )
    })

  test('of another workspace does not exist', async () => {
    const caller = here.caller({ workspaceId: await here.workspace('Elsewhere') })
    const { id } = await draft()
    for (const [name, more] of Object.entries({
      ...{ 'reports.get': {}, 'reports.html': {}, 'reports.refresh': {}, 'reports.publish': {}, 'reports.discard': {}, 'reports.link': {} },
      ...{ 'reports.annotate': { section: 'work', note: 'x' }, 'reports.correct': { correction: 'x' } },
    }))
      await assert.rejects(here.call(name, { report_id: id, ...more }, { caller }), { code: 'not_found' }, name)
    assert.equal((await here.call('reports.list', {}, { caller })).total, 0)
  })
})
