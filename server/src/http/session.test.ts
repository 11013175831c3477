import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aBrowser, alsoIn, aPerson, type Browser, goodPassword } from '../../test/person.ts'
import { stateOf } from '../../test/state-of.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { endSessions } from '../members/session-store.ts'
import { splitPath } from '../projections/command.ts'

describe('sessions', () => {
  let here: TestWorld
  let ann: string
  let browser: Browser
  before(async () => {
    here = await aWorld()
    ann = await aPerson(here, 'ann@example.com', 'owner')
  })
  after(() => here.close())
  beforeEach(async () => {
    browser = aBrowser(here)
    await sql`DELETE FROM guesses`.execute(here.world.db)
  })
  const audited = async (operation: string, outcome: string) =>
    (await sql`SELECT 1 FROM audit WHERE operation = ${operation} AND outcome = ${outcome} AND caller_id = ${ann}`.execute(here.world.db))
      .rows.length

  test('a password opens a session that the same REST operations know, and that no script can read', async () => {
    const nobody = (await browser.send('GET', '/session')).json
    assert.deepEqual(nobody, { user: null, has_owner: true, mail: false, passkeys_at: 'http://localhost:0' })
    const answer = await browser.signIn('Ann@Example.com')
    assert.equal(answer.status, 200)
    const told = answer.json as unknown as { user: object; workspace: object; csrf: string }
    assert.deepEqual(told.user, { id: ann, email: 'ann@example.com' })
    assert.deepEqual(told.workspace, { id: here.workspaceId, name: 'Test', role: 'owner', sees: null })
    for (const line of answer.headers.getSetCookie()) assert.match(line, /^svc_(session|device)=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    assert.equal((await browser.send('GET', '/api/v1/tokens')).status, 200, 'an owner manages')
    const made = await browser.send('POST', '/api/v1/tokens', { name: 'Made in the dashboard', scope: 'read' })
    assert.equal(made.status, 201)
    assert.match(String((await browser.send('POST', '/api/v1/enrolment-codes', {})).json.code), /^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/)
    const { rows } = await sql<{
      face: string
      caller_id: string
    }>`SELECT face, caller_id FROM audit WHERE operation = 'tokens.create'`.execute(here.world.db)
    assert.deepEqual(rows, [{ face: 'dashboard', caller_id: ann }])
    assert.ok((await audited('session.begin', 'ok')) > 0)
  })

  test('a cookie opens no tool server, and beside a token it counts for nothing', async () => {
    await browser.signIn('ann@example.com')
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    assert.equal((await browser.send('POST', '/api/mcp', list)).status, 401)
    const wrong = `Bearer svc_${'0'.repeat(38)}`
    assert.equal((await browser.send('GET', '/api/v1/sites', undefined, { authorization: wrong })).status, 401)
    const { token } = await here.token('read')
    assert.equal((await browser.send('GET', '/api/v1/tokens', undefined, { authorization: `Bearer ${token}` })).status, 403)
  })

  test('whatever changes something is refused from another origin, without one, as a form, as text, and without the page’s proof', async () => {
    await browser.signIn('ann@example.com')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const right = { cookie, origin: here.url, 'svc-csrf': browser.csrf, 'content-type': 'application/json' }
    const { 'svc-csrf': _proof, ...without } = right
    const { origin: _origin, ...nowhere } = right
    const forged: Record<string, string>[] = [
      { ...right, origin: 'https://evil.example' },
      { ...right, origin: 'null' },
      { ...right, 'sec-fetch-site': 'cross-site' },
      { ...right, 'sec-fetch-site': 'same-site' },
      nowhere,
      without,
      { ...right, 'svc-csrf': 'x'.repeat(43) },
      { cookie, origin: 'https://evil.example', 'content-type': 'text/plain' },
      { cookie, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    ]
    const routes = [
      ...operations.flatMap(({ http }) => [http].flat()).filter((http) => !http.startsWith('GET ')),
      ...['end', 'end_others', 'workspace', 'password'].map((what) => `POST /session/${what}` as const),
    ]
    const state = await stateOf(here.world)
    for (const http of new Set(routes)) {
      const { method, path } = splitPath(http as 'POST /x')
      const at = path.startsWith('/session') ? path : `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`
      for (const headers of forged) {
        const body = method === 'post' ? '{}' : undefined
        const { status } = await here.rest(method.toUpperCase(), at, { headers, ...(body && { body }) })
        assert.equal(status, 403, `${http} ${JSON.stringify(headers)}`)
      }
    }
    for (const path of ['/session', '/session/join', '/session/recover', '/session/invitation', '/session/recovery'])
      for (const headers of [{}, { origin: 'https://evil.example' }])
        assert.equal((await here.rest('POST', path, { headers, body: {} })).status, 403, path)
    assert.equal(await stateOf(here.world), state)
    assert.notEqual((await browser.send('POST', '/session/end_others', {})).status, 403, 'the right one is let in')
  })

  test('whoever asks too often from an address holds up no browser in which somebody signed in before', async () => {
    here.clock.add(61_000)
    await browser.signIn('ann@example.com')
    const stranger = aBrowser(here)
    const ask = async (from: Browser) => (await from.send('POST', '/session/recovery', { key: 'x' })).status
    const statuses: number[] = []
    for (let n = 0; n < 65; n++) statuses.push(await ask(stranger))
    assert.ok(statuses.filter((each) => each === 429).length >= 5)
    assert.equal(await ask(browser), 404)
    stranger.cookies.set('svc_device', 'A'.repeat(43))
    assert.equal(await ask(stranger), 429, 'nor does one that was made up help')
    here.clock.add(61_000)
    assert.equal(await ask(stranger), 404)
  })

  test('of two thousand guesses over HTTP from one address at most twenty a minute compute a hash, and the owner gets in meanwhile', async () => {
    const owner = aBrowser(here)
    await owner.signIn('ann@example.com')
    here.clock.add(2 * 60_000)
    const since = here.world.now()
    const guess = async () =>
      (await aBrowser(here).send('POST', '/session', { email: 'ann@example.com', password: 'not the right one' })).status
    const statuses: number[] = []
    for (let n = 0; n < 2000; n += 50) statuses.push(...(await Promise.all(Array.from({ length: 50 }, guess))))
    const { rows } = await sql<{
      n: number
    }>`SELECT coalesce(sum(cardinality(uses)), 0)::int AS n FROM guesses WHERE at >= ${since}`.execute(here.world.db)
    const minutes = Math.ceil((here.world.now().getTime() - since.getTime()) / 60_000)
    assert.ok((rows[0]?.n ?? 0) >= 1 && (rows[0]?.n ?? 0) <= 20 * minutes, `${rows[0]?.n} in ${minutes} minutes`)
    assert.ok(statuses.filter((each) => each === 401).length <= 20 * minutes)
    assert.ok(
      statuses.every((each) => [401, 429, 503].includes(each)),
      [...new Set(statuses)].join(' '),
    )
    assert.equal((await owner.send('POST', '/session', { email: 'ann@example.com', password: goodPassword })).status, 200)
    here.clock.add(61_000)
  })

  test('a session that was planted before the sign-in is not the one that is signed in', async () => {
    const thief = aBrowser(here)
    await thief.signIn('ann@example.com')
    const planted = thief.cookies.get('svc_session') ?? ''
    browser.cookies.set('svc_session', planted)
    await browser.signIn('ann@example.com')
    assert.notEqual(browser.cookies.get('svc_session'), planted)
    assert.equal((await thief.send('GET', '/api/v1/sites')).status, 401, 'the planted one ended')
    browser.cookies.set('svc_session', 'A'.repeat(43))
    await browser.signIn('ann@example.com')
    assert.notEqual(browser.cookies.get('svc_session'), 'A'.repeat(43), 'nobody chooses the secret')
  })

  test('over https the cookies are held to this host and to encryption by their prefix', async () => {
    const safe = await aWorld({ SERVICE_BASE_URL: 'https://fleet.example' })
    try {
      await aPerson(safe, 'ann@example.com', 'owner')
      const answer = await aBrowser(safe).signIn('ann@example.com')
      for (const line of answer.headers.getSetCookie())
        assert.match(line, /^__Host-svc_\w+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/)
      const plain = aBrowser(safe)
      await plain.signIn('ann@example.com')
      const secret = plain.cookies.get('__Host-svc_session') ?? ''
      plain.cookies.clear()
      plain.cookies.set('svc_session', secret)
      assert.equal((await plain.send('GET', '/api/v1/sites')).status, 401, 'without the prefix it may be another host’s')
    } finally {
      await safe.close()
    }
  })

  test('signing out, a new password and an ended session are felt by the next request', async () => {
    const other = aBrowser(here)
    await Promise.all([browser.signIn('ann@example.com'), other.signIn('ann@example.com')])
    const sessions = (await browser.send('GET', '/session/list')).json as unknown as { current: boolean }[]
    assert.ok(sessions.length >= 2)
    assert.equal(sessions.filter(({ current }) => current).length, 1)
    assert.equal((await browser.send('POST', '/session/end_others', {})).status, 200)
    assert.equal((await other.send('GET', '/api/v1/sites')).status, 401)
    await other.signIn('ann@example.com')
    const old = browser.cookies.get('svc_session')
    const wrong = await browser.send('POST', '/session/password', { current: 'not the right one', next: 'another horse battery' })
    assert.equal(wrong.status, 403)
    const changed = await browser.send('POST', '/session/password', { current: goodPassword, next: 'another horse battery' })
    assert.equal(changed.status, 200)
    assert.notEqual(browser.cookies.get('svc_session'), old)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    assert.equal((await other.send('GET', '/api/v1/sites')).status, 401)
    assert.equal((await other.signIn('ann@example.com')).status, 401, 'the old password is one no more')
    const back = await browser.send('POST', '/session/password', { current: 'another horse battery', next: goodPassword })
    assert.equal(back.status, 200)
    assert.equal((await browser.send('POST', '/session/end', {})).status, 200)
    assert.equal(browser.cookies.has('svc_session'), false)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401)
    assert.equal(await audited('session.new_password', 'ok'), 2)
  })

  test('a session ends a week after it was last used, and a month after it began', async () => {
    const fresh = await aWorld()
    try {
      await aPerson(fresh, 'ann@example.com', 'owner')
      const [idle, busy] = [aBrowser(fresh), aBrowser(fresh)]
      await Promise.all([idle.signIn('ann@example.com'), busy.signIn('ann@example.com')])
      for (let day = 0; day < 29; day++) {
        fresh.clock.add(86_400_000)
        assert.equal((await busy.send('GET', '/api/v1/sites')).status, 200, `day ${day}`)
        if (day === 7) assert.equal((await idle.send('GET', '/api/v1/sites')).status, 401)
      }
      fresh.clock.add(86_400_000)
      assert.equal((await busy.send('GET', '/api/v1/sites')).status, 401)
    } finally {
      await fresh.close()
    }
  })

  test('a change of workspace is this session’s own, and a page that shows the one before is refused, reads included', async () => {
    const elsewhere = await alsoIn(here, ann, 'Elsewhere')
    const strangers = await here.workspace('Strangers')
    const mine = await here.site()
    await browser.signIn('ann@example.com')
    assert.equal((await browser.send('GET', `/api/v1/sites/${mine.id}`)).status, 200, 'it shows what the one before showed last')
    const before = browser.csrf
    for (const workspace_id of [strangers, 'ws_nothing', ''])
      assert.equal((await browser.send('POST', '/session/workspace', { workspace_id })).status, 404)
    const there = await browser.send('POST', '/session/workspace', { workspace_id: elsewhere })
    assert.partialDeepStrictEqual(there.json, { workspace: { id: elsewhere, name: 'Elsewhere', role: 'owner' } } as never)
    assert.deepEqual((await browser.send('GET', '/api/v1/sites')).json, [])
    assert.equal((await browser.send('GET', `/api/v1/sites/${mine.id}`)).status, 404)
    const stale = { 'svc-csrf': before }
    assert.equal((await browser.send('GET', '/api/v1/sites', undefined, stale)).status, 403)
    assert.equal((await browser.send('POST', '/api/v1/tokens', { name: 'x', scope: 'read' }, stale)).status, 403)
  })

  test('a secret of a session, a password and a way back in stand in no log and in no table', async () => {
    await browser.signIn('ann@example.com')
    await aBrowser(here).signIn('ann@example.com', 'not the right one')
    await until(async () => (await audited('session.begin', 'unauthenticated')) > 0)
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`.execute(here.world.db)
    const texts = await Promise.all(
      tables.map(async ({ name }) => (await sql<{ t: string }>`SELECT t::text AS t FROM ${sql.table(name)} t`.execute(here.world.db)).rows),
    )
    const all =
      here.logs.join('') +
      texts
        .flat()
        .map(({ t }) => t)
        .join('\n')
    for (const secret of [goodPassword, ...browser.cookies.values(), browser.csrf]) assert.ok(!all.includes(secret))
  })

  test('a person without a workspace is told so and reaches nothing', async () => {
    const id = await aPerson(here, 'leaver@example.com', 'member')
    await browser.signIn('leaver@example.com')
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    await here.call('members.remove', { user_id: id })
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401)
    assert.partialDeepStrictEqual((await browser.send('GET', '/session')).json, { workspace: null, workspaces: [], scopes: [] } as never)
    await endSessions(here.world.db, id, {}, here.world.now())
    assert.partialDeepStrictEqual((await browser.send('GET', '/session')).json, { user: null } as never)
  })
})
