import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { asMember } from '../../test/people.ts'
import { pictureOf } from '../../test/restore-trouble.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { jobKinds, operations } from '../capabilities.ts'
import { runJob } from '../jobs/worker.ts'
import type { Caller } from '../kernel/context.ts'
import { mayWait } from '../kernel/operation.ts'
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

  type Answer = { status: string; approval_id: string; job_id: string; message: string }
  const post = (at: string, body: object, headers = {}) => here.rest('POST', `/api/v1${at}`, { token: agent.token, body, headers })
  const ask = async (at: string, body: object, headers = {}): Promise<Answer> => {
    const { status, json, text } = await post(at, body, headers)
    assert.equal(status, 202, text)
    return json as unknown as Answer
  }
  const decide = (what: 'approve' | 'deny', id: string, caller = owner, more = {}) =>
    here.call(`approvals.${what}`, { approval_id: id, ...more }, { caller }) as unknown as Promise<Approval>
  const get = (id: string) => here.call('approvals.get', { approval_id: id }) as unknown as Promise<Approval>

  test('a backup is asked for, approved and made; one id leads all the way', async () => {
    const state = await stateOf(here.world, ['approvals'])
    const { status, headers, json } = await post(`/sites/${site.id}/backups`, { type: 'db' }, { 'svc-why': 'Before%20I%20go%E2%80%A6' })
    assert.equal(status, 202)
    const told = json as unknown as Answer
    assert.equal(told.status, 'awaiting_approval')
    assert.match(told.message, /Do not try another way\.$/)
    assert.ok(/ http:\/\/localhost:\d+(\S+) /.exec(told.message)?.[1] === `/approvals/${told.approval_id}`, 'where people sign in')
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
    assert.deepEqual([job.site_id, job.site], [site.id, new URL(site.fake.url).host])

    const { jobs } = await here.call('jobs.list', { status: 'awaiting_approval', site_id: site.id })
    assert.deepEqual(
      (jobs as { id: string; status: string }[]).map(({ id, status }) => [id, status]),
      [[told.approval_id, 'awaiting_approval']],
    )
    for (const more of [{ type: 'backup' }, { outcome: 'done' }])
      await assert.rejects(
        here.call('jobs.list', { status: 'awaiting_approval', ...more }),
        ({ errors }: { errors: { path: string }[] }) => {
          assert.deepEqual(
            errors.map(({ path }) => path),
            Object.keys(more),
          )
          return true
        },
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

  const never = new AbortController().signal
  /** Approved, its job begun and with no worker yet: whatever happens in between, `work` is when it runs. */
  async function approved(name: string, input: object) {
    const scopes = new Set(['read', 'write'] as const)
    const asking = here.caller({ type: 'token', id: agent.id, name: 'test', scopes, approvalOnly: true })
    const { approval_id } = (await here.call(name, input, { caller: asking })) as unknown as Answer
    const { queue } = here.world
    here.world.queue = { ...queue, send: async () => undefined }
    const { job_id } = await decide('approve', approval_id).finally(() => Object.assign(here.world, { queue }))
    return {
      async work() {
        const work = { jobId: String(job_id), workspaceId: here.workspaceId }
        await runJob(here.world, work, { lost: never, stopping: never })
        const [job, approval] = [await here.call('jobs.get', { job_id: approval_id }), await get(approval_id)]
        return { job, error: job.error as { code: string; message: string } | null, approval }
      },
    }
  }
  type Worked = Awaited<ReturnType<Awaited<ReturnType<typeof approved>>['work']>>
  const isRefused = ({ job, error, approval }: Worked, why: RegExp) => {
    assert.deepEqual([job.status, error?.code], ['failed', 'conflict'])
    assert.match(error?.message ?? '', why)
    assert.match(approval.ended_reason ?? '', /not what was approved any more/)
  }
  const isDone = ({ job, approval }: Worked) =>
    assert.deepEqual([job.status, job.outcome, approval.ended_reason], ['completed', 'done', null], JSON.stringify(job.error))
  const aBackup = async (site_id: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id })
    await here.job(String(job_id))
    return backup_id
  }

  /** What each kind of work would do otherwise, were it not held to what was approved: `drift` is between the decision and the work. */
  const held: Record<string, () => Promise<void>> = {
    async 'restores.create'() {
      const { id, fake } = await here.site()
      const backup_id = await aBackup(id)
      for (const safety_backup of [true, false]) {
        const input = { site_id: id, backup_id, safety_backup }
        const other = await approved('restores.create', input)
        const [first] = fake.state.tables
        fake.state.tables.push({ ...(first ?? assert.fail('no table')), name: 'wp_orders' })
        const [before, last] = [pictureOf(fake.state), fake.state.restore]
        isRefused(await other.work(), /other tables/)
        assert.ok(pictureOf(fake.state) === before && fake.state.restore === last, 'nothing was changed or staged')
        isDone(await (await approved('restores.create', input)).work())
        assert.ok(!fake.state.tables.some(({ name }) => name === 'wp_orders'))
      }
    },
    async 'restores.undo'() {
      const { id, fake } = await here.site()
      const backup_id = await aBackup(id)
      const restore = async () => here.job(String((await here.call('restores.create', { site_id: id, backup_id })).job_id))
      await restore()
      const other = await approved('restores.undo', { site_id: id })
      await restore()
      const before = pictureOf(fake.state)
      isRefused(await other.work(), /restored once more/)
      assert.ok(pictureOf(fake.state) === before && fake.state.restore?.phase === 'committed', 'nothing was undone')
      const { approval_id } = await ask(`/sites/${id}/restores/undo`, {})
      await restore()
      await assert.rejects(decide('approve', approval_id), { code: 'conflict' })
      assert.equal((await get(approval_id)).status, 'void')
      isDone(await (await approved('restores.undo', { site_id: id })).work())
    },
    async 'tweaks.apply'() {
      const { id, fake } = await here.site()
      const changes = () => fake.state.effects.filter(({ verb }) => verb.startsWith('tweaks.')).length
      const input = { site_id: id, tweak_ids: ['xmlrpc_off', 'version_hidden'] }
      const other = await approved('tweaks.apply', input)
      fake.state.tweaks.others.set('xmlrpc_off', '')
      isRefused(await other.work(), /xmlrpc_off, nothing to do; version_hidden, to be applied/)
      assert.equal(changes(), 0, 'nothing of it, also what was as it was shown')
      const planned = await here.call('tweaks.apply', { tweak_ids: input.tweak_ids, site_ids: [id], dry_run: true })
      assert.deepEqual(
        (planned.plan as { tweak_id: string; will: string }[]).map(({ tweak_id, will }) => `${tweak_id} ${will}`),
        ['xmlrpc_off nothing', 'version_hidden apply'],
        'what was seen is in the next plan, also in one that asks no site',
      )
      fake.state.tweaks.others.clear()
      here.clock.add(61_000)
      isDone(await (await approved('tweaks.apply', input)).work())
      assert.ok(changes() > 0)
    },
    async 'updates.apply'() {
      const { fake, id } = await here.site()
      const item = fake.state.items.find(({ type, update }) => type === 'plugin' && update !== null) ?? assert.fail('no update waits')
      const other = await approved('updates.apply', { site_id: id, plugins: [item.file] })
      const installed = item.version
      Object.assign(item.update ?? {}, { version: '99.9' })
      const { job, approval } = await other.work()
      assert.deepEqual([job.status, job.outcome, item.version], ['completed', 'failed', installed])
      assert.match(approval.ended_reason ?? '', /not what was approved any more/)
      here.clock.add(61_000)
      isDone(await (await approved('updates.apply', { site_id: id, plugins: [item.file] })).work())
      // What a rule leaves out was in no plan, so it is no other thing than what was approved.
      await here.call('updates.set_rule', { type: 'core', site_id: id, allow: 'never' })
      here.clock.add(61_000)
      const { job: whole, approval: given } = await (await approved('updates.apply', { site_id: id })).work()
      const { items: all } = whole.result as { items: { type: string; status: string; reason: string | null }[] }
      assert.equal(given.ended_reason, null)
      assert.match(all.find(({ type, status }) => type === 'core' && status === 'skipped')?.reason ?? '', /rule/)
    },
  }
  for (const [name, holds] of Object.entries(held))
    test(`${name}: what was approved runs as it was shown, and where something changed before it runs, nothing does`, holds)

  test('whatever is approved and runs later is held to what was shown, or only looks', () => {
    // Each site of these is work of the same kinds: of an update, or of tweaks.
    const those = [...Object.keys(held), 'rollouts.start', 'rollouts.continue']
    const looks: Record<string, string> = {
      'backups.create': 'backup',
      'backups.verify': 'verify_backup',
      'security.check': 'security_check',
      'links.scan': 'link_scan',
      'performance.measure': 'performance',
    }
    const later = operations.filter((each) => mayWait(each) && each.status === 202).map(({ name }) => name)
    assert.deepEqual(later.sort(), [...those, ...Object.keys(looks)].sort())
    for (const [name, type] of Object.entries(looks)) assert.equal(jobKinds.get(type)?.changesSite, false, name)
  })
})
