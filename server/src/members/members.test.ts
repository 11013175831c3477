import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aBrowser, alsoIn, aPerson, goodPassword } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import { newId } from '../kernel/ids.ts'
import { run } from '../kernel/run.ts'
import { openService } from '../service.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import { Role } from '../workspaces/schema.ts'
import { scopesOf } from './schema.ts'
import { describeSession, openSession } from './sessions.ts'

describe('members', () => {
  let here: TestWorld
  let owner: string
  before(async () => {
    here = await aWorld()
    owner = await aPerson(here, 'owner@example.com', 'owner')
  })
  after(() => here.close())
  const as = (id: string, role: Role = 'owner') => ({ caller: here.caller({ id, scopes: scopesOf[role] }) })
  const linkOf = (answer: Record<string, unknown>) => String(answer.link).split('#')[1] ?? ''

  for (const role of Role.options)
    test(`what the role ${role} may be let in to do is what its scopes say, for every operation`, async () => {
      const caller = here.caller({ id: newId('user', here.world.now()), scopes: scopesOf[role] })
      for (const operation of operations) {
        const asked = run(here.world, operation, { caller, face: 'dashboard', requestId: newId('req', here.world.now()) }, { nonsense: 1 })
        const code = await asked.then(
          () => 'let in',
          (error: { code: string }) => error.code,
        )
        const may = { owner: true, admin: true, member: operation.scope !== 'manage', viewer: operation.scope === 'read' }[role]
        assert.equal(code, may ? 'invalid_payload' : 'insufficient_scope', operation.name)
      }
    })

  test('a role that was changed at one node holds with the next request at another', async (t) => {
    const { config, log, now } = here.world
    const service = await openService({ config: { ...config, role: 'serve' }, log, now, address: here.address })
    t.after(() => service.close())
    const url = (await service.server?.listen({ host: '127.0.0.1', port: 0 })) ?? ''
    const id = await aPerson(here, 'moves@example.com', 'admin')
    const browser = aBrowser(here)
    await browser.signIn('moves@example.com')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const there = async () => (await fetch(`${url}/api/v1/members`, { headers: { cookie } })).status
    assert.equal(await there(), 200)
    for (const [role, status] of [
      ['viewer', 403],
      ['admin', 200],
    ] as const) {
      await here.call('members.set', { user_id: id, role }, as(owner))
      assert.equal(await there(), status, role)
    }
    await here.call('members.remove', { user_id: id }, as(owner))
    assert.notEqual(await there(), 200)
  })

  test('somebody new joins by an invitation, chooses a password, and is what the invitation says; the link works once', async () => {
    const invited = await here.call('members.invite', { email: 'new@example.com', role: 'viewer' }, as(owner))
    assert.match(String(invited.link), /^http:\/\/127\.0\.0\.1:\d+\/join#[\w-]{43}$/)
    const listed = (await here.call('members.invitations', {}, as(owner))) as { invitations: object[] }
    assert.deepEqual(
      listed.invitations,
      [invited].map(({ link: _link, mailed: _mailed, ...rest }) => rest),
    )
    const browser = aBrowser(here)
    const key = linkOf(invited)
    assert.deepEqual((await browser.send('POST', '/session/invitation', { key })).json, {
      ...{ email: 'new@example.com', workspace: 'Test', role: 'viewer', sees: null, has_account: false },
    })
    const joined = await browser.send('POST', '/session/join', { key, password: 'a password of mine' })
    assert.partialDeepStrictEqual(joined.json, { workspace: { name: 'Test', role: 'viewer' } } as never)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    assert.equal((await browser.send('POST', '/api/v1/uptime/settings', { enabled: false })).status, 403)
    assert.equal((await browser.send('GET', '/api/v1/members')).status, 403)
    const again = aBrowser(here)
    assert.equal((await again.send('POST', '/session/join', { key, password: 'a password of mine' })).status, 404)
    assert.equal((await again.signIn('new@example.com', 'a password of mine')).status, 200)
  })

  test('somebody known joins with their own password and with no other', async () => {
    const other = await here.workspace('Theirs')
    await aPerson(here, 'known@example.com', 'owner', { workspaceId: other })
    const key = linkOf(await here.call('members.invite', { email: 'KNOWN@example.com', role: 'admin' }, as(owner)))
    const browser = aBrowser(here)
    assert.equal((await browser.send('POST', '/session/join', { key, password: 'a guess at it, no more' })).status, 401)
    const joined = await browser.send('POST', '/session/join', { key, password: goodPassword })
    assert.equal((joined.json as unknown as { workspaces: unknown[] }).workspaces.length, 2)
    assert.partialDeepStrictEqual(joined.json, { workspace: { name: 'Test', role: 'admin' } } as never)
  })

  test('an invitation ends when it is withdrawn, replaced, or a week old', async () => {
    const invite = () => here.call('members.invite', { email: 'late@example.com' }, as(owner))
    const [first, second] = [await invite(), await invite()]
    const see = async (answer: Record<string, unknown>) =>
      (await aBrowser(here).send('POST', '/session/invitation', { key: linkOf(answer) })).status
    assert.deepEqual([await see(first), await see(second)], [404, 200])
    await here.call('members.withdraw', { invitation_id: second.id }, as(owner))
    assert.equal(await see(second), 404)
    await assert.rejects(here.call('members.withdraw', { invitation_id: second.id }, as(owner)), { code: 'not_found' })
    const third = await invite()
    here.clock.add(7 * 86_400_000)
    assert.equal(await see(third), 404)
    await assert.rejects(here.call('members.invite', { email: 'owner@example.com' }, as(owner)), { code: 'conflict' })
  })

  test('a role that is changed, and a member who is let go, are felt by the next request of an open session', async () => {
    const id = await aPerson(here, 'worker@example.com', 'member')
    const browser = aBrowser(here)
    await browser.signIn('worker@example.com')
    const write = () => browser.send('POST', '/api/v1/uptime/settings', { interval_s: 300 })
    assert.equal((await write()).status, 200)
    await here.call('members.set', { user_id: id, role: 'viewer' }, as(owner))
    assert.equal((await write()).status, 403)
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 200)
    await here.call('members.set', { user_id: id, role: 'admin' }, as(owner))
    assert.equal((await browser.send('GET', '/api/v1/tokens')).status, 200)
    await here.call('members.remove', { user_id: id }, as(owner))
    assert.equal((await browser.send('GET', '/api/v1/sites')).status, 401)
  })

  test('only an owner makes owners or lets them go, and the last one stays', async () => {
    const admin = await aPerson(here, 'admin@example.com', 'admin')
    const plain = await aPerson(here, 'plain@example.com', 'member')
    const refused = (name: string, input: object, by: string) =>
      assert.rejects(here.call(name, input, as(by)), { code: 'insufficient_scope' })
    await refused('members.set', { user_id: plain, role: 'owner' }, admin)
    await refused('members.set', { user_id: owner, role: 'member' }, admin)
    await refused('members.remove', { user_id: owner }, admin)
    await refused('members.invite', { email: 'x@example.com', role: 'owner' }, admin)
    await here.call('members.set', { user_id: plain, role: 'viewer' }, as(admin))
    await assert.rejects(here.call('members.remove', { user_id: owner }, as(owner)), { code: 'conflict' })
    await assert.rejects(here.call('members.set', { user_id: owner, role: 'admin' }, as(owner)), { code: 'conflict' })
    await here.call('members.set', { user_id: admin, role: 'owner' }, as(owner))
    const both = await Promise.allSettled([
      here.call('members.set', { user_id: owner, role: 'admin' }, as(owner)),
      here.call('members.set', { user_id: admin, role: 'admin' }, as(admin)),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'two who go at once leave one')
  })

  test('somebody leaves by herself, in whatever role, and sees another workspace of hers or none; the last owner stays', async () => {
    const id = await aPerson(here, 'goes@example.com', 'viewer', { sees: { client: 'Ann Ltd' } })
    const browser = aBrowser(here)
    await browser.signIn('goes@example.com')
    const elsewhere = await alsoIn(here, id, 'Her own')
    const leave = () => browser.send('DELETE', '/api/v1/membership')
    const left = await leave()
    assert.deepEqual([left.status, left.json], [200, { id: here.workspaceId, name: 'Test' }])
    const next = await browser.send('GET', '/session')
    assert.partialDeepStrictEqual(next.json, { workspace: { id: elsewhere, role: 'owner' } } as never)
    const last = await leave()
    assert.equal(last.status, 409)
    assert.match(last.text, /Make somebody else owner first/)
    await aPerson(here, 'heir@example.com', 'owner', { workspaceId: elsewhere })
    assert.equal((await leave()).status, 200)
    assert.partialDeepStrictEqual((await browser.send('GET', '/session')).json, { workspace: null, workspaces: [] } as never)
    const { id: token } = await here.token('write')
    const asToken = { caller: here.caller({ type: 'token', id: token, scopes: scopesOf.member }) }
    await assert.rejects(here.call('members.leave', {}, asToken), { code: 'insufficient_scope' })
  })

  test('people of another workspace are nobody’s business', async () => {
    const theirs = await here.workspace('Strangers')
    const stranger = await aPerson(here, 'stranger@example.com', 'owner', { workspaceId: theirs })
    const listed = (await here.call('members.list', {}, as(owner))) as { members: { email: string }[] }
    assert.ok(!JSON.stringify(listed).includes('stranger'))
    const ask = (name: string, user_id: string) =>
      here.call(name, { user_id, ...(name === 'members.set' && { role: 'viewer' }) }, as(owner)).then(
        () => assert.fail('it was let in'),
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      )
    for (const name of ['members.set', 'members.remove'])
      assert.deepEqual(await ask(name, stranger), await ask(name, newId('user', here.world.now())))
    const elsewhere = await alsoIn(here, owner, 'Second')
    const invited = await here.call(
      'members.invite',
      { email: 'y@example.com' },
      { caller: here.caller({ workspaceId: elsewhere, id: owner }) },
    )
    await assert.rejects(here.call('members.withdraw', { invitation_id: invited.id }, as(owner)), { code: 'not_found' })
  })

  test('a workspace takes another name, unless another one has it in any case', async () => {
    await here.workspace('Taken')
    await assert.rejects(here.call('workspaces.rename', { name: 'TAKEN' }, as(owner)), { code: 'conflict' })
    assert.deepEqual(await here.call('workspaces.rename', { name: 'Renamed' }, as(owner)), { id: here.workspaceId, name: 'Renamed' })
    assert.deepEqual(await here.call('workspaces.rename', { name: 'renamed' }, as(owner)), { id: here.workspaceId, name: 'renamed' })
  })

  test('an owner makes a further workspace in person: empty, hers alone and on the record of both; nobody else makes one', async () => {
    const maker = await aPerson(here, 'maker@example.com', 'owner')
    const browser = aBrowser(here)
    assert.equal((await browser.signIn('maker@example.com')).json.new_workspaces, true)
    const make = (name: string, headers = {}) => browser.send('POST', '/api/v1/workspaces', { name }, headers)
    const made = await make('Further', { 'idempotency-key': 'once' })
    const id = String(made.json.id)
    assert.deepEqual([made.status, made.json], [201, { id, name: 'Further' }])
    assert.deepEqual((await make('Further', { 'idempotency-key': 'once' })).json, made.json)
    const taken = await make('fURTHER')
    const errors = [{ path: 'name', message: 'This name is taken. Choose another one.' }]
    assert.partialDeepStrictEqual([taken.status, taken.json], [409, { errors }] as never)
    for (const name of [' ', 'x'.repeat(101)]) {
      const { status, json } = await make(name)
      assert.partialDeepStrictEqual([status, json], [400, { errors: [{ path: 'name' }] }] as never)
    }
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const caller = as(await aPerson(here, `no-${role}@example.com`, role), role)
      await assert.rejects(here.call('workspaces.create', { name: 'Not theirs' }, caller), { code: 'insufficient_scope' }, role)
    }
    const asToken = { caller: here.caller({ type: 'token', id: (await here.token('write')).id }) }
    await assert.rejects(here.call('workspaces.create', { name: 'Not theirs' }, asToken), { code: 'insufficient_scope' })
    const { rows } = await sql<{ workspace_id: string }>`SELECT workspace_id FROM audit WHERE operation = 'workspaces.create'
      AND (caller_id, outcome) = (${maker}, 'ok') ORDER BY workspace_id = ${id}`.execute(here.world.db)
    assert.deepEqual(
      rows.map(({ workspace_id }) => workspace_id),
      [here.workspaceId, id],
    )
    await browser.send('POST', '/session/workspace', { workspace_id: id })
    for (const list of ['sites', 'tokens', 'invitations'])
      assert.deepEqual((await browser.send('GET', `/api/v1/${list}`)).json, [], `${list} of the other one are not there`)
    assert.partialDeepStrictEqual((await browser.send('GET', '/api/v1/members')).json, [{ id: maker, role: 'owner' }] as never)
    const keys = await Promise.all([here.workspaceId, id].map((each) => workspaceKey(here.world, each)))
    assert.notEqual(keys[0]?.id, keys[1]?.id)
  })

  test('what an operation says that owners alone have done, an admin is refused', async () => {
    const admin = await aPerson(here, 'no-owner@example.com', 'admin')
    const ownersAlone = operations.filter(({ byOwner }) => byOwner)
    assert.ok(ownersAlone.length > 0)
    for (const { name, example } of ownersAlone) {
      const input = { ...example, ...('dry_run' in example && { dry_run: false }) }
      const caller = { ...as(admin, 'admin').caller, factorAt: here.world.now() }
      await assert.rejects(here.call(name, input, { caller }), { code: 'insufficient_scope' }, name)
    }
  })

  test('nobody makes more than fifty workspaces, nor any where the operator makes them', async () => {
    const many = await aPerson(here, 'many@example.com', 'owner')
    const make = (name: string) => here.call('workspaces.create', { name }, as(many))
    await sql`WITH made AS (INSERT INTO workspaces (id, name, sealed_key)
        SELECT 'ws_many' || n, 'Many ' || n, 'none' FROM generate_series(1, 48) n RETURNING id)
      INSERT INTO members (workspace_id, user_id, role) SELECT id, ${many}, 'owner' FROM made`.execute(here.world.db)
    const [first, second] = await Promise.allSettled([make('One more'), make('And one')])
    assert.deepEqual([first?.status, second?.status].sort(), ['fulfilled', 'rejected'], 'of two at once that make the fiftieth, one does')
    await assert.rejects(make('Too many'), (error: { code: string; message: string }) => {
      assert.match(error.message, /owner of 50 workspaces/)
      return error.code === 'conflict'
    })
    const world = { ...here.world, config: { ...here.world.config, newWorkspaces: 'operator' as const } }
    const create = operations.find(({ name }) => name === 'workspaces.create')
    assert.ok(create)
    const owner = await aPerson(here, 'may-not@example.com', 'owner')
    const asked = run(world, create, { ...as(owner), face: 'dashboard', requestId: newId('req', here.world.now()) }, { name: 'Not here' })
    await assert.rejects(asked, (error: { code: string; message: string }) => {
      assert.match(error.message, /whoever runs the service makes workspaces.*owner create/)
      return error.code === 'insufficient_scope'
    })
    const browser = aBrowser(here)
    await browser.signIn('may-not@example.com')
    const secret = browser.cookies.get('svc_session') ?? ''
    const session = await openSession(world, secret)
    assert.ok(session)
    assert.equal((await describeSession(world, session, secret)).new_workspaces, false)
  })
})
