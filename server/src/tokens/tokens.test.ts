import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { aDatabase } from '../../test/database.ts'
import { stateOf } from '../../test/state-of.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { clientConfig } from '../platform/database.ts'
import { openSignals } from '../platform/signals.ts'
import { openService } from '../service.ts'
import { looksLikeToken, newToken, TokenPattern } from './secret.ts'

test('every token has the published form and a checksum that no single change survives', () => {
  for (let i = 0; i < 20_000; i++) {
    const token = newToken()
    assert.match(token, TokenPattern)
    assert.ok(looksLikeToken(token))
    const at = 4 + (i % 38)
    const other = token[at] === 'a' ? 'b' : 'a'
    assert.ok(!looksLikeToken(token.slice(0, at) + other + token.slice(at + 1)), `${token} with ${other} at ${at}`)
  }
})

test('nothing else looks like a token', () => {
  fc.assert(fc.property(fc.string(), (text) => !looksLikeToken(text)))
  const token = newToken()
  for (const text of [`${token}\n`, ` ${token}`, token.slice(0, -1), `${token}a`, token.replace('svc_', 'SVC_'), ''])
    assert.ok(!looksLikeToken(text))
})

const leaseIsOver = async (db: Kysely<unknown>, whose: RawBuilder<unknown>) =>
  (await sql<{ over: boolean }>`SELECT lease_until <= clock_timestamp() AS over FROM nodes WHERE ${whose}`.execute(db)).rows[0]?.over

describe('tokens', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const status = async (token?: string, headers = {}) =>
    (await here.rest('GET', '/api/v1/sites', { ...(token !== undefined && { token }), headers })).status

  test('a token works at once and is refused at once after it was revoked, on both faces, while connections stay open', async () => {
    const { token, id } = await here.token('read')
    const mcp = () => here.rest('POST', '/api/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    assert.equal(await status(token), 200)
    assert.equal((await mcp()).status, 200)
    await here.call('tokens.revoke', { token_id: id })
    assert.equal(await status(token), 401)
    assert.equal((await mcp()).status, 401)
  })

  test('no request that began after a revocation committed is let in, on any of three nodes under load', async () => {
    const { world } = here
    const parts = { config: { ...world.config, role: 'serve' as const }, log: world.log, address: here.address, now: world.now }
    const nodes = [here.service, await openService(parts), await openService(parts)]
    for (let round = 0; round < 5; round++) {
      const { token, id } = await here.token('read')
      let committed = Number.POSITIVE_INFINITY
      let going = true
      let [before, after] = [0, 0]
      const late: number[] = []
      const hammer = nodes.flatMap((node) =>
        Array.from({ length: 4 }, async () => {
          while (going) {
            const began = performance.now()
            const caller = await node.identify(`Bearer ${token}`)
            if (caller && began < committed) before++
            if (began > committed) after++
            if (caller && began > committed) late.push(began - committed)
            await new Promise((resolve) => setImmediate(resolve))
          }
        }),
      )
      await until(() => before > 50)
      await here.call('tokens.revoke', { token_id: id })
      committed = performance.now()
      await until(() => after > 50)
      going = false
      await Promise.all(hammer)
      assert.deepEqual(late, [])
    }
    await Promise.all(nodes.slice(1).map((node) => node.close()))
  })

  test('a node that no longer hears is waited for as long as its lease, and no longer', async () => {
    for (const [lease, isOver] of [
      ['1500 ms', true],
      ['1 hour', false], // it lives, and says so
    ]) {
      const { token, id } = await here.token('read')
      await sql`INSERT INTO nodes (id, lease_until) VALUES ('deaf', clock_timestamp() + ${lease}::interval)`.execute(here.world.db)
      await here.call('tokens.revoke', { token_id: id })
      assert.equal(await leaseIsOver(here.world.db, sql`id = 'deaf'`), isOver)
      assert.equal(await status(token), 401)
      await sql`DELETE FROM nodes WHERE id = 'deaf'`.execute(here.world.db)
    }
  })

  test('a node that cannot renew its lease stops trusting its memory before the lease ends', async () => {
    const { rows: others } = await sql<{ id: string }>`SELECT id FROM nodes`.execute(here.world.db)
    const signals = await openSignals(clientConfig(here.address), here.world.log)
    const itself = sql`id <> ALL(${others.map(({ id }) => id)})`
    await here.world.db.transaction().execute(async (blocker) => {
      await sql`LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE`.execute(blocker)
      // The lease is looked at first: whoever trusts their memory afterwards had one then.
      await until(async () => {
        const isOver = await leaseIsOver(blocker, itself)
        assert.ok(!(isOver && signals.fresh()), 'it trusted its memory too long')
        return isOver
      })
    })
    await signals.close()
  })

  test('a token that is being revoked is let in, but not remembered: a node that starts just then must not keep it', async () => {
    const { token, id } = await here.token('read')
    await sql`UPDATE tokens SET revoking = true WHERE id = ${id}`.execute(here.world.db)
    assert.equal(await status(token), 200)
    await sql`UPDATE tokens SET revoked_at = now() WHERE id = ${id}`.execute(here.world.db)
    assert.equal(await status(token), 401)
  })

  test('memory is not trusted once the connection that hears has broken', async () => {
    const broken = { ...clientConfig(here.address), application_name: 'broken' }
    const cut = () =>
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'broken'`.execute(here.world.db)
    // Where the next renewal is a day away, only the break itself can tell.
    const day = 86_400_000
    const patient = await openSignals(broken, here.world.log, { renew: day, fresh: day, lease: day, reconnect: day })
    assert.ok(patient.fresh())
    await cut()
    await until(() => !patient.fresh())
    await patient.close()
    const signals = await openSignals(broken, here.world.log)
    const forgot = Promise.withResolvers<boolean>()
    signals.on('svc_revoking', { hear() {}, forget: () => forgot.resolve(signals.fresh()) })
    await cut()
    assert.equal(await forgot.promise, false)
    await until(() => signals.fresh())
    await signals.close()
  })

  test('an expired token is refused from the second it expires', async () => {
    const { token } = await here.token('read', { expires_at: new Date(here.world.now().getTime() + 60_000).toISOString() })
    assert.equal(await status(token), 200)
    here.clock.add(61_000)
    assert.equal(await status(token), 401)
  })

  test('only a hash and a prefix are stored', async () => {
    const { token } = await here.token('write')
    const { rows } = await sql<{
      t: string
    }>`SELECT t::text AS t FROM tokens t UNION ALL SELECT k::text FROM idempotency_keys k UNION ALL SELECT a::text FROM audit a`.execute(
      here.world.db,
    )
    assert.ok(rows.length > 0)
    for (const { t } of rows) assert.ok(!t.includes(token.slice(12)), 'the secret is in the database')
    assert.ok(!here.logs.join('').includes(token))
  })

  test('a missing, malformed, mistyped or unknown token is 401 and says how to authenticate', async () => {
    const { token } = await here.token('read')
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${newToken()}`,
      `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    ]) {
      const answer = await here.rest('GET', '/api/v1/sites', authorization === undefined ? {} : { headers: { authorization } })
      assert.equal(answer.status, 401, authorization)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
    }
  })

  test('a token that needs approvals reads, logs activity as internal, and changes nothing else', async () => {
    const { token } = await here.token('write', { approval_only: true })
    const { id } = await here.site()
    assert.equal(await status(token), 200)
    const state = await stateOf(here.world, ['approvals'])
    const waits = await here.rest('POST', `/api/v1/sites/${id}/backups`, { token, body: {} })
    assert.deepEqual([waits.status, waits.json.status], [202, 'awaiting_approval'])
    assert.equal(await stateOf(here.world, ['approvals']), state)
    const logged = await here.rest('POST', `/api/v1/sites/${id}/activity`, { token, body: { summary: 'Looked around', internal: false } })
    assert.equal(logged.status, 201)
    assert.equal(logged.json.internal, true)
    assert.equal(logged.json.in_reports, false)
  })

  test('where a token was used last, when and by what, is noted; a wrong one notes nothing', async () => {
    const database = await aDatabase()
    const other = await aWorld({}, { address: database.address, drop: async () => {} })
    const { token, id } = await other.token('read')
    const unused = await other.token('read')
    const headers = { 'user-agent': `claude-code/2.1 ${unused.token}\u00e9` }
    assert.equal((await other.rest('GET', '/api/v1/sites', { token, headers })).status, 200)
    assert.equal(
      (await other.rest('GET', '/api/v1/sites', { token: `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`, headers })).status,
      401,
    )
    await other.close()
    const { rows } = await sql<
      Record<string, unknown>
    >`SELECT id, last_used_at IS NOT NULL AS used, last_used_from, last_used_client FROM tokens
      ORDER BY id = ${id} DESC`.execute(database.db)
    assert.deepEqual(rows, [
      { id, used: true, last_used_from: '127.0.0.1', last_used_client: 'claude-code/2.1 [removed]' },
      { id: unused.id, used: false, last_used_from: null, last_used_client: null },
    ])
    await database.drop()
  })

  test('what each token did is told call by call, refusals too, and of that token alone', async () => {
    const [mine, other] = [await here.token('read'), await here.token('read')]
    const { id } = await here.site()
    assert.equal((await here.rest('GET', `/api/v1/sites/${id}`, { token: mine.token })).status, 200)
    assert.equal((await here.rest('GET', `/api/v1/jobs/job_01k0000000000000000000000a`, { token: mine.token })).status, 404)
    assert.equal((await here.rest('GET', '/api/v1/sites', { token: other.token })).status, 200)
    await here.audited()
    const calls = async (token_id: string, more = {}) =>
      ((await here.call('tokens.calls', { token_id, ...more })) as { calls: Record<string, unknown>[] }).calls
    assert.deepEqual((await calls(mine.id)).map(({ operation, outcome, via }) => [operation, outcome, via]).sort(), [
      ['jobs.get', 'not_found', 'api'],
      ['sites.get', 'ok', 'api'],
    ])
    assert.equal((await calls(mine.id, { outcome: 'ok' }))[0]?.site_id, id)
    assert.deepEqual(
      (await calls(other.id)).map(({ operation }) => operation),
      ['sites.list'],
    )
  })
})
