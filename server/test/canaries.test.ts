import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { createOwner } from '../src/workspaces/service.ts'
import { checkLogs } from './fuzz.ts'
import { agentOf } from './mcp-agent.ts'
import { startServiceProcess } from './service-process.ts'
import { aWorld, type TestWorld } from './world.ts'

/** A line of its own in a log that is only text, in red. */
const forged = '\r\n{"level":60,"msg":"forged"}\r\n\u001b[31mred\u009b31m\u2028'

describe('secrets, and texts that steer a terminal', () => {
  let here: TestWorld
  let token: string
  let site: Awaited<ReturnType<TestWorld['site']>>
  const secrets: string[] = []
  const refusals: string[] = []

  before(async () => {
    here = await aWorld()
    token = (await here.token('write')).token
    secrets.push(token.slice(12))
    site = await here.site()
  })
  after(() => here.close())

  const refused = async (...call: Parameters<TestWorld['rest']>) => {
    const { status, text } = await here.rest(...call)
    assert.ok(status >= 400, `${call[1]} ${status}`)
    refusals.push(text)
    return status
  }
  const rows = async () => {
    const { rows: tables } = await sql<{ name: string }>`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('public', 'pgboss')`.execute(here.world.db)
    assert.ok(tables.length > 15)
    const all = await Promise.all(
      tables.map(({ name }) => sql<{ t: string }>`SELECT t::text AS t FROM ${sql.raw(name)} t`.execute(here.world.db)),
    )
    return all.flatMap((each) => each.rows.map(({ t }) => t))
  }

  test('are made: a password, enrolment codes, a login on each face, each with an idempotency key', async () => {
    const { password } = await createOwner(here.world, 'owner@example.com', 'Canary')
    const code = await here.call('pairing.create_code', {}, { idempotencyKey: 'code' })
    const made = await here.call('tokens.create', { name: 'canary', scope: 'read' }, { idempotencyKey: 'token' })
    const headers = { 'idempotency-key': 'login' }
    const login = await here.rest('POST', `/api/v1/sites/${site.id}/actions`, { token, headers, body: { action: 'login' } })
    assert.equal(login.status, 200, login.text)
    const told = await agentOf(here, token).call('site_login_url', { site_id: site.id, idempotency_key: 'again' })
    assert.equal(told.isError, false)
    assert.equal(await refused('POST', `/api/v1/sites/${site.id}/actions`, { token, headers, body: { action: 'login' } }), 409)
    const ticketOf = (url: unknown) => String(url).slice(String(url).lastIndexOf('=') + 1)
    const found = [
      String(password),
      String(code.code),
      String(code.code).replaceAll('-', ''),
      String(made.token).slice(12),
      ticketOf(login.json.url),
      ticketOf(told.structuredContent?.url),
    ]
    for (const secret of found) assert.ok(secret.length >= 20, secret)
    secrets.push(...found)
  })

  test('are sent where they do not belong, with forged lines in every input', async () => {
    const [code = ''] = secrets.filter((secret) => secret.includes('-'))
    const wild = encodeURIComponent(forged)
    await refused('GET', `/api/v1/sites/${token}`, { token })
    await refused('GET', `/nothing/${token}/${code}?token=${token}`, {
      headers: { cookie: `token=${token}`, 'user-agent': `x\u001b[31m ${token}`.replace('\u001b', '\u009b') },
    })
    await refused('GET', `/api/v1/jobs?token=${token}&limit=${wild}`, { token })
    await refused('GET', `/api/v1/sites/${wild}`, { token })
    await refused('POST', `/api/v1/sites/${site.id}/activity`, {
      token,
      body: { summary: forged, notes: `${token} ${code}`, category: forged, performed_at: forged },
    })
    await refused('POST', `/api/v1/sites/${site.id}/actions`, {
      token,
      headers: { 'idempotency-key': `${token} ` + 'é' },
      body: { action: 'update', plugins: [forged] },
    })
    await refused('POST', '/connector/v1/enrol', { body: { protocol: 1, hint: code, code, name: forged, proof: token } })
    await refused('POST', '/connector/v1/notice', {
      headers: { 'svc-site': token, 'signature-input': `sig=${code}` },
      body: { method: forged },
    })
    await refused('POST', '/api/mcp', { token: token.slice(0, -1), body: { token } })
    await agentOf(here, token).call('log_activity', { site_id: forged, summary: token })
    await here.rest('POST', `/api/v1/sites/${site.id}/activity`, {
      token,
      body: { summary: 'Looked', performed_by: `Tess ${forged.trim()}` },
    })
  })

  test('are in hand when something of ours breaks, and when the site does', async () => {
    site.fake.misbehave('garbage_bytes')
    await refused('POST', `/api/v1/sites/${site.id}/actions`, { token, body: { action: 'login', user: 'someone' } })
    site.fake.misbehave()
    await sql`ALTER TABLE activity RENAME TO elsewhere`.execute(here.world.db)
    const quiet = here.logs.length
    const broken = await here.rest('POST', `/api/v1/sites/${site.id}/activity`, {
      token,
      body: { summary: `The token is ${token}`, notes: 'One line\r\n{"level":60}' },
    })
    await sql`ALTER TABLE elsewhere RENAME TO activity`.execute(here.world.db)
    assert.equal(broken.status, 500, broken.text)
    refusals.push(broken.text)
    const [line = ''] = here.logs.slice(quiet)
    assert.match(line, /a request met an error of ours/)
    assert.ok(line.includes(String((broken.json as Record<string, unknown>).request_id)), 'the request id leads to it')
    here.logs.splice(quiet, 1, line.replace('"level":50', '"level":40'))
  })

  test('are in no log, no refusal and no row, and every log line is one line of JSON', async () => {
    await here.audited()
    assert.ok(here.logs.length > 0)
    checkLogs(here.logs, secrets)
    const held = await rows()
    assert.ok(held.length > 30)
    for (const secret of secrets) {
      for (const text of refusals) assert.ok(!text.includes(secret), text)
      for (const row of held) assert.ok(!row.includes(secret), row.slice(0, 500))
    }
  })

  test('a service that cannot reach its database does not print how it tried', async () => {
    const env = { SERVICE_DATA_DIR: here.dataDir, DATABASE_URL: 'postgres://svc:hunter2hunter2@127.0.0.1:1/x' }
    await assert.rejects(startServiceProcess('serve', env), (error: Error) => {
      assert.match(error.message, /the database does not answer/)
      assert.doesNotMatch(error.message, /hunter2hunter2/)
      return true
    })
  })
})
