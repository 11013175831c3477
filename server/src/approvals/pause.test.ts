import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { agentOf } from '../../test/mcp-agent.ts'
import { asMember } from '../../test/people.ts'
import { stateOf } from '../../test/state-of.ts'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { sweepJobs } from '../jobs/sweep.ts'
import type { Caller } from '../kernel/context.ts'
import { clientConfig } from '../platform/database.ts'
import { openSignals } from '../platform/signals.ts'
import { openKnownTokens } from '../tokens/known.ts'

describe('one switch pauses all agents of a workspace', () => {
  let here: TestWorld
  let owner: Caller
  let site: Awaited<ReturnType<TestWorld['site']>>
  before(async () => {
    here = await aWorld({}, undefined, { withoutDuties: ['rollouts'] })
    owner = await asMember(here)
    site = await here.site()
  })
  after(() => here.close())

  const call = (name: string) => here.call(`agents.${name}`, {}, { caller: owner })
  const get = (token: string, at = '/sites') => here.rest('GET', `/api/v1${at}`, { token })

  test('no token reads or writes on any face, a person goes on, and another workspace does not notice', async () => {
    const { token } = await here.token('write')
    const asker = await here.token('write', { approval_only: true })
    const other = await here.workspace('Other')
    const elsewhere = await here.token('read', { workspaceId: other })
    for (const each of [token, asker.token, elsewhere.token]) assert.equal((await get(each)).status, 200)
    const paused = await call('pause')
    assert.deepEqual([typeof paused.paused_at, (paused.paused_by as { id: string }).id], ['string', owner.id])
    const state = await stateOf(here.world)
    for (const each of [token, asker.token]) {
      const refused = await get(each)
      assert.deepEqual([refused.status, refused.json.code], [403, 'insufficient_scope'])
      assert.match(String(refused.json.detail), /paused all agents/)
      assert.match(String(refused.json.next), /^Wait\b/, 'another token would be refused as well')
      for (const at of [`/sites/${site.id}/backups`, `/sites/${site.id}/activity`]) {
        const written = await here.rest('POST', `/api/v1${at}`, { token: each, body: {} })
        assert.deepEqual([written.status, written.json.code], [403, 'insufficient_scope'], 'and nothing is said about its fields')
      }
      const planned = await here.rest('POST', `/api/v1/updates`, { token: each, body: { site_id: site.id, dry_run: true } })
      assert.equal(planned.status, 403)
      const tool = await agentOf(here, each).call('list_sites', {})
      assert.match(tool.content[0]?.text ?? '', /paused all agents/)
      assert.doesNotMatch(tool.content[0]?.text ?? '', /Ask an owner/)
      assert.equal(tool.isError, true)
    }
    assert.equal(await stateOf(here.world), state)
    assert.equal((await get(elsewhere.token)).status, 200)
    assert.equal((await here.call('sites.list', {}, { caller: owner })).total, 1)
    const resumed = await call('resume')
    assert.deepEqual(resumed, { paused_at: null, paused_by: null })
    for (const each of [token, asker.token]) assert.equal((await get(each)).status, 200)
  })

  test('from the moment the pause returns no node lets a token in, whatever it had in memory', async () => {
    const { token } = await here.token('read')
    const { db, now, log } = here.world
    const nodes = await Promise.all(
      [1, 2, 3].map(async () => {
        const signals = await openSignals(clientConfig(here.address), log)
        return { signals, tokens: openKnownTokens(db, signals, now, log) }
      }),
    )
    const late: number[] = []
    let going = true
    let before = 0
    let after = 0
    let returned = Number.POSITIVE_INFINITY
    const hammer = nodes.map(async ({ tokens }) => {
      while (going) {
        const began = performance.now()
        const caller = await tokens.identify(`Bearer ${token}`)
        if (began > returned) after++
        else before++
        if (began > returned && caller?.paused !== true) late.push(began - returned)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    await until(() => before > 100)
    await call('pause')
    returned = performance.now()
    await until(() => after > 100)
    going = false
    await Promise.all(hammer)
    assert.deepEqual(late, [])
    await call('resume')
    for (const { tokens } of nodes) assert.equal((await tokens.identify(`Bearer ${token}`))?.paused, undefined)
    for (const { signals, tokens } of nodes) {
      await tokens.close()
      await signals.close()
    }
  })

  test('pausing twice is pausing once, and only an owner or admin does', async () => {
    const first = await call('pause')
    here.clock.add(60_000)
    assert.deepEqual(await call('pause'), first)
    const { rows } = await sql`SELECT 1 FROM activity WHERE summary = 'All agents paused'`.execute(here.world.db)
    assert.equal(rows.length, 3)
    const member = await asMember(here, 'member')
    await assert.rejects(here.call('agents.resume', {}, { caller: member }), { code: 'insufficient_scope' })
    await call('resume')
  })

  test('an agent’s next wave waits, and goes on with the agents', async () => {
    const { advanceRollouts } = await import('../rollouts/duty.ts')
    const { id } = await here.token('write')
    const by = here.caller({ type: 'token', id, scopes: new Set(['read', 'write']) })
    const two = await here.site()
    // The first wave does nothing before the pause, however long that takes.
    const { queue } = here.world
    here.world.queue = { ...queue, send: async () => undefined }
    const wanted = { site_ids: [site.id, two.id], first_wave: 1, wave_size: 1 }
    const rollout = await here.call('rollouts.start', wanted, { caller: by }).finally(() => Object.assign(here.world, { queue }))
    await call('pause')
    await sweepJobs(here.world)
    const { rows } = await sql<{
      job_id: string
    }>`SELECT job_id FROM rollout_sites WHERE rollout_id = ${rollout.rollout_id} AND wave = 1`.execute(here.world.db)
    await here.job(rows[0]?.job_id ?? '')
    const wave = async () => {
      await advanceRollouts(here.world)
      const { wave, status } = await here.call('rollouts.get', { rollout_id: rollout.rollout_id })
      return [wave, status]
    }
    assert.deepEqual(await wave(), [1, 'running'])
    assert.deepEqual(await wave(), [1, 'running'])
    await call('resume')
    assert.deepEqual(await wave(), [2, 'running'])
  })
})
