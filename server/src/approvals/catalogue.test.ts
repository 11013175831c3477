import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aPerson } from '../../test/people.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { operations } from '../capabilities.ts'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { isCalledAgain, mayWait } from '../kernel/operation.ts'
import { run } from '../kernel/run.ts'
import { finding } from '../security/checks.ts'
import { recordFindings } from '../security/record.ts'

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
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    one = await here.site()
    two = await here.site()
    owner = await aPerson(here)
    const scopes = new Set(['read', 'write'] as const)
    const name = 'test'
    agent = here.caller({ type: 'token', id: (await here.token('write', { approval_only: true })).id, name, scopes, approvalOnly: true })
    writer = here.caller({ type: 'token', id: (await here.token('write')).id, name, scopes })
  })
  after(() => here.close())

  type Input = Record<string, unknown>
  /** The input, with all that it needs to be done, for one time. */
  type Case = (site_id: string) => Promise<Input> | Input

  const backup = async (site_id: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id })
    await here.job(String(job_id))
    return { site_id, backup_id }
  }
  const aFinding = async (site_id: string, check: 'xmlrpc' | 'readme_exposed' = 'xmlrpc') => {
    const look = { workspaceId: here.workspaceId, siteId: site_id, source: 'outside' as const, at: here.world.now() }
    const { opened } = await recordFindings(here.world.db, look, [finding(check, { evidence: [] })])
    return { site_id, finding_id: String(opened[0]) }
  }
  const aLink = async (site_id: string) => {
    const link_id = newId('link', here.world.now())
    await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, places, places_count, first_seen_at, last_checked_at)
      VALUES (${here.workspaceId}, ${link_id}, ${site_id}, ${`https://example.com/${link_id}`}, false, 'broken', 'not_found', '[]', 0, now(), now())`.execute(
      here.world.db,
    )
    return { site_id, link_id }
  }
  const aChannel = async () => {
    const { id } = await here.call('notifications.add_channel', { name: 'Hook', type: 'slack', url: 'http://127.0.0.1:9/' })
    return { channel_id: id }
  }
  const anError = async (site_id: string, status: 'open' | 'muted' = 'open') => {
    const error_id = newId('phperror', here.world.now())
    const component = JSON.stringify({ type: 'plugin', slug: 'garden' })
    await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, frames,
        status, captured, logged, first_seen_at, last_seen_at)
      VALUES (${here.workspaceId}, ${error_id}, ${site_id}, ${error_id}, 1, 'fatal', 'Uncaught Error', 'garden.php', '{1}', ${component}, '[]',
        ${status}, 1, 0, now(), now())`.execute(here.world.db)
    return { site_id, error_id }
  }
  const later = (hours: number) => new Date(here.world.now().getTime() + hours * 3_600_000).toISOString()
  const restored = async (site_id: string) => {
    const { job_id } = await here.call('restores.create', { ...(await backup(site_id)), safety_backup: false })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    return { site_id }
  }
  const aWaitingJob = async (site_id: string) => {
    const job_id = newId('job', here.world.now())
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${here.workspaceId}, ${job_id}, 'backup', ${site_id}, 'queued', '{"type":"user","id":"user_1","name":"x"}', '{}', now())`.execute(
      here.world.db,
    )
    return { job_id }
  }
  const aRollout = async (site_id: string) => {
    const rollout_id = newId('rollout', here.world.now())
    const input = JSON.stringify({ first_wave: 1, wave_size: 1, stop_above_percent: 100 })
    // Of a site that is with nobody, so that nothing moves on by itself.
    await sql`INSERT INTO rollouts (workspace_id, id, kind, status, input, wave, waves, requested_by, created_at)
      VALUES (${here.workspaceId}, ${rollout_id}, 'update', 'running', ${input}::jsonb, 1, 2, '{"type":"user","id":"user_1","name":"x"}', now())`.execute(
      here.world.db,
    )
    await sql`INSERT INTO rollout_sites (workspace_id, rollout_id, site_id, wave, place, status)
      VALUES (${here.workspaceId}, ${rollout_id}, ${site_id}, 2, 0, 'waiting')`.execute(here.world.db)
    return { rollout_id }
  }

  const cases: Record<string, Case> = {
    'sites.set': (site_id) => ({ site_id, tags: ['shop'], client: 'Ann' }),
    'jobs.cancel': aWaitingJob,
    'security.check': (site_id) => ({ site_id }),
    'security.ignore': async (site_id) => ({ ...(await aFinding(site_id)), reason: 'It is meant.' }),
    'security.unignore': async (site_id) => {
      const found = await aFinding(site_id, 'readme_exposed')
      await here.call('security.ignore', { ...found, reason: 'It is meant.' })
      return found
    },
    'backups.verify': backup,
    'schedules.set_default': () => ({ enabled: true, type: 'db' }),
    'schedules.set': (site_id) => ({ site_id, enabled: true, type: 'full' }),
    'restores.create': async (site_id) => ({ ...(await backup(site_id)), type: 'files', safety_backup: false }),
    'restores.undo': restored,
    'updates.apply': (site_id) => ({ site_id }),
    'rollouts.start': (site_id) => ({ site_ids: [site_id], first_wave: 1 }),
    'backups.create': (site_id) => ({ site_ids: [site_id], type: 'db' }),
    'tweaks.apply': (site_id) => ({ site_id, tweak_ids: ['xmlrpc_off'], action: 'apply' }),
    'rollouts.cancel': aRollout,
    'uptime.set_default': () => ({ enabled: true, interval_s: 300 }),
    'uptime.set': (site_id) => ({ site_id, enabled: true, interval_s: 120 }),
    'uptime.maintain_all': () => ({ starts_at: later(1), ends_at: later(2), reason: 'Moving.' }),
    'uptime.maintain': (site_id) => ({ site_id, starts_at: later(1), ends_at: later(2), reason: 'Moving.' }),
    'uptime.end_maintenance': async (site_id) => {
      const { id } = await here.call('uptime.maintain', { site_id, starts_at: later(0), ends_at: later(2), reason: 'Moving.' })
      return { window_id: id }
    },
    'links.scan': (site_id) => ({ site_id, max_pages: 10 }),
    'links.ignore': async (site_id) => ({ ...(await aLink(site_id)), reason: 'It is meant.' }),
    'links.unignore': async (site_id) => {
      const found = await aLink(site_id)
      await here.call('links.ignore', { ...found, reason: 'It is meant.' })
      return found
    },
    'errors.collect': (site_id) => ({ site_id }),
    'errors.resolve': (site_id) => anError(site_id),
    'errors.mute': async (site_id) => ({ ...(await anError(site_id)), reason: 'The vendor knows.' }),
    'errors.reopen': (site_id) => anError(site_id, 'muted'),
    'performance.measure': (site_id) => ({ site_id }),
    'notifications.add_channel': () => ({ name: 'On call', type: 'webhook', url: 'https://hooks.example.com/fleet-secret-path' }),
    'notifications.test': aChannel,
    'notifications.remove_channel': aChannel,
    'notifications.add_rule': async (site_id) => ({ ...(await aChannel()), kinds: ['site_down'], site_id }),
    'notifications.remove_rule': async () => {
      const { id } = await here.call('notifications.add_rule', { ...(await aChannel()), kinds: ['site_down'] })
      return { rule_id: id }
    },
    'notifications.retry': async () => {
      const { channel_id } = await aChannel()
      const delivery_id = newId('delivery', here.world.now())
      await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
        VALUES (${here.workspaceId}, ${delivery_id}, ${channel_id}, 'dead', '{}', now(), now())`.execute(here.world.db)
      return { delivery_id }
    },
    'login.create': (site_id) => ({ site_id }),
  }

  test('every operation that may wait for a person is here', () => {
    const names = operations.filter(mayWait).map(({ name }) => name)
    assert.deepEqual(names.sort(), Object.keys(cases).sort())
  })

  /** The same whatever its ids, times, addresses and secrets are. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value ?? null)
        .replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, '$1_…')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
        .replaceAll(/svc-connector-login=[\w-]+|whsec_[\w+/=]+/g, '…')
        .replaceAll(/"total":\d+/g, '"total":1'),
    )
  const jobsOf = async (site_id: string) => {
    const { rows } = await sql<{ job: unknown }>`SELECT json_build_object('type', type, 'input', input, 'by', requested_by->>'name') AS job
      FROM jobs WHERE site_id = ${site_id} ORDER BY id`.execute(here.world.db)
    return rows.map(({ job }) => plain(job))
  }
  /** Until nothing is under way. */
  const quiet = async () => {
    for (let open = 1; open > 0; ) {
      const { rows } = await sql<{ id: string }>`SELECT id FROM jobs WHERE status IN ('queued', 'running')`.execute(here.world.db)
      for (const { id } of rows) await here.job(id)
      open = rows.length
    }
  }
  const call = (name: string, input: Input, caller: Caller) => {
    const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
    return run(here.world, operation, { caller, face: 'api', requestId: newId('req', here.world.now()) }, input)
  }

  for (const operation of operations.filter(mayWait))
    test(`${operation.name}: approved, the same comes of it as done at once`, async () => {
      const { name } = operation
      const prepare = cases[name] ?? assert.fail(name)
      const direct = await call(name, await prepare(one.id), writer)
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
      await quiet()
      assert.deepEqual(await jobsOf(two.id), await jobsOf(one.id))
      const repeated = await here.call('approvals.approve', { approval_id }, { caller: owner })
      assert.equal(repeated.status, 'dispatched', 'approving it again does nothing')
    })
})
