import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { agentOf } from '../../test/mcp-agent.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

const day = 86_400_000

describe('activity', () => {
  let here: TestWorld
  let siteId: string
  before(async () => {
    here = await aWorld()
    siteId = (await here.site()).id
  })
  after(() => here.close())
  const log = (entry: object) => here.call('activity.log', { site_id: siteId, ...entry })
  const ago = (ms: number) => new Date(here.world.now().getTime() - ms).toISOString()

  test('an entry is kept as told, with the time of the request where none was told', async () => {
    const before = here.world.now().getTime()
    const entry = await log({ summary: 'Fixed the form' })
    assert.equal(entry.summary, 'Fixed the form')
    assert.equal(entry.category, 'maintenance')
    assert.equal(entry.kind, 'maintenance')
    assert.equal(entry.internal, false)
    assert.equal(entry.notes, null)
    assert.ok(Date.parse(String(entry.performed_at)) >= before)
  })

  for (const category of ['maintenance', 'update', 'fix', 'security', 'performance', 'content', 'backup', 'other'])
    test(`${category} is a category`, async () => assert.equal((await log({ summary: 'x', category })).category, category))

  const kept: [string, object][] = [
    ['a summary of 200 characters', { summary: 'ä'.repeat(200) }],
    ['a summary of 200 characters outside the basic plane', { summary: '😀'.repeat(200) }],
    ['notes of 2,000 characters with lines', { summary: 'x', notes: `${'n\n'.repeat(1000)}` }],
    ['179 days ago', { summary: 'x', performed_at: 179 }],
    ['another time zone', { summary: 'x', performed_at: '2026-11-01T10:00:00+02:00' }],
  ]
  for (const [what, entry] of kept)
    test(`${what} is kept`, async () => {
      const told =
        'performed_at' in entry && typeof entry.performed_at === 'number'
          ? { ...entry, performed_at: ago(entry.performed_at * day) }
          : entry
      if ('performed_at' in entry && typeof entry.performed_at === 'string')
        Object.assign(told, { performed_at: ago(day).replace('Z', '+00:00') })
      const saved = await log(told)
      assert.equal(saved.summary, (entry as { summary: string }).summary)
    })

  const refused: [string, () => object, string][] = [
    ['no summary', () => ({}), 'summary'],
    ['an empty summary', () => ({ summary: '   ' }), 'summary'],
    ['a summary of 201 characters', () => ({ summary: 'x'.repeat(201) }), 'summary'],
    ['two lines', () => ({ summary: 'a\nb' }), 'summary'],
    ['a carriage return', () => ({ summary: 'a\rb' }), 'summary'],
    ['a line separator', () => ({ summary: 'a\u2028b' }), 'summary'],
    ['an escape', () => ({ summary: 'a\u001b[31mb' }), 'summary'],
    ['a NUL', () => ({ summary: 'a\u0000b' }), 'summary'],
    ['notes of 2,001 characters', () => ({ summary: 'x', notes: 'n'.repeat(2001) }), 'notes'],
    ['notes with a NUL', () => ({ summary: 'x', notes: 'a\u0000b' }), 'notes'],
    ['an unknown category', () => ({ summary: 'x', category: 'party' }), 'category'],
    ['181 days ago', () => ({ summary: 'x', performed_at: ago(181 * day) }), 'performed_at'],
    ['tomorrow', () => ({ summary: 'x', performed_at: ago(-day) }), 'performed_at'],
    ['yesterday in words', () => ({ summary: 'x', performed_at: 'yesterday' }), 'performed_at'],
    ['a time that is a number', () => ({ summary: 'x', performed_at: 1 }), 'performed_at'],
    ['internal that is a word', () => ({ summary: 'x', internal: 'yes' }), 'internal'],
  ]
  for (const [what, entry, path] of refused)
    test(`${what} is refused by name`, async () => {
      const state = await stateOf(here.world)
      await assert.rejects(log(entry()), (error: { code: string; errors: { path: string }[] }) => {
        assert.equal(error.code, 'invalid_payload')
        assert.ok(error.errors.some((each) => each.path === path))
        return true
      })
      assert.equal(await stateOf(here.world), state)
    })

  test('exactly 180 days ago is still allowed', async () => {
    await log({ summary: 'x', performed_at: ago(180 * day - 1000) })
  })

  test('the list begins with what was done last, and a site sees only its own', async () => {
    const second = (await here.site()).id
    await here.call('activity.log', { site_id: second, summary: 'Elsewhere', performed_at: ago(1000) })
    await log({ summary: 'Long ago', performed_at: ago(100 * day) })
    const { activity } = (await here.call('activity.list', { limit: 200 })) as {
      activity: { performed_at: string; site_id: string; summary: string }[]
    }
    const times = activity.map((entry) => entry.performed_at)
    assert.deepEqual(times, times.toSorted().reverse())
    const own = (await here.call('activity.list', { site_id: second })) as typeof here extends never
      ? never
      : { activity: { site_id: string }[] }
    assert.ok(own.activity.length > 0 && own.activity.every((entry) => entry.site_id === second))
  })

  test('it is narrowed by kind of work, by who did it, and by when, to the second or the day', async () => {
    const { id } = await here.site()
    const said = async (filter: object) => {
      const answer = (await here.call('activity.list', { site_id: id, category: 'content', ...filter })) as {
        activity: { summary: string }[]
        total: number
      }
      assert.equal(answer.total, answer.activity.length)
      return answer.activity.map(({ summary }) => summary)
    }
    const [today = '', yesterday = ''] = [ago(0), ago(day)].map((time) => time.slice(0, 10))
    const noon = `${yesterday}T12:00:00Z`
    const write = (summary: string, more: object) => here.call('activity.log', { site_id: id, category: 'content', summary, ...more })
    await write('Morning', { performed_at: `${yesterday}T00:00:00Z`, performed_by: 'Ann' })
    await write('Noon', { performed_at: noon })
    await write('Now', {})
    await write('Other work', { category: 'fix' })
    assert.deepEqual(await said({}), ['Now', 'Noon', 'Morning'])
    assert.deepEqual(await said({ since: noon }), ['Now', 'Noon'])
    assert.deepEqual(await said({ until: noon }), ['Morning'])
    assert.deepEqual(await said({ until: yesterday }), ['Noon', 'Morning'])
    assert.deepEqual(await said({ since: yesterday, until: `${yesterday}T14:00:00+02:00` }), ['Morning'])
    assert.deepEqual(await said({ by: 'Ann' }), ['Morning'])
    assert.deepEqual(await said({ by: 'user_01k0000000000000000000000a' }), [], 'an id is taken as it is')
    assert.deepEqual(await said({ by: 'user_test', since: today }), ['Now'])
    assert.deepEqual(await said({ by: 'Ann', since: today }), [], 'who did nothing in that time is somebody all the same')
    for (const since of [`${yesterday}T12:00:00`, `${yesterday} 12:00`, `${yesterday}T12:00Z`])
      assert.deepEqual(await said({ since }), ['Now', 'Noon'], since)
    for (const since of ['yesterday', '2026-13-01', '2026-02-30T12:00', `${today}T25:00`, `${today}T12`, '1763596800', ''])
      await assert.rejects(said({ since }), { code: 'invalid_payload' }, since)
  })

  test('words are found in what was done, in notes and in who did it, all of them, as they stand', async () => {
    const { id } = await here.site()
    const write = (summary: string, more: object) => here.call('activity.log', { site_id: id, summary, ...more })
    await write('Replaced the contact form', { notes: 'The old one lost mails.', performed_by: 'Ann' })
    await write('Swept 100% of the images', { performed_by: 'Ben' })
    const found = async (q: string, more: object = {}) => {
      const { activity, total, counts } = (await here.call('activity.list', { site_id: id, q, ...more })) as {
        activity: { summary: string }[]
        total: number
        counts: { entries: number }[]
      }
      assert.equal(total, Math.max(activity.length, ...counts.map(({ entries }) => entries)))
      return activity.map(({ summary }) => summary.split(' ')[0])
    }
    for (const q of ['CONTACT form', 'form  contact', 'lost replaced', 'ann mails']) assert.deepEqual(await found(q), ['Replaced'], q)
    assert.deepEqual([await found('100%'), await found('1%'), await found('f_rm'), await found('form images')], [['Swept'], [], [], []])
    assert.deepEqual(await found('the', { category: 'maintenance' }), ['Swept', 'Replaced'])
    assert.deepEqual(await found('the', { category: 'fix' }), [])
  })

  test('it is narrowed by tag and client of its site, and says first who did how much', async () => {
    const other = await here.site()
    await here.call('sites.set', { site_id: other.id, tags: ['orchard'], client: 'Apple & Sons' })
    for (const [by, category] of [
      ['Ann', 'content'],
      ['Ann', 'content'],
      ['Bob', 'fix'],
    ] as const)
      await here.call('activity.log', { site_id: other.id, summary: 'x', category, performed_by: by })
    const list = (wanted: object) =>
      here.call('activity.list', wanted) as Promise<{ total: number; counts: { performed_by: string }[] | null }>
    const byTag = await list({ tag: 'orchard', limit: 1 })
    const ours = byTag.counts?.filter(({ performed_by }) => ['Ann', 'Bob'].includes(performed_by))
    assert.deepEqual(ours, [
      { performed_by: 'Ann', category: 'content', entries: 2, sites: 1 },
      { performed_by: 'Bob', category: 'fix', entries: 1, sites: 1 },
    ])
    const { activity: all } = (await here.call('activity.list', { tag: 'orchard', limit: 200 })) as { activity: object[] }
    assert.equal(byTag.total, all.length, 'of those that are meant, however few are told')
    assert.deepEqual((await list({ client: 'Apple & Sons', limit: 1 })).total, byTag.total)
    assert.equal((await list({ tag: 'Orchard', by: 'ann' })).total, 2, 'small and capital letters make no difference')
    for (const [wrong, candidates] of [
      [{ tag: 'ochard' }, ['orchard']],
      [{ client: 'Nobody' }, undefined],
      [{ by: 'Annn' }, ['Ann']],
      [{ by: 'Xerxes' }, undefined],
    ] as const)
      await assert.rejects(list(wrong), ({ code, errors }: { code: string; errors: { candidates?: string[] }[] }) => {
        assert.deepEqual([code, errors.map((each) => each.candidates)], ['invalid_payload', [candidates]], JSON.stringify(wrong))
        return true
      })
    const { next_cursor: cursor } = (await here.call('activity.list', { tag: 'orchard', limit: 1 })) as { next_cursor: string }
    assert.equal((await list({ tag: 'orchard', limit: 1, cursor })).counts, null, 'of a later page it says nothing')
    const foreign = here.caller({ workspaceId: await here.workspace('Far away') })
    await assert.rejects(here.call('activity.list', { tag: 'orchard' }, { caller: foreign }), { code: 'invalid_payload' })
  })

  test('a time without a zone is taken as UTC, and every face says so', async () => {
    const { token } = await here.token('write')
    const performed_at = ago(day).slice(0, 16)
    const told = `performed_at ${performed_at} has no time zone and was taken as UTC.`
    const body = { summary: 'Local time', performed_at }
    const rest = await here.rest('POST', `/api/v1/sites/${siteId}/activity`, { token, body })
    assert.deepEqual([rest.status, rest.headers.get('svc-notice')], [201, told])
    assert.equal((rest.json as unknown as { performed_at: string }).performed_at, `${performed_at}:00.000Z`)
    const agent = agentOf(here, token)
    const { structuredContent } = await agent.call('log_activity', { site_id: siteId, ...body })
    assert.deepEqual([structuredContent?.notice, structuredContent?.performed_at], [told, `${performed_at}:00.000Z`])
    const since = ago(day).slice(0, 10)
    const listed = await agent.call('get_activity', { since })
    assert.equal(listed.structuredContent?.notice, `since ${since} has no time zone and was taken as UTC.`)
    const stale = await agent.call('list_sites', { not_backed_up_since: since })
    assert.match(String(stale.structuredContent?.notice), /^not_backed_up_since /)
    assert.equal((await agent.call('get_activity', { since: ago(day) })).structuredContent?.notice, undefined)
  })

  test('agents are told the notes of an entry that has any, and nothing of those that have none', async () => {
    const { id: site_id } = await here.site()
    await here.call('activity.log', { site_id, summary: 'Swept the path' })
    await here.call('activity.log', { site_id, summary: 'Cut the hedge', notes: 'The neighbour\ncomplained.' })
    const agent = agentOf(here, (await here.token('read')).token)
    const { activity } = (await agent.call('get_activity', { site_id })).structuredContent as { activity: Record<string, unknown>[] }
    const told = activity.filter(({ kind }) => kind === 'maintenance').map(({ summary, notes }) => [summary, notes])
    assert.deepEqual(told, [
      ['Cut the hedge', 'The neighbour\ncomplained.'],
      ['Swept the path', undefined],
    ])
  })

  test('fifty are shown where no limit is named, two hundred at most', async () => {
    for (let n = 0; n < 60; n++) await log({ summary: `n ${n}` })
    const shown = async (limit?: number) =>
      (await here.call('activity.list', limit === undefined ? {} : { limit })) as { activity: unknown[]; limit: number }
    assert.equal((await shown()).activity.length, 50)
    assert.equal((await shown(500)).limit, 200)
  })

  test('connecting a site left an entry of its own', async () => {
    const { activity } = (await here.call('activity.list', { site_id: siteId, limit: 200 })) as {
      activity: { kind: string; summary: string; job_id: string }[]
    }
    assert.ok(activity.some((entry) => entry.kind === 'event' && entry.summary === 'The site was connected' && entry.job_id))
  })

  test('an agent’s entry is in reports once an owner shows it, and leaves them again; nobody else may say so', async () => {
    const { token } = await here.token('write', { approval_only: true })
    const { json } = await here.rest('POST', `/api/v1/sites/${siteId}/activity`, { token, body: { summary: 'An agent’s word' } })
    const { id, ...entry } = json as unknown as { id: string; in_reports: boolean; internal: boolean }
    assert.deepEqual([entry.in_reports, entry.internal], [false, true])
    const { token: writes } = await here.token('write')
    for (const each of [token, writes])
      assert.equal((await here.rest('POST', `/api/v1/activity/${id}/reports`, { token: each, body: { in_reports: true } })).status, 403)
    const shown = async (as: string) => {
      const { activity } = (await here.call('activity.list', { site_id: siteId, shown: as, limit: 200 })) as { activity: { id: string }[] }
      return activity.some((each) => each.id === id)
    }
    assert.deepEqual([await shown('to_review'), await shown('internal'), await shown('in_reports')], [true, true, false])
    for (const in_reports of [true, true, false])
      assert.partialDeepStrictEqual(await here.call('activity.show', { activity_id: id, in_reports }), {
        in_reports,
        internal: !in_reports,
      })
    assert.deepEqual(
      [await shown('to_review'), await shown('internal'), await shown('in_reports')],
      [false, true, false],
      'a person has said so',
    )
    const elsewhere = { caller: here.caller({ workspaceId: await here.workspace('Elsewhere') }) }
    await assert.rejects(here.call('activity.show', { activity_id: id, in_reports: true }, elsewhere), { code: 'not_found' })
    assert.partialDeepStrictEqual(await here.call('activity.show', { activity_id: id, in_reports: false }), { in_reports: false })
  })
})
