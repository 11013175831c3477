import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aBrowser, aPerson, type Browser } from '../../test/person.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { isRead } from '../kernel/operation.ts'
import { run } from '../kernel/run.ts'
import { callerOf, openSession } from './sessions.ts'

/** Somebody of a client, who sees one of two sites and changes nothing. */
describe('people of a client', () => {
  let here: TestWorld
  let seen: Awaited<ReturnType<TestWorld['site']>>
  let hidden: Awaited<ReturnType<TestWorld['site']>>
  let cleo: Browser
  let id: string
  let owner: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    owner = await aPerson(here, 'ann@example.com', 'owner')
    seen = await here.site()
    hidden = await here.site()
    hidden.fake.state.name = 'Hidden Orchard'
    await here.call('sites.set', { site_id: seen.id, client: 'Ann Ltd', notes: 'They pay late.' })
    await here.call('sites.set', { site_id: hidden.id, client: 'Ben Ltd' })
    for (const site of [seen, hidden])
      await here.call('activity.log', { site_id: site.id, summary: `Swept ${site.id}`, notes: 'Between colleagues' })
    await here.call('activity.log', { site_id: seen.id, summary: 'Between colleagues', internal: true })
    const invited = await invite({ email: 'cleo@client.example', role: 'viewer', sees: { client: 'Ann Ltd' } })
    cleo = aBrowser(here)
    const key = String(invited.link).split('#')[1]
    const joined = await cleo.send('POST', '/session/join', { key, password: 'a password of mine' })
    const told = joined.json as unknown as { user: { id: string }; workspace: object }
    assert.partialDeepStrictEqual(told.workspace, { role: 'viewer', sees: { client: 'Ann Ltd' } })
    id = told.user.id
  })
  after(() => here.close())
  const as = () => ({ caller: here.caller({ id: owner }) })
  const invite = (input: object) => here.call('members.invite', input, as())
  const caller = async (): Promise<Caller> => {
    const session = await openSession(here.world, cleo.cookies.get('svc_session'))
    return (session && callerOf(session)) ?? assert.fail('she is a member')
  }
  const tellsNothing = (value: unknown) => {
    const text = JSON.stringify(value, (_, each) => (Buffer.isBuffer(each) ? undefined : each))
    for (const trace of [hidden.id, new URL(hidden.fake.url).host, 'Hidden Orchard', 'They pay late', 'Between colleagues', 'Ben Ltd'])
      assert.ok(!text.includes(trace), `${trace} in ${text.slice(0, 300)}`)
  }

  for (const operation of operations.filter(({ bytes, name }) => !bytes && name !== 'members.leave'))
    test(`${operation.name} tells people of a client nothing of other sites, and does nothing for them`, async () => {
      const before = await stateOf(here.world)
      const ask = async (input: object) =>
        run(here.world, operation, { caller: await caller(), face: 'dashboard', requestId: newId('req', here.world.now()) }, input).then(
          ({ output }) => ({ output }),
          ({ code, message, errors }: { code: string; message: string; errors?: unknown }) => ({ code, message, errors }),
        )
      const code = (answer: object) => (answer as { code?: string }).code
      const { site_id: _, ...rest } = operation.example as Record<string, unknown>
      if (!isRead(operation)) {
        const given = { ...operation.example, ...('dry_run' in operation.example && { dry_run: false }) }
        assert.equal(code(await ask(given)), 'insufficient_scope')
      } else if (operation.scope === 'manage') assert.equal(code(await ask(operation.example)), 'insufficient_scope')
      else {
        if ('site_id' in operation.input.shape) {
          const [theirs, random] = [hidden.id, 'site_01k0000000000000000000000a'].map((site_id) => ask({ ...rest, site_id }))
          assert.deepEqual(await theirs, await random)
          assert.equal(await stateOf(here.world), before)
          tellsNothing(await ask({ ...rest, site_id: seen.id }))
        }
        for (const input of [rest, {}]) tellsNothing(await ask(input))
        return
      }
      assert.equal(await stateOf(here.world), before)
    })

  test('they are shown their sites, without what colleagues tell each other', async () => {
    const list = (await cleo.send('GET', '/api/v1/sites')).json as unknown as { id: string; notes: string | null }[]
    assert.deepEqual(
      list.map(({ id: each, notes }) => [each, notes]),
      [[seen.id, null]],
    )
    assert.equal(((await cleo.send('GET', `/api/v1/sites/${seen.id}`)).json as { notes?: string | null }).notes, null)
    assert.equal((await cleo.send('GET', `/api/v1/sites/${hidden.id}`)).status, 404)
    const entries = (await cleo.send('GET', `/api/v1/sites/${seen.id}/activity`)).json as unknown as { summary: string }[]
    assert.ok(entries.some(({ summary }) => summary === `Swept ${seen.id}`))
    tellsNothing(entries)
    const found = async (q: string) => ((await cleo.send('GET', `/api/v1/sites/${seen.id}/activity?q=${q}`)).json as unknown[]).length
    assert.deepEqual([await found('swept'), await found('colleagues')], [1, 0], 'nor are they found by it')
    assert.equal((await cleo.send('GET', '/api/v1/activity')).status, 403)
    const colleague = await here.call('sites.get', { site_id: seen.id }, as())
    assert.equal(colleague.notes, 'They pay late.', 'colleagues see them as before')
  })

  test('a site that changes hands, and other sites to look at, are felt by the next request', async () => {
    const count = async () => ((await cleo.send('GET', '/api/v1/sites')).json as unknown[]).length
    await here.call('sites.set', { site_id: seen.id, client: 'Ben Ltd' })
    assert.equal(await count(), 0)
    await here.call('sites.set', { site_id: seen.id, client: 'Ann Ltd' })
    assert.equal(await count(), 1)
    await here.call('members.set', { user_id: id, role: 'viewer', sees: { client: 'Ben Ltd' } }, as())
    assert.equal((await cleo.send('GET', `/api/v1/sites/${seen.id}`)).status, 404)
    await here.call('members.set', { user_id: id, role: 'viewer' }, as())
    assert.equal((await cleo.send('GET', `/api/v1/sites/${seen.id}`)).status, 404, 'what is not said stays')
    await here.call('members.set', { user_id: id, role: 'viewer', sees: { client: 'Ann Ltd' } }, as())
    assert.equal(await count(), 1)
  })

  test('only viewers see some sites only, and nobody sees more because a role was changed', async () => {
    const refused = (asked: Promise<unknown>) => assert.rejects(asked, { code: 'invalid_payload' })
    for (const role of ['member', 'admin', 'owner']) {
      await refused(here.call('members.set', { user_id: id, role }, as()))
      await refused(invite({ email: 'x@client.example', role, sees: { client: 'Ann Ltd' } }))
    }
    await refused(invite({ email: 'x@client.example', role: 'viewer', sees: {} }))
    const { sees } = await here.call('members.set', { user_id: id, role: 'member', sees: null }, as())
    assert.equal(sees, null)
    await here.call('members.set', { user_id: id, role: 'viewer', sees: { client: 'Ann Ltd' } }, as())
  })

  test('they may leave by themselves, are told of nothing else by that, and see nothing afterwards', async () => {
    const left = await cleo.send('DELETE', '/api/v1/membership')
    assert.equal(left.status, 200)
    tellsNothing(left.json)
    assert.notEqual((await cleo.send('GET', `/api/v1/sites/${seen.id}`)).status, 200)
  })
})
