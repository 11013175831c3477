import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { ask, codeNow, someone, withApp } from '../../test/factors.ts'
import { asMember } from '../../test/people.ts'
import { goodPassword } from '../../test/person.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { quiet, writeCases } from '../../test/write-cases.ts'
import type { Approval } from '../approvals/schema.ts'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { type EffectKind, effectKinds } from '../kernel/effects.ts'
import { isCalledAgain, mayWait } from '../kernel/operation.ts'
import { gather } from '../notifications/gather.ts'
import { effectsOfUpdate } from '../updates/approved.ts'
import { alwaysAsks, cells } from './effects.ts'
import type { Policies } from './schema.ts'

const waiting = operations.filter(mayWait)

describe('approval policies', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let owner: Caller
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_SMTP_URL: 'smtp://127.0.0.1:9' })
    site = await here.site()
    owner = await asMember(here)
  })
  after(() => here.close())

  /** Somebody who has just given the password. */
  const fresh = (person = owner): Caller => ({ ...person, factorAt: here.world.now() })
  const set = (input: object, caller: Caller = fresh()) => here.call('policies.set', input, { caller }) as unknown as Promise<Policies>
  const setAll = async (decision: string) => {
    for (const cell of cells)
      await set({
        effect: cell.effect,
        ...(cell.jump && { jump: cell.jump }),
        decision: decision === 'auto' && alwaysAsks(cell) ? 'ask' : decision,
      })
  }
  const anAgent = async (): Promise<Caller> => {
    const { id } = await here.token('write', { approval_only: true })
    return here.caller({ type: 'token', id, name: 'test', scopes: new Set(['read', 'write']), approvalOnly: true })
  }
  const approvalsOf = async (by: string) =>
    (await here.call('approvals.list', { by })) as unknown as { approvals: Approval[]; total: number }
  const around = async () => [await stateOf(here.world, ['approvals', 'site_tweaks']), site.fake.state.effects.length].join('\n')
  const prepared = async (name: string) => {
    await quiet(here)
    const input = await (writeCases(here)[name] ?? assert.fail(name))(site.id)
    await quiet(here)
    await here.call('inventory.get', { site_id: site.id })
    return input
  }

  test('every operation that an agent may ask for says by which policy it is decided, and every kind has one', async () => {
    assert.deepEqual(
      waiting.filter(({ policy }) => policy === undefined).map(({ name }) => name),
      [],
    )
    const told = waiting.flatMap(({ policy }) => (typeof policy === 'string' ? [policy] : []))
    const byInput: EffectKind[] = ['updates', 'core_updates', 'tweaks', 'salts']
    assert.deepEqual(new Set([...told, ...byInput]), new Set(effectKinds))
    for (const { name, policy, effect } of waiting)
      if (effect === 'destroy') assert.ok(typeof policy === 'function' || policy === 'restores' || policy === 'deletions', name)
  })

  describe('refused', () => {
    before(() => setAll('never'))
    for (const operation of waiting)
      test(`${operation.name} by an agent is refused, and nobody is asked`, async () => {
        const input = await prepared(operation.name)
        const agent = await anAgent()
        const before = await around()
        await assert.rejects(here.call(operation.name, input, { caller: agent }), (error: { code: string; message: string }) => {
          assert.equal(error.code, 'insufficient_scope')
          assert.match(
            error.message,
            /^Nothing was done, and nobody was asked: .*: never \(version \d+, set by owner \w+\)\. An owner or admin changes that/,
          )
          return true
        })
        assert.equal(await around(), before)
        assert.equal((await approvalsOf(agent.id)).total, 0)
      })
  })

  describe('done at once', () => {
    before(() => setAll('auto'))
    // next-wave.test.ts has a rollout that waits for a wave of patches.
    for (const operation of waiting.filter(
      ({ name, policy }) =>
        name !== 'rollouts.continue' && (typeof policy !== 'string' || cells.some((cell) => cell.effect === policy && !alwaysAsks(cell))),
    ))
      test(`${operation.name} by an agent is done, and it is written down by which policy, and who set it`, async () => {
        const whole = await prepared(operation.name)
        // WordPress itself is always asked for.
        const input = operation.policy === effectsOfUpdate ? { ...whole, plugins: ['garden'] } : whole
        const agent = await anAgent()
        const told = await here.call(operation.name, input, { caller: agent })
        assert.notEqual(told.status, 'awaiting_approval')
        const { version, set_by } = (await here.call('policies.get', {})) as unknown as Policies
        const { approvals } = await approvalsOf(agent.id)
        assert.deepEqual(
          approvals.map((each) => [
            each.operation,
            each.status,
            each.policy?.version,
            each.policy?.decision,
            each.policy?.set_by?.id,
            each.decided_by?.type,
          ]),
          [[operation.name, 'dispatched', version, 'auto', set_by?.id, 'system']],
        )
        if (!isCalledAgain(operation)) assert.equal(approvals[0]?.job_id ?? null, (told as { job_id?: string }).job_id ?? null)
        await gather(here.world)
        const { rows } = await sql`SELECT 1 FROM notices WHERE kind = 'approval_waiting'`.execute(here.world.db)
        assert.equal(rows.length, 0, 'nobody is told that something waits')
      })

    test('what always asks does: a policy that would let it be done is refused, for a site and a tag too', async () => {
      for (const cell of cells.filter(alwaysAsks))
        for (const place of [{}, { site_id: site.id }, { tag: 'shop' }])
          await assert.rejects(set({ effect: cell.effect, ...(cell.jump && { jump: cell.jump }), ...place, decision: 'auto' }), {
            code: 'invalid_payload',
          })
      for (const operation of waiting.filter(
        ({ policy }) => typeof policy === 'string' && cells.some((cell) => cell.effect === policy && alwaysAsks(cell)),
      )) {
        const input = await prepared(operation.name)
        const agent = await anAgent()
        assert.equal((await here.call(operation.name, input, { caller: agent })).status, 'awaiting_approval', operation.name)
      }
      const agent = await anAgent()
      const salts = { site_id: site.id, tweak_ids: ['salts_rotated', 'xmlrpc_off'], action: 'apply' }
      assert.equal((await here.call('tweaks.apply', salts, { caller: agent })).status, 'awaiting_approval', 'salts among other tweaks')
    })

    test('the same key again gets the same answer, and nothing is done twice', async () => {
      const agent = await anAgent()
      const ask = () => here.call('backups.create', { site_id: site.id, type: 'db' }, { caller: agent, idempotencyKey: 'once' })
      const first = await ask()
      assert.deepEqual(await ask(), first)
      assert.equal((await approvalsOf(agent.id)).total, 1)
      await assert.rejects(here.call('backups.create', { site_id: site.id, type: 'files' }, { caller: agent, idempotencyKey: 'once' }), {
        code: 'idempotency_mismatch',
      })
    })

    test('what fails is not written down as done, and is told as what it is', async () => {
      const agent = await anAgent()
      await assert.rejects(here.call('rollouts.cancel', { rollout_id: 'rollout_01k0000000000000000000000a' }, { caller: agent }), {
        code: 'not_found',
      })
      assert.equal((await approvalsOf(agent.id)).total, 0)
    })
  })

  test('a revoked token has nothing done, whatever the policies let', async () => {
    await set({ effect: 'backups', decision: 'auto' })
    const agent = await anAgent()
    await here.call('tokens.revoke', { token_id: agent.id })
    await quiet(here)
    const before = await around()
    await assert.rejects(here.call('backups.create', { site_id: site.id }, { caller: agent }), { code: 'conflict' })
    assert.equal(await around(), before)
  })

  test('to have less asked for takes an owner or admin who has just shown a second factor; to have more asked for any of them', async () => {
    await setAll('ask')
    const admin = await asMember(here, 'admin')
    const tighter = { effect: 'backups', decision: 'never' }
    const looser = { effect: 'backups', decision: 'auto' }
    const code = (wanted: string) => (error: { code: string }) => error.code === wanted
    await set(tighter, admin)
    await assert.rejects(set(looser, admin), code('confirmation_required'))
    await assert.rejects(set({ ...tighter, decision: 'usual' }, admin), code('confirmation_required'))
    await assert.rejects(set({ ...looser, tag: 'shop' }, admin), code('confirmation_required'))
    await assert.rejects(set({ ...looser, site_id: site.id }, admin), code('confirmation_required'))
    const stale = { ...admin, factorAt: new Date(here.world.now().getTime() - 10 * 60_000 - 1) }
    await assert.rejects(set(looser, stale), code('confirmation_required'))
    await set(looser, fresh(admin))

    const member = await asMember(here, 'member')
    for (const caller of [member, await anAgent(), here.caller({ type: 'token', id: 'tok_1', factorAt: here.world.now() })])
      for (const change of [tighter, looser])
        await assert.rejects(set(change, { ...caller, factorAt: here.world.now() }), code('insufficient_scope'))
    const posing = { ...member, scopes: owner.scopes, factorAt: here.world.now() }
    await assert.rejects(set(tighter, posing), code('insufficient_scope'), 'the role that counts is the one in the database')
  })

  test('a person shows a second factor for it, in the session they sit in; a password alone is not enough', async () => {
    await setAll('ask')
    const { browser, secret } = await withApp(here)
    here.clock.add(11 * 60_000)
    const looser = (of = browser) => of.send('POST', '/api/v1/policies', { effect: 'backups', decision: 'auto' })
    const refused = await looser()
    assert.deepEqual([refused.status, refused.json.code], [403, 'confirmation_required'])
    assert.equal((await ask(browser, 'confirm', { code: '000000' })).status, 403)
    assert.equal((await looser()).status, 403)
    assert.equal((await ask(browser, 'confirm', { code: codeNow(here, secret) })).status, 200)
    const plain = await someone(here)
    assert.equal((await looser(plain.browser)).status, 403, 'there is no second factor')
    assert.equal((await ask(plain.browser, 'confirm', { password: goodPassword })).status, 200)
    assert.equal((await looser(plain.browser)).status, 403, 'nor after the password was given again')
    assert.equal((await looser()).status, 200)
  })

  test('over REST an agent whose call a policy lets be done gets the answer anybody gets, and the work is bound to what was looked at', async () => {
    await setAll('auto')
    const { token, id } = await here.token('write', { approval_only: true })
    const answer = await here.rest('POST', `/api/v1/sites/${site.id}/actions`, { token, body: { action: 'update', plugins: ['garden'] } })
    assert.equal(answer.status, 202, answer.text)
    const { job_id } = answer.json as unknown as { job_id: string }
    assert.equal(answer.headers.get('location'), `/api/v1/jobs/${job_id}`)
    const { approvals } = await approvalsOf(id)
    const { rows } = await sql<{
      approval_id: string
      approved_by: { id: string }
    }>`SELECT approval_id, approved_by FROM jobs WHERE id = ${job_id}`.execute(here.world.db)
    assert.deepEqual([rows[0]?.approval_id, rows[0]?.approved_by.id], [approvals[0]?.id, approvals[0]?.decided_by?.id])
    const { activity } = (await here.call('activity.list', { by: id })) as { activity: { summary: string; internal: boolean }[] }
    assert.ok(activity.some(({ summary, internal }) => summary === 'Done as a policy allows: Update a site' && internal))
  })

  test('a policy narrowed by tag and by how far an update leads holds for those alone; the versions tell who changed what', async () => {
    await setAll('ask')
    const { version } = (await here.call('policies.get', {})) as unknown as Policies
    const again = await set({ effect: 'updates', jump: 'patch', tag: 'staging', decision: 'auto' })
    assert.equal(again.version, version + 1)
    assert.equal((await set({ effect: 'updates', jump: 'patch', tag: 'staging', decision: 'auto' })).version, version + 1, 'said twice')
    const { versions } = (await here.call('policies.history', { limit: 1 })) as unknown as { versions: Record<string, unknown>[] }
    const [last] = versions
    assert.deepEqual(
      [last?.version, (last?.set_by as { id: string } | undefined)?.id, last?.change],
      [
        version + 1,
        owner.id,
        { effect: 'updates', jump: 'patch', site_id: null, tag: 'staging', before: null, after: 'auto', looser: true },
      ],
    )
    await assert.rejects(sql`UPDATE approval_policies SET rules = '[]'`.execute(here.world.db), /is not changed/)
    await assert.rejects(set({ effect: 'updates', decision: 'ask' }), { code: 'invalid_payload' })
    await assert.rejects(set({ effect: 'backups', jump: 'patch', decision: 'ask' }), { code: 'invalid_payload' })
    await assert.rejects(set({ effect: 'backups', site_id: site.id, tag: 'x', decision: 'ask' }), { code: 'invalid_payload' })
  })

  test('another workspace’s policies are not there, and decide nothing here', async () => {
    const other = await here.workspace('Another')
    const stranger = await asMember(here, 'owner', other)
    await here.call('policies.set', { effect: 'backups', decision: 'never' }, { caller: stranger })
    await set({ effect: 'backups', decision: 'auto' })
    const agent = await anAgent()
    assert.notEqual((await here.call('backups.create', { site_id: site.id, type: 'db' }, { caller: agent })).status, 'awaiting_approval')
    await assert.rejects(here.call('policies.set', { effect: 'backups', site_id: site.id, decision: 'never' }, { caller: stranger }), {
      code: 'not_found',
    })
    await assert.rejects(
      here.call('policies.set', { effect: 'scans', decision: 'never' }, { caller: { ...stranger, workspaceId: here.workspaceId } }),
      {
        code: 'insufficient_scope',
      },
    )
  })

  test('a new workspace asks for what is usual: backups and scans are done, the rest waits', async () => {
    await sql`DELETE FROM approval_policies WHERE workspace_id = ${here.workspaceId}`.execute(here.world.db)
    const told = (await here.call('policies.get', {})) as unknown as Policies
    assert.equal(told.version, 0)
    assert.deepEqual(
      told.effects.filter(({ decision }) => decision !== 'ask').map(({ effect, decision }) => [effect, decision]),
      [
        ['backups', 'auto'],
        ['scans', 'auto'],
      ],
    )
  })
})
