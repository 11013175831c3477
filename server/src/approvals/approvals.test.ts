import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { asMember } from '../../test/people.ts'
import { aWorld, stateOf, type TestWorld } from '../../test/world.ts'
import type { Caller } from '../kernel/context.ts'
import type { Approval } from './schema.ts'

describe('an approval-only token asks, and a person decides', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let owner: Caller
  let agent: { token: string; id: string }
  before(async () => {
    here = await aWorld()
    site = await here.site()
    owner = await asMember(here)
    agent = await here.token('write', { approval_only: true })
  })
  after(() => here.close())

  type Told = { status: string; approval_id: string; job_id: string; message: string }
  const post = (at: string, body: object, headers = {}) => here.rest('POST', `/api/v1${at}`, { token: agent.token, body, headers })
  const ask = async (at: string, body: object, headers = {}): Promise<Told> => {
    const { status, json, text } = await post(at, body, headers)
    assert.equal(status, 202, text)
    return json as unknown as Told
  }
  const decide = (what: 'approve' | 'deny', id: string, caller = owner, more = {}) =>
    here.call(`approvals.${what}`, { approval_id: id, ...more }, { caller }) as unknown as Promise<Approval>
  const get = (id: string) => here.call('approvals.get', { approval_id: id }) as unknown as Promise<Approval>

  test('a backup is asked for, approved and made; one id leads all the way', async () => {
    const state = await stateOf(here.world, ['approvals'])
    const { status, headers, json } = await post(`/sites/${site.id}/backups`, { type: 'db' }, { 'svc-why': 'Before%20I%20go%E2%80%A6' })
    assert.equal(status, 202)
    const told = json as unknown as Told
    assert.equal(told.status, 'awaiting_approval')
    assert.equal(headers.get('location'), `/api/v1/approvals/${told.approval_id}`)
    assert.equal(await stateOf(here.world, ['approvals']), state)
    const waiting = await get(told.approval_id)
    assert.deepEqual(
      [waiting.status, waiting.operation, waiting.sites, waiting.site_ids, waiting.via, waiting.reason],
      ['pending', 'backups.create', 1, [site.id], 'api', { untrusted: true, text: 'Before I go…' }],
    )
    assert.deepEqual(waiting.input, { untrusted: true, values: { site_id: site.id, type: 'db' } })
    const job = await here.call('jobs.get', { job_id: told.job_id })
    assert.deepEqual([job.status, job.type, job.id], ['awaiting_approval', 'approval', told.approval_id])

    const { jobs } = await here.call('jobs.list', { status: 'awaiting_approval', site_id: site.id })
    assert.deepEqual(
      (jobs as { id: string; status: string }[]).map(({ id, status }) => [id, status]),
      [[told.approval_id, 'awaiting_approval']],
    )

    const approved = await decide('approve', told.approval_id, owner, { plan_digest: waiting.plan_digest, note: 'Go on.' })
    assert.deepEqual([approved.status, approved.decided_by?.id, approved.note], ['dispatched', owner.id, 'Go on.'])
    const done = await here.job(told.job_id)
    assert.deepEqual([done.status, done.type, done.id], ['completed', 'backup', approved.job_id])
    assert.deepEqual(done.requested_by, { type: 'token', id: agent.id, name: 'test' })
    assert.equal((done.approved_by as { id: string }).id, owner.id)
    const { activity } = (await here.call('activity.list', { by: owner.id })) as { activity: { summary: string; internal: boolean }[] }
    assert.deepEqual(
      activity.map(({ summary, internal }) => [summary, internal]),
      [['Approved for test: Start a backup', true]],
    )
  })

  test('what was declined is not done, and says so', async () => {
    const { approval_id, job_id } = await ask(`/sites/${site.id}/backups`, {})
    const state = await stateOf(here.world, ['approvals', 'activity'])
    const denied = await decide('deny', approval_id, owner, { note: 'Not now.' })
    assert.deepEqual([denied.status, denied.note, denied.job_id], ['rejected', 'Not now.', null])
    const job = await here.call('jobs.get', { job_id })
    assert.equal(job.status, 'canceled')
    assert.match(String(job.summary), /declined/)
    await assert.rejects(decide('approve', approval_id), { code: 'conflict' })
    assert.equal((await decide('deny', approval_id)).status, 'rejected')
    assert.equal(await stateOf(here.world, ['approvals', 'activity']), state)
    assert.equal(
      (await sql`SELECT 1 FROM audit WHERE operation = 'backups.create' AND outcome = 'awaiting_approval'`.execute(here.world.db)).rows
        .length,
      2,
    )
  })
})
