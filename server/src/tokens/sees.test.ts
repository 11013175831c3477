import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { agentOf } from '../../test/mcp-agent.ts'
import { asMember } from '../../test/people.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { quiet, writeCases } from '../../test/write-cases.ts'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { isRead } from '../kernel/operation.ts'
import { run } from '../kernel/run.ts'

/** A token that sees one of two sites: of the other nothing is told, and nothing is done there, whatever is asked. */
describe('a token that sees some sites', () => {
  let here: TestWorld
  let seen: Awaited<ReturnType<TestWorld['site']>>
  let hidden: Awaited<ReturnType<TestWorld['site']>>
  let reader: Caller
  let writer: Caller
  let secret: string

  const callerOf = async (scope: 'read' | 'write', more = {}) => {
    const { token } = (await here.call('tokens.create', { name: 'some', scope, sees: { site_ids: [seen.id] }, ...more })) as {
      token: string
    }
    secret = token
    const caller = await here.service.identify(`Bearer ${token}`)
    return caller ?? assert.fail('it is let in')
  }
  const call = (name: string, input: object, caller: Caller) => {
    const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
    return run(here.world, operation, { caller, face: 'api', requestId: newId('req', here.world.now()) }, input)
  }

  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    seen = await here.site()
    hidden = await here.site()
    hidden.fake.state.name = 'Hidden Orchard'
    for (const { id } of [seen, hidden]) {
      await here.call('sites.set', { site_id: id, tags: ['shop'], client: 'Ann' })
      for (const name of ['backups.verify', 'security.ignore', 'links.ignore', 'uptime.maintain', 'notifications.add_rule']) {
        const input = await writeCases(here)[name]?.(id)
        await here.call(name, input)
      }
      await here.call('activity.log', { site_id: id, summary: `Swept ${id}` })
    }
    await here.job(String((await here.call('backups.create', { tag: 'shop', type: 'db' })).job_id))
    await quiet(here)
    reader = await callerOf('read')
    writer = await callerOf('write')
  })
  after(() => here.close())

  /** What would give the other site away. */
  const traces = () => [hidden.id, new URL(hidden.fake.url).host, 'Hidden Orchard']
  const tellsNothing = (value: unknown) => {
    const text = JSON.stringify(value, (_, each) => (Buffer.isBuffer(each) ? undefined : each))
    for (const trace of traces()) assert.ok(!text.includes(trace), `${trace} in ${text.slice(0, 300)}`)
  }

  for (const operation of operations.filter(({ scope, bytes }) => scope !== 'manage' && !bytes))
    test(`${operation.name} tells nothing of a site that is not seen, and does nothing there`, async () => {
      const caller = isRead(operation) ? reader : writer
      const before = await stateOf(here.world)
      const effects = hidden.fake.requests.length
      const ask = (input: object) =>
        call(operation.name, input, caller).then(
          ({ output }) => ({ output }),
          ({ code, message, errors }: { code: string; message: string; errors?: unknown }) => ({ code, message, errors }),
        )
      if ('site_id' in operation.input.shape) {
        const other = { ...operation.example, tag: undefined, site_id: hidden.id }
        const given = (site_id: string) => JSON.parse(JSON.stringify({ ...other, site_id }))
        const [theirs, random] = [await ask(given(hidden.id)), await ask(given('site_01k0000000000000000000000a'))]
        assert.deepEqual(theirs, random)
        assert.equal((theirs as { code: string }).code, 'not_found')
        assert.equal(await stateOf(here.world), before)
        assert.equal(hidden.fake.requests.length, effects)
      }
      if (!isRead(operation)) return
      const { site_id: _, ...rest } = operation.example as Record<string, unknown>
      const inputs = 'site_id' in operation.input.shape ? [rest, {}, { site_id: seen.id }] : [rest]
      for (const input of inputs) tellsNothing(await ask(input))
    })

  test('of many sites only those that are seen are listed, counted and worked on', async () => {
    const { output } = await call('sites.list', {}, reader)
    assert.deepEqual((output as { value: { total: number } }).value?.total ?? (output as { total: number }).total, 1)
    const tool = await agentOf(here, secret).call('list_sites', { tag: 'shop' })
    assert.equal(tool.structuredContent?.total, 1)
    tellsNothing(tool)
    for (const name of ['backups.create', 'rollouts.start', 'tweaks.apply']) {
      const more = name === 'tweaks.apply' ? { tweak_ids: ['xmlrpc_off'], action: 'apply' } : {}
      await assert.rejects(call(name, { site_ids: [hidden.id], ...more }, writer), { code: 'not_found' })
      for (const which of [{ tag: 'shop' }, { client: 'Ann' }, { every_site: true }]) {
        const { output } = await call(name, { ...which, ...more }, writer)
        const { job_id } = output as { job_id: string }
        const rollout = await here.call('rollouts.get', { rollout_id: job_id })
        assert.deepEqual(
          (rollout.sites as { site_id: string }[]).map(({ site_id }) => site_id),
          [seen.id],
          name,
        )
        tellsNothing((await call('jobs.get', { job_id }, writer)).output)
        await quiet(here)
      }
    }
  })

  test('what is asked of no site, or by another, is not there for it', async () => {
    const made = await here.call('rollouts.start', { site_ids: [seen.id, hidden.id], dry_run: false })
    const own = await here.call('backups.create', { site_id: hidden.id, type: 'db' })
    for (const job_id of [made.job_id, own.job_id]) await assert.rejects(call('jobs.get', { job_id }, reader), { code: 'not_found' })
    await assert.rejects(call('jobs.cancel', { job_id: own.job_id }, writer), { code: 'not_found' })
    await assert.rejects(call('activity.list', {}, reader), { code: 'insufficient_scope' })
    await quiet(here)
  })

  test('a tag counts as it is now, and an approval is done with what its token sees', async () => {
    const agent = await callerOf('write', { approval_only: true, sees: { tag: 'mine' } })
    const owner = await asMember(here)
    await here.call('sites.set', { site_id: seen.id, tags: ['mine', 'shop'] })
    const asked = async (input: object) => ((await call('backups.create', input, agent)).output as { approval_id: string }).approval_id
    const one = await asked({ every_site: true, type: 'db' })
    const [two, three] = [await asked({ site_id: seen.id, type: 'files' }), await asked({ site_id: seen.id, type: 'db' })]
    const approve = (approval_id: string) => here.call('approvals.approve', { approval_id }, { caller: owner })
    const { answer } = (await approve(one)) as { answer: { total: number } }
    assert.equal(answer.total, 1)
    assert.equal((await approve(two)).status, 'dispatched')
    await here.call('sites.set', { site_id: seen.id, tags: ['shop'] })
    await assert.rejects(approve(three), { code: 'conflict' })
    await assert.rejects(call('sites.get', { site_id: seen.id }, agent), { code: 'not_found' })
    await quiet(here)
  })
})
