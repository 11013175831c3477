import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { agentOf } from '../../test/mcp-agent.ts'
import { asMember } from '../../test/people.ts'
import { stateOf } from '../../test/state-of.ts'
import { settle } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Caller } from '../kernel/context.ts'
import { asApproved } from '../updates/approved.ts'
import type { Updatable } from '../updates/schema.ts'
import type { Approval } from './schema.ts'
import { expire } from './service.ts'

/** What a stolen token, a hacked site, a member without the role and bad luck can do with approvals. */
describe('approvals under attack', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let owner: Caller
  before(async () => {
    here = await aWorld({}, undefined, { withoutDuties: ['approvals'] })
    site = await here.site()
    owner = await asMember(here)
  })
  after(() => here.close())

  type Agent = Caller & { token: string }
  const anAgent = async (more = {}): Promise<Agent> => {
    const { id, token } = await here.token('write', { approval_only: true, ...more })
    const scopes = new Set(['read', 'write'] as const)
    return { ...here.caller({ type: 'token', id, name: 'test', scopes, approvalOnly: true }), token }
  }
  const ask = async (agent: Agent, name: string, input: object, over = {}) =>
    String((await here.call(name, input, { caller: agent, ...over })).approval_id)
  const decide = (what: 'approve' | 'deny', approval_id: string, caller = owner, more = {}) =>
    here.call(`approvals.${what}`, { approval_id, ...more }, { caller }) as unknown as Promise<Approval>
  const get = (approval_id: string) => here.call('approvals.get', { approval_id }) as unknown as Promise<Approval>
  const tagsOf = async () => ((await here.call('sites.get', { site_id: site.id })) as { tags: string[] }).tags
  const setTags = (tag: string) => ({ site_id: site.id, tags: [tag] })
  let n = 0
  const aTag = () => `tag-${++n}`
  const jobsOf = async ({ id }: Caller) =>
    (await sql<{ id: string }>`SELECT id FROM jobs WHERE requested_by->>'id' = ${id}`.execute(here.world.db)).rows.length

  test('no token, no member and nobody from elsewhere decides, whatever scope they claim', async () => {
    const agent = await anAgent()
    const id = await ask(agent, 'sites.set', setTags(aTag()))
    const state = await stateOf(here.world)
    const writer = await here.token('write')
    for (const { token } of [agent, writer])
      for (const what of ['approve', 'deny'])
        assert.equal((await here.rest('POST', `/api/v1/approvals/${id}/${what}`, { token, body: {} })).status, 403)
    const every = new Set(['read', 'write', 'manage'] as const)
    const other = await here.workspace('Elsewhere')
    for (const caller of [
      { ...agent, scopes: every, approvalOnly: false },
      { ...(await asMember(here, 'member')), scopes: every },
      { ...(await asMember(here, 'owner', other)), workspaceId: here.workspaceId },
      here.caller({ id: 'operator' }),
      { ...owner, type: 'system' as const },
    ])
      for (const what of ['approve', 'deny'] as const) await assert.rejects(decide(what, id, caller), { code: 'insufficient_scope' })
    const stranger = await asMember(here, 'owner', other)
    for (const what of ['approve', 'deny'] as const) await assert.rejects(decide(what, id, stranger), { code: 'not_found' })
    assert.equal((await get(id)).status, 'pending')
    const [before, now] = [state, await stateOf(here.world)].map((text) =>
      text.split('\n').filter((line) => !/^(members|users|tokens|workspaces|approval_policies) /.test(line)),
    )
    assert.deepEqual(now, before)
    const tools = (await agentOf(here, writer.token).tools()).map(({ name }) => name)
    assert.deepEqual(
      tools.filter((name) => /approv/.test(name)),
      [],
      'there is no tool to approve with',
    )
  })

  test('two who approve at once have it done once, and both are told by whom', async () => {
    const agent = await anAgent()
    const second = await asMember(here, 'admin')
    const id = await ask(agent, 'backups.create', { site_id: site.id, type: 'db' })
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => decide('approve', id, i % 2 ? owner : second)))
    assert.equal(new Set(answers.map(({ decided_by, job_id, status }) => JSON.stringify([decided_by?.id, job_id, status]))).size, 1)
    assert.equal(await jobsOf(agent), 1)
    await assert.rejects(decide('deny', id), { code: 'conflict' })
  })

  test('one who approves while another declines: one of them comes through', async () => {
    for (let round = 0; round < 10; round++) {
      const tag = aTag()
      const id = await ask(await anAgent(), 'sites.set', setTags(tag))
      const [approved, denied] = await Promise.allSettled([decide('approve', id), decide('deny', id)])
      const { status } = await get(id)
      assert.deepEqual([approved.status, denied.status].sort(), ['fulfilled', 'rejected'])
      assert.equal(status, approved.status === 'fulfilled' ? 'dispatched' : 'rejected')
      assert.equal((await tagsOf()).includes(tag), approved.status === 'fulfilled')
    }
  })

  test('a token revoked while its request is approved: it is done before the revocation, or not at all', async () => {
    const seen = new Set<string>()
    for (let round = 0; round < 12; round++) {
      const agent = await anAgent()
      const tag = aTag()
      const id = await ask(agent, 'sites.set', setTags(tag))
      const revoked = here.call('tokens.revoke', { token_id: agent.id })
      // Somewhat later each time, and in the end when it is revoked.
      await Promise.allSettled([revoked, (round < 11 ? settle(20 * round) : revoked).then(() => decide('approve', id))])
      const { status, ended_reason } = await get(id)
      assert.ok(status === 'dispatched' || (status === 'void' && /revoked/.test(ended_reason ?? '')), `${status} ${ended_reason}`)
      assert.equal((await tagsOf()).includes(tag), status === 'dispatched')
      seen.add(status)
    }
    assert.ok(seen.has('void'))
  })

  test('what a revoked or expired token asked for is void, and stays so', async () => {
    const revoked = await anAgent()
    const expiring = await anAgent({ expires_at: new Date(here.world.now().getTime() + 3_600_000).toISOString() })
    const [first, second] = [await ask(revoked, 'sites.set', setTags(aTag())), await ask(expiring, 'sites.set', setTags(aTag()))]
    await here.call('tokens.revoke', { token_id: revoked.id })
    assert.deepEqual([(await get(first)).status, (await get(first)).ended_reason], ['void', 'The token that asked for it was revoked.'])
    here.clock.add(3_700_000)
    for (const id of [first, second]) {
      await assert.rejects(decide('approve', id), { code: 'conflict' })
      assert.equal((await get(id)).status, 'void')
      assert.equal((await here.call('jobs.get', { job_id: id })).status, 'canceled')
    }
  })

  test('who lost the role since cannot approve, and an approval that was given to be used later is void with it', async () => {
    const agent = await anAgent()
    const admin = await asMember(here, 'admin')
    const id = await ask(agent, 'login.create', { site_id: site.id })
    assert.equal((await decide('approve', id, admin)).status, 'approved')
    const other = await ask(agent, 'sites.set', setTags(aTag()))
    await sql`UPDATE members SET role = 'member' WHERE user_id = ${admin.id}`.execute(here.world.db)
    await assert.rejects(decide('approve', other, admin), { code: 'insufficient_scope' })
    const effects = site.fake.state.effects.length
    await assert.rejects(here.call('login.create', { site_id: site.id }, { caller: agent }), { code: 'conflict' })
    assert.deepEqual([(await get(id)).status, (await get(other)).status], ['void', 'pending'])
    assert.equal(site.fake.state.effects.length, effects)
  })

  test('what is approved to be called again is done once, of sixteen calls at once', async () => {
    const agent = await anAgent()
    const id = await ask(agent, 'login.create', { site_id: site.id })
    await decide('approve', id)
    const made = () => site.fake.state.effects.filter(({ verb }) => verb === 'login.issue').length
    const before = made()
    const answers = await Promise.allSettled(
      Array.from({ length: 16 }, () => here.call('login.create', { site_id: site.id }, { caller: agent })),
    )
    const urls = answers.flatMap((each) => (each.status === 'fulfilled' && 'url' in each.value ? [each.value.url] : []))
    assert.equal(urls.length, 1)
    assert.equal(made(), before + 1)
    assert.equal((await get(id)).status, 'dispatched')
    assert.equal(JSON.stringify(await get(id)).includes(new URL(String(urls[0])).search), false)
  })

  test('nobody can approve any more after 24 hours, also before that was written down', async () => {
    const agent = await anAgent()
    const tag = aTag()
    const id = await ask(agent, 'sites.set', setTags(tag))
    here.clock.add(86_400_000)
    await assert.rejects(decide('approve', id), { code: 'conflict' })
    const { status, decided_by, ended_reason } = await get(id)
    assert.deepEqual(
      [status, decided_by, ended_reason],
      ['expired', null, 'Nobody decided in time.'],
      'time decides nothing, and names nobody',
    )
    assert.equal((await here.call('approvals.list', { status: 'expired', by: agent.id })).total, 1)
    const again = await ask(agent, 'sites.set', setTags(tag))
    assert.notEqual(again, id)
    await expire(here.world)
    const { rows } = await sql`SELECT status FROM approvals WHERE id = ${id}`.execute(here.world.db)
    assert.deepEqual(rows, [{ status: 'expired' }])
    assert.equal((await tagsOf()).includes(tag), false)
  })

  test('an approval for later that nobody used within an hour is void', async () => {
    const agent = await anAgent()
    const id = await ask(agent, 'login.create', { site_id: site.id })
    await decide('approve', id)
    here.clock.add(3_600_000)
    await assert.rejects(here.call('login.create', { site_id: site.id }, { caller: agent }), { code: 'conflict' })
    assert.equal((await get(id)).status, 'void')
  })

  test('a site that went away takes what was asked for with it', async () => {
    const gone = await here.site()
    const agent = await anAgent()
    const ids = [await ask(agent, 'sites.set', { site_id: gone.id, tags: ['x'] }), await ask(agent, 'backups.create', { site_id: gone.id })]
    await here.call('sites.remove', { site_id: gone.id })
    for (const id of ids) {
      await assert.rejects(decide('approve', id), { code: 'conflict' })
      assert.equal((await get(id)).status, 'void')
    }
    const third = await ask(agent, 'sites.set', { site_id: site.id, tags: ['y'] })
    assert.equal((await decide('deny', third)).status, 'rejected')
  })

  test('a site that offers other versions by then gets none: neither at the approval nor when the update runs', async () => {
    const agent = await anAgent()
    const offered = () =>
      site.fake.state.items.find(({ type, update }) => type === 'plugin' && update !== null) ?? assert.fail('no update waits')
    const item = offered()
    const [slug, version] = [item.slug, item.update?.version ?? '']
    const id = await ask(agent, 'updates.apply', { site_id: site.id, plugins: [item.file] })
    const { plan, input } = await get(id)
    assert.equal(plan?.untrusted, true)
    assert.equal(input.untrusted, true)
    assert.match(JSON.stringify(plan?.answer), new RegExp(`"to_version":"${version}"`))
    const chosen: Updatable[] = []
    const held = await asApproved({ ...here.world, workspaceId: here.workspaceId }, { approvalId: id, siteId: site.id } as never)
    const as = (from: string, to: string) => ({ ...item, version: from, update: { ...item.update, version: to } }) as unknown as Updatable
    chosen.push(as(item.version, version), as(item.version, '99.9'), as('0.0.1', version), {
      ...as(item.version, version),
      slug: `${slug}-2`,
    })
    assert.deepEqual(
      chosen.map((each) => held(each) === null),
      [true, false, false, false],
    )

    Object.assign(item.update ?? {}, { version: '99.9' })
    // A look is kept for a minute, so this is approved as it was seen; the job sees what is there.
    const early = await decide('approve', id)
    const { result, outcome } = (await here.job(String(early.job_id))) as {
      outcome: string
      result: { items: { status: string; reason: string }[] }
    }
    assert.deepEqual([result.items.map(({ status }) => status), outcome], [['skipped'], 'failed'])
    assert.match(result.items[0]?.reason ?? '', /not what was approved/)
    assert.equal(offered().version, item.version)

    const late = await ask(agent, 'updates.apply', { site_id: site.id, plugins: [item.file], core: true })
    Object.assign(item.update ?? {}, { version: '99.10' })
    here.clock.add(61_000)
    const before = await jobsOf(agent)
    await assert.rejects(decide('approve', late), (error: { code: string; message: string }) => {
      assert.equal(error.code, 'conflict')
      assert.match(error.message, /not what was shown/)
      return true
    })
    assert.equal((await get(late)).status, 'void')
    assert.equal(await jobsOf(agent), before)
  })

  test('a tag that got another site meanwhile is not what was approved', async () => {
    const tag = aTag()
    const other = await here.site()
    await here.call('sites.set', { site_id: site.id, tags: [tag] })
    const agent = await anAgent()
    const ids = [
      await ask(agent, 'backups.create', { tag, type: 'db' }),
      await ask(agent, 'rollouts.start', { tag }),
      await ask(agent, 'tweaks.apply', { tag, tweak_ids: ['xmlrpc_off'], action: 'apply' }),
    ]
    for (const id of ids) assert.deepEqual((await get(id)).site_ids, [site.id])
    await here.call('sites.set', { site_id: other.id, tags: [tag] })
    for (const id of ids) {
      await assert.rejects(decide('approve', id), { code: 'conflict' })
      assert.equal((await get(id)).status, 'void')
    }
    assert.equal(await jobsOf(agent), 0)
  })

  test('the database itself changes nothing that was asked, shown or decided, and knows no way back', async () => {
    const agent = await anAgent()
    const [one, two] = [await ask(agent, 'sites.set', setTags(aTag())), await ask(agent, 'sites.set', setTags(aTag()))]
    const { db } = here.world
    const refused = (set: string, id = one) =>
      assert.rejects(
        sql`UPDATE approvals SET ${sql.raw(set)} WHERE id = ${id}`.execute(db),
        /is not changed|does not become|check constraint/,
        set,
      )
    for (const set of [
      "sealed_input = 'x'",
      "input_digest = 'x'",
      "plan_digest = 'x'",
      `bound = '{}'`,
      `plan = '{}'`,
      `shown_input = '{}'`,
      "site_ids = '{}'",
      "expires_at = expires_at + interval '1 day'",
      `requested_by = '{"type":"user","id":"user_1"}'`,
      "status = 'dispatched'",
      "status = 'approved'",
      `status = 'approved', decided_at = expires_at, decided_by = '{"type":"user","id":"user_1"}'`,
      `status = 'approved', decided_at = now(), decided_by = '{"type":"token","id":"tok_1"}'`,
      `status = 'approved', decided_at = now(), decided_by = jsonb_build_object('type', 'user', 'id', requested_by->>'id')`,
      `status = 'expired', decided_at = now(), decided_by = '{"type":"user","id":"user_1"}'`,
    ])
      await refused(set)
    await decide('deny', one)
    for (const set of ["status = 'pending'", "status = 'dispatched'", `decided_by = '{"type":"user","id":"user_2"}'`, "note = 'x'"])
      await refused(set)
    // Whoever gets past that still cannot make one request out of another.
    await sql`ALTER TABLE approvals DISABLE TRIGGER approvals_keep_their_word`.execute(db)
    await sql`UPDATE approvals SET sealed_input = (SELECT sealed_input FROM approvals WHERE id = ${one}) WHERE id = ${two}`.execute(db)
    await sql`ALTER TABLE approvals ENABLE TRIGGER approvals_keep_their_word`.execute(db)
    const tags = await tagsOf()
    await assert.rejects(decide('approve', two), /unable to authenticate/)
    assert.deepEqual(await tagsOf(), tags)
  })

  test('asking again is the same request; a key is bound to what it was used for', async () => {
    const agent = await anAgent()
    const input = setTags(aTag())
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask(agent, 'sites.set', input)))
    assert.equal(new Set(asked).size, 1)
    const other = await anAgent()
    assert.notEqual(await ask(other, 'sites.set', input), asked[0], 'another token asks for itself')
    const keyed = { idempotencyKey: 'once' }
    const id = await ask(agent, 'sites.set', setTags('keyed'), keyed)
    assert.equal(await ask(agent, 'sites.set', setTags('keyed'), keyed), id)
    await assert.rejects(ask(agent, 'sites.set', setTags(aTag()), keyed), { code: 'idempotency_mismatch' })
    await decide('deny', id)
    const told = await here.call('sites.set', setTags('keyed'), { caller: agent, ...keyed })
    assert.deepEqual([told.approval_id, told.status], [id, 'rejected'])
    assert.match(String(told.message), /Do not ask again/)
    assert.notEqual(await ask(agent, 'sites.set', setTags('keyed')), id, 'without the key it is asked anew')
  })

  test('only so many wait: twenty of a token, two hundred of a workspace, sixty an hour', async () => {
    const workspaceId = await here.workspace('Flooded')
    const { id: site_id } = await here.site(workspaceId)
    const flood = async () => {
      const { id } = await here.token('write', { approval_only: true, workspaceId })
      return here.caller({ type: 'token', id, name: 'test', workspaceId, scopes: new Set(['read', 'write']), approvalOnly: true })
    }
    const tag = (caller: Caller) => here.call('sites.set', { site_id, tags: [aTag()] }, { caller })
    const agent = await flood()
    const burst = await Promise.allSettled(Array.from({ length: 30 }, () => tag(agent)))
    assert.equal(burst.filter(({ status }) => status === 'fulfilled').length, 20)
    await assert.rejects(tag(agent), { code: 'rate_limited' })
    for (let token = 1; token < 10; token++) {
      const next = await flood()
      for (let i = 0; i < 20; i++) await tag(next)
    }
    await assert.rejects(tag(await flood()), (error: { code: string; message: string }) => /200 requests wait/.test(error.message))
    for (let round = 0; round < 3; round++) {
      await sql`UPDATE approvals SET status = 'canceled' WHERE status = 'pending' AND workspace_id = ${workspaceId}`.execute(here.world.db)
      for (let i = 0; i < 20 && round < 2; i++) await tag(agent)
    }
    await assert.rejects(tag(agent), (error: { message: string }) => /within the last hour/.test(error.message))
    here.clock.add(3_600_000)
    await tag(agent)
  })

  test('a secret in what is asked for is nowhere to be read, and what was asked is done with it', async () => {
    const agent = await anAgent()
    const secret = 'xq7-hook-path-4410'
    const leaked = 'svc_0123456789abcdefghijklmnopqrstuv123456'
    const input = { name: 'On call', type: 'webhook', url: `https://hooks.example.com/${secret}` }
    const id = await ask(agent, 'notifications.add_channel', input, { reason: `Use ${leaked} for it` })
    const shown = await get(id)
    assert.deepEqual(shown.input.values, { name: 'On call', type: 'webhook', url: '[secret]' })
    assert.equal(shown.reason?.text, 'Use [removed] for it')
    await decide('approve', id)
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`.execute(here.world.db)
    for (const { name } of tables) {
      const { rows } = await sql<{ t: string }>`SELECT coalesce(string_agg(t::text, ' '), '') AS t FROM ${sql.table(name)} t`.execute(
        here.world.db,
      )
      for (const each of [secret, leaked]) assert.ok(!rows[0]?.t.includes(each), name)
    }
    assert.ok(!here.logs.join('').includes(secret))
    const made = await here.call('notifications.add_channel', input, { caller: agent })
    assert.match(String(made.secret), /^whsec_/)
    assert.ok(!JSON.stringify(await get(id)).includes(String(made.secret)))
  })

  test('only the one who asked takes it back', async () => {
    const [agent, other] = [await anAgent(), await anAgent()]
    const id = await ask(agent, 'sites.set', setTags(aTag()))
    const cancel = (caller: Caller) => here.call('approvals.cancel', { approval_id: id }, { caller })
    await assert.rejects(cancel(other), { code: 'insufficient_scope' })
    await assert.rejects(here.call('jobs.cancel', { job_id: id }, { caller: other }), { code: 'insufficient_scope' })
    const job = await here.call('jobs.cancel', { job_id: id }, { caller: agent })
    assert.equal(job.status, 'canceled')
    assert.equal((await cancel(agent)).status, 'canceled')
    await assert.rejects(decide('approve', id), { code: 'conflict' })
  })

  test('paused agents get nothing done, not even what is approved meanwhile', async () => {
    const agent = await anAgent()
    const tag = aTag()
    const id = await ask(agent, 'sites.set', setTags(tag))
    await here.call('agents.pause', {}, { caller: owner })
    await assert.rejects(decide('approve', id), { code: 'conflict' })
    assert.equal((await get(id)).status, 'pending')
    assert.equal((await tagsOf()).includes(tag), false)
    await here.call('agents.resume', {}, { caller: owner })
    assert.equal((await decide('approve', id)).status, 'dispatched')
  })

  test('a budget that is used up leaves the request waiting', async () => {
    const agent = await anAgent()
    const { budgets } = here.world
    const ids = [
      await ask(agent, 'updates.apply', { site_id: site.id }),
      await ask(agent, 'updates.apply', { site_id: site.id, core: true }),
    ]
    await sql`INSERT INTO budgets (workspace_id, name, uses)
      VALUES (${here.workspaceId}, 'updates', array_fill(${here.world.now()}::timestamptz, ARRAY[${budgets.updates}::int]))
      ON CONFLICT (workspace_id, name) DO UPDATE SET uses = excluded.uses`.execute(here.world.db)
    for (const id of ids) {
      await assert.rejects(decide('approve', id), { code: 'rate_limited' })
      assert.equal((await get(id)).status, 'pending')
    }
    assert.equal(await jobsOf(agent), 0)
    here.clock.add(3_600_000)
    assert.equal((await decide('approve', ids[1] ?? '')).status, 'dispatched')
  })
})
