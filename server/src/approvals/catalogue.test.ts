import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { asMember } from '../../test/people.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { quiet, writeCases } from '../../test/write-cases.ts'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { isCalledAgain, mayWait } from '../kernel/operation.ts'
import { run } from '../kernel/run.ts'

/** Every operation that a person may have to approve, done through an approval and done at once: the same comes of it. */
describe('the catalogue through approvals', () => {
  let here: TestWorld
  let owner: Caller
  let agent: Caller
  let writer: Caller

  /** On the one all is done at once, on the other after an approval. */
  let one: { id: string }
  let two: { id: string }

  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_SMTP_URL: 'smtp://127.0.0.1:9' })
    one = await here.site()
    two = await here.site()
    owner = await asMember(here)
    const scopes = new Set(['read', 'write'] as const)
    const name = 'test'
    agent = here.caller({ type: 'token', id: (await here.token('write', { approval_only: true })).id, name, scopes, approvalOnly: true })
    writer = here.caller({ type: 'token', id: (await here.token('write')).id, name, scopes })
  })
  after(() => here.close())

  type Input = Record<string, unknown>
  const cases = () => writeCases(here)

  test('every operation that may wait for a person is here', () => {
    const names = operations.filter(mayWait).map(({ name }) => name)
    assert.deepEqual(names.sort(), Object.keys(cases()).sort())
  })

  /** The same whatever its ids, times, addresses and secrets are. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value ?? null)
        .replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, '$1_…')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
        .replaceAll(/\b[0-9a-f]{64}\b|\/r\/[\w-]{43}/g, '…')
        .replaceAll(/svc-connector-login=[\w-]+|whsec_[\w+/=]+/g, '…')
        .replaceAll(/"total":\d+/g, '"total":1'),
    )
  const jobsOf = async (site_id: string) => {
    const { rows } = await sql<{ job: unknown }>`SELECT json_build_object('type', type, 'input', input, 'by', requested_by->>'name') AS job
      FROM jobs WHERE site_id = ${site_id} ORDER BY id`.execute(here.world.db)
    return rows.map(({ job }) => plain(job))
  }
  const call = (name: string, input: Input, caller: Caller) => {
    const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
    return run(here.world, operation, { caller, face: 'api', requestId: newId('req', here.world.now()) }, input)
  }

  for (const operation of operations.filter(mayWait))
    test(`${operation.name}: approved, the same comes of it as done at once`, async () => {
      const { name } = operation
      const prepare = cases()[name] ?? assert.fail(name)
      // A wave that waits for an approval is for who may approve.
      const direct = await call(name, await prepare(one.id), name === 'rollouts.continue' ? owner : writer)
      assert.equal(direct.awaiting, undefined)

      const input = await prepare(two.id)
      const before = await jobsOf(two.id)
      const asked = await call(name, input, agent)
      const { approval_id } = asked.output as { approval_id: string }
      assert.equal(asked.awaiting, true)
      assert.deepEqual(await jobsOf(two.id), before, 'asking starts nothing')
      const waiting = await here.call('approvals.get', { approval_id })
      assert.equal(JSON.stringify(waiting).includes('secret-path'), false)
      const approved = await here.call('approvals.approve', { approval_id, plan_digest: waiting.plan_digest }, { caller: owner })
      let answer = approved.answer
      if (isCalledAgain(operation)) {
        assert.deepEqual([approved.status, answer], ['approved', null])
        const again = await call(name, input, agent)
        assert.equal(again.awaiting, undefined)
        answer = again.output
      }
      const { status } = await here.call('approvals.get', { approval_id })
      assert.equal(status, 'dispatched')
      assert.deepEqual(plain(answer), plain(direct.output))
      await quiet(here)
      assert.deepEqual(await jobsOf(two.id), await jobsOf(one.id))
      const repeated = await here.call('approvals.approve', { approval_id }, { caller: owner })
      assert.equal(repeated.status, 'dispatched', 'approving it again does nothing')
    })
})
