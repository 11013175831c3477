import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Problem } from '../kernel/problem.ts'

describe('one-click login', () => {
  let here: TestWorld
  let site: { id: string; fake: RunningFakeSite }
  before(async () => {
    here = await aWorld()
    site = await here.site()
  })
  after(() => here.close())

  const login = (input = {}) =>
    here.call('login.create', { site_id: site.id, ...input }) as unknown as Promise<{
      url: string
      expires_at: string
      single_use: true
      user_login: string
    }>
  const ticketOf = (url: string) => new URL(url).searchParams.get('svc-connector-login') ?? ''
  const redeem = async (url: string) => {
    const body = new URLSearchParams({ svc_connector_ticket: ticketOf(url) })
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    return response.status
  }

  test('the URL is the site’s own, is for the administrator who paired, and opens the site once', async () => {
    const asked = here.world.now().getTime()
    const { url, user_login, single_use, expires_at } = await login()
    assert.equal(new URL(url).origin, site.fake.url)
    assert.match(ticketOf(url), /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual([user_login, single_use], ['admin', true])
    // It began between the two.
    const [longest, shortest] = [asked, here.world.now().getTime()].map((from) => Date.parse(expires_at) - from)
    assert.ok(Number(longest) > 50_000 && Number(shortest) <= 60_000, `${longest} to ${shortest} ms`)
    assert.equal((await fetch(url)).status, 200, 'looking at it does not use it')
    assert.equal(await redeem(url), 302)
    assert.equal(await redeem(url), 403)
  })

  test('of sixteen who use one URL at the same moment, one gets in', async () => {
    const { url } = await login({ user: 'editor' })
    const before = site.fake.state.logins.length
    const answers = await Promise.all(Array.from({ length: 16 }, () => redeem(url)))
    assert.deepEqual(answers.toSorted(), [302, ...Array.from({ length: 15 }, () => 403)])
    assert.deepEqual(site.fake.state.logins.slice(before), ['editor'])
  })

  test('every call makes another ticket, and a lost reply makes no second one', async () => {
    const [first, second] = [await login(), await login()]
    assert.notEqual(ticketOf(first.url), ticketOf(second.url))
    const effects = () => site.fake.state.effects.filter(({ verb }) => verb === 'login.issue').length
    const before = effects()
    site.fake.misbehave('drop_reply', { times: 1 })
    assert.equal(await redeem((await login()).url), 302)
    assert.equal(effects(), before + 1)
    site.fake.misbehave()
  })

  test('the ticket is nowhere: not in the log, the database, the activity or what is kept for a repeated key', async () => {
    const { token } = await here.token('write')
    const ask = () =>
      here.rest('POST', `/api/v1/sites/${site.id}/actions`, {
        token,
        body: { action: 'login' },
        headers: { 'idempotency-key': 'login-once' },
      })
    const answer = await ask()
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
    const ticket = ticketOf(String(answer.json.url))
    assert.equal(ticket.length, 43)
    const again = await ask()
    assert.equal(again.status, 409, 'the secret is not kept, so a repeat cannot be answered')
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`.execute(here.world.db)
    for (const { name } of tables) {
      const { rows } = await sql<{ t: string }>`SELECT coalesce(string_agg(t::text, ' '), '') AS t FROM ${sql.raw(name)} t`.execute(
        here.world.db,
      )
      assert.ok(!rows[0]?.t.includes(ticket), name)
    }
    assert.ok(!here.logs.join('').includes(ticket))
    assert.ok(!JSON.stringify(site.fake.state.effects).includes(ticket), 'the site was told only its hash')
    const { activity } = (await here.call('activity.list', { site_id: site.id })) as {
      activity: { summary: string; internal: boolean; actor: { type: string } }[]
    }
    const told = activity.find(({ summary }) => summary === 'Login link for admin issued')
    assert.ok(told?.internal)
  })

  const strange: [string, (own: string) => string][] = [
    ['another host', () => 'https://evil.example/?svc-connector-login='],
    ['a host that begins alike', (own) => `${own}.evil.example/?svc-connector-login=`],
    ['the site’s name as a user name', (own) => `http://${new URL(own).host}@evil.example/?svc-connector-login=`],
    ['a user name on its own host', (own) => own.replace('://', '://someone@') + '/?svc-connector-login='],
    ['another port', (own) => `${own.replace(/:\d+$/, ':9')}/?svc-connector-login=`],
    ['another scheme', (own) => `${own.replace('http:', 'https:')}/?svc-connector-login=`],
    ['a script', () => 'javascript:alert(1)//?svc-connector-login='],
    ['a redirector of its own', (own) => `${own}/go?to=https://evil.example/&svc-connector-login=`],
    ['a place behind a hash', (own) => `${own}/?x#svc-connector-login=`],
  ]
  for (const [what, told] of strange)
    test(`a site that answers with ${what} gets no ticket`, async () => {
      const { id, fake } = await here.site()
      const set = fake.state.tickets.set.bind(fake.state.tickets)
      fake.connector.url = told(fake.url).replace(/\/\?svc-connector-login=$/, '')
      fake.state.tickets.set = set
      await assert.rejects(here.call('login.create', { site_id: id }), { code: 'site_failed' })
      assert.equal(
        ((await here.call('activity.list', { site_id: id })) as { activity: { summary: string }[] }).activity.some(({ summary }) =>
          summary.startsWith('Login link'),
        ),
        false,
      )
    })

  test('a user who is no administrator, a read token and a disconnected site are refused', async () => {
    await assert.rejects(login({ user: 'nobody' }), (error: Problem) => {
      assert.deepEqual([error.code, error.errors?.map(({ path }) => path), error.siteSaid], ['invalid_payload', ['user'], null])
      return true
    })
    assert.equal(
      (await here.call('sites.get', { site_id: site.id })).status,
      'connected',
      'a refusal of the site says nothing about the connection',
    )
    const { connection } = (await here.call('sites.get', { site_id: site.id })) as { connection: { last_error: unknown } }
    assert.equal(connection.last_error, null, 'a mistake of the caller is no trouble of the site')
    const { token } = await here.token('read')
    assert.equal((await here.rest('POST', `/api/v1/sites/${site.id}/actions`, { token, body: { action: 'login' } })).status, 403)
    const gone = await here.site()
    await here.disconnect(gone)
    await assert.rejects(here.call('login.create', { site_id: gone.id }), { code: 'conflict' })
  })
})
