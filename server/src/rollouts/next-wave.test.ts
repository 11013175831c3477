import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import { asMember } from '../../test/people.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Approval } from '../approvals/schema.ts'
import type { Caller } from '../kernel/context.ts'
import type { Rollout } from './schema.ts'

type Managed = Awaited<ReturnType<TestWorld['site']>>

describe('an agent’s update in waves', () => {
  let here: TestWorld
  let owner: Caller
  let sites: Managed[]
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    await here.call('schedules.set_default', { pre_update: 'none' })
    owner = await asMember(here)
    sites = [await here.site(), await here.site(), await here.site()]
  })
  after(() => here.close())

  const fresh = async (version = '1.0.1') => {
    for (const { id, fake } of sites) {
      fake.state.items = [aPlugin('a', { version: '1.0.0', update: anOffer(version) })]
      fake.state.updateMs = 0
      fake.state.effects.length = 0
      await here.call('inventory.get', { site_id: id })
    }
  }
  const anAgent = async (token = {}): Promise<Caller> => {
    const { id } = await here.token('write', { approval_only: true, ...token })
    return here.caller({ type: 'token', id, name: 'test', scopes: new Set(['read', 'write']), approvalOnly: true })
  }
  const decide = (what: 'approve' | 'deny', id: string, more = {}) =>
    here.call(`approvals.${what}`, { approval_id: id, ...more }, { caller: owner }) as unknown as Promise<Approval>
  const rolloutOf = (id: string) => here.call('rollouts.get', { rollout_id: id }) as unknown as Promise<Rollout>
  const over = ({ status }: Rollout) => !['running', 'stopping'].includes(status)
  const ended = async (id: string): Promise<Rollout> => {
    await until(async () => over(await rolloutOf(id)))
    return rolloutOf(id)
  }
  const waits = async (id: string, wave: number): Promise<Rollout> => {
    await until(async () => {
      const { asks_wave, waits_for } = await rolloutOf(id)
      return asks_wave === wave && waits_for !== null
    })
    return rolloutOf(id)
  }
  const begun = async (more = {}, token = {}) => {
    await fresh()
    const agent = await anAgent(token)
    const input = { site_ids: sites.map(({ id }) => id), first_wave: 1, wave_size: 1 }
    const { approval_id } = await here.call('rollouts.start', input, { caller: agent })
    const { job_id } = await decide('approve', String(approval_id), more)
    return { agent, rollout: String(job_id) }
  }
  const updated = () => sites.map(({ fake }) => fake.state.effects.filter(({ verb }) => verb === 'updates.apply').length)

  test('each further wave waits for a person, who is shown it; a wave that is declined ends the rollout', async () => {
    const { agent, rollout } = await begun()
    const waiting = await waits(rollout, 2)
    assert.deepEqual([waiting.status, waiting.wave, waiting.all_waves, updated()], ['running', 1, false, [1, 0, 0]])
    const asked = (await here.call('approvals.get', { approval_id: waiting.waits_for })) as unknown as Approval
    assert.deepEqual(
      [asked.status, asked.operation, asked.requested_by.id, asked.via, asked.site_ids.toSorted()],
      ['pending', 'rollouts.continue', agent.id, 'system', [sites[1]?.id, sites[2]?.id].toSorted()],
    )
    const plan = asked.plan?.answer as { sites: { wave: number; items: { to_version: string }[] }[] }
    assert.deepEqual(
      plan.sites.map(({ wave, items }) => [wave, items[0]?.to_version]),
      [
        [2, '1.0.1'],
        [3, '1.0.1'],
      ],
    )
    const job = await here.call('jobs.get', { job_id: rollout })
    assert.equal(job.phase, 'wave 2 of 3 waits for approval')
    assert.equal((job.result as { approval_id: string }).approval_id, asked.id)

    for (const caller of [here.caller({ type: 'token', id: 'tok_1', scopes: new Set(['read', 'write']) }), await asMember(here, 'member')])
      await assert.rejects(here.call('rollouts.continue', { rollout_id: rollout, wave: 2 }, { caller }), { code: 'insufficient_scope' })
    assert.deepEqual(updated(), [1, 0, 0])

    await decide('approve', asked.id)
    const later = await waits(rollout, 3)
    assert.deepEqual([later.wave, updated(), later.approved_by?.id], [2, [1, 1, 0], owner.id])
    await decide('deny', String(later.waits_for))
    const last = await ended(rollout)
    assert.deepEqual([last.status, updated()], ['stopped', [1, 1, 0]])
    assert.match(String(last.reason), /^Wave 3 was not begun\. owner \w+ declined it\.$/)
    assert.deepEqual(
      last.sites.map(({ status }) => status),
      ['updated', 'updated', 'not_started'],
    )
  })

  test('who lets all waves go is asked for none', async () => {
    const { agent, rollout } = await begun({ allow_all_waves: true })
    const last = await ended(rollout)
    assert.deepEqual([last.status, last.all_waves, updated()], ['completed', true, [1, 1, 1]])
    assert.equal((await here.call('approvals.list', { by: agent.id })).total, 1)
  })

  test('all waves can be let go later; each holds to the versions that were shown', async () => {
    const { rollout } = await begun()
    const { waits_for } = await waits(rollout, 2)
    const third = sites[2] as Managed
    third.fake.state.items = [aPlugin('a', { version: '1.0.0', update: anOffer('9.0') })]
    await decide('approve', String(waits_for), { allow_all_waves: true })
    const last = await ended(rollout)
    assert.deepEqual(
      last.sites.map(({ status }) => status),
      ['updated', 'updated', 'skipped'],
    )
    assert.match(String(last.sites[2]?.reason), /not what was approved/)
    assert.deepEqual(updated(), [1, 1, 0])
  })

  test('where nobody decides in time, the rollout ends', async () => {
    const { rollout } = await begun()
    await waits(rollout, 2)
    here.clock.add(24 * 3_600_000)
    const last = await ended(rollout)
    assert.deepEqual([last.status, last.reason, updated()], ['stopped', 'Wave 2 was not begun. Nobody approved it in time.', [1, 0, 0]])
  })

  test('where the token of the agent expires between two waves, the rollout ends and asks nobody again', async () => {
    const expires_at = new Date(here.world.now().getTime() + 3_600_000).toISOString()
    const { agent, rollout } = await begun({}, { expires_at })
    const { waits_for } = await waits(rollout, 2)
    here.clock.add(3_600_000)
    await assert.rejects(decide('approve', String(waits_for)), { code: 'conflict' })
    const last = await ended(rollout)
    assert.deepEqual([last.status, updated()], ['stopped', [1, 0, 0]])
    assert.match(String(last.reason), /The token that started it has expired\.$/)
    assert.equal((await here.call('approvals.list', { by: agent.id })).total, 2, 'what began it, and its second wave')
  })

  test('what changed meanwhile is asked for anew', async () => {
    const { rollout } = await begun()
    const { waits_for } = await waits(rollout, 2)
    const second = sites[1] as Managed
    second.fake.state.items = [aPlugin('a', { version: '1.0.0', update: anOffer('1.0.9') })]
    await here.call('inventory.get', { site_id: second.id, cached: false })
    await here.call('inventory.list', {}).catch(() => undefined)
    here.clock.add(120_000)
    await here.call('inventory.get', { site_id: second.id })
    await assert.rejects(decide('approve', String(waits_for)), { code: 'conflict' })
    await until(async () => ![waits_for, null].includes((await rolloutOf(rollout)).waits_for))
    const { waits_for: anew } = await rolloutOf(rollout)
    await decide('approve', String(anew), { allow_all_waves: true })
    assert.equal((await ended(rollout)).status, 'completed')
  })

  test('where a policy lets such updates be done, the waves go on by themselves, each by that policy; where one refuses them by then, they end', async () => {
    const policy = (decision: string) =>
      here.call('policies.set', { effect: 'updates', jump: 'patch', decision }, { caller: { ...owner, factorAt: here.world.now() } })
    const { agent, rollout } = await begun()
    const { waits_for } = await waits(rollout, 2)
    await policy('auto')
    await decide('approve', String(waits_for))
    const last = await ended(rollout)
    assert.deepEqual([last.status, updated()], ['completed', [1, 1, 1]])
    const { approvals } = (await here.call('approvals.list', { by: agent.id })) as unknown as { approvals: Approval[] }
    assert.deepEqual(
      approvals.map(({ operation, decided_by }) => [operation, decided_by?.type]),
      [
        ['rollouts.continue', 'system'],
        ['rollouts.continue', 'user'],
        ['rollouts.start', 'user'],
      ],
    )
    await policy('ask')
    const other = await begun()
    const { waits_for: second } = await waits(other.rollout, 2)
    await policy('never')
    await decide('approve', String(second))
    const refused = await ended(other.rollout)
    assert.deepEqual([refused.status, updated()], ['stopped', [1, 1, 0]])
    assert.match(String(refused.reason), /^Wave 3 was not begun\. .*: never \(version \d+/)
    await policy('usual')
  })

  test('what a person or a plain token began goes on by itself', async () => {
    await fresh()
    const input = { site_ids: sites.map(({ id }) => id), first_wave: 1, wave_size: 1 }
    const { rollout_id } = await here.call('rollouts.start', input)
    assert.equal((await ended(String(rollout_id))).status, 'completed')
    assert.deepEqual(updated(), [1, 1, 1])
  })
})
